package import Foundation

/// The inputs in Tests/Fuzz/Corpus/NAME.txt.
package func corpus(named name: String, file: String = #filePath) throws -> [[UInt8]] {
    let url = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/Corpus/\(name).txt")
    return corpus(try String(contentsOf: url, encoding: .utf8))
}

/// The inputs of a corpus: one on each line, in which `\r`, `\n`, `\t`, `\0`, `\\` and `\xNN` stand for
/// bytes.
///
/// Lines that begin with "#" are comments about the next line.
package func corpus(_ text: String) -> [[UInt8]] {
    text.split(separator: "\n", omittingEmptySubsequences: true)
        .filter { !$0.hasPrefix("#") }
        .map { bytes(of: $0) }
}

/// Responses as servers might send them, changed at random; the same seed gives the same responses.
package func mutatedResponses(_ count: Int, seed: UInt64) throws -> [Data] {
    var mutator = Mutator(
        corpus: try corpus(named: "responses"),
        words: [
            "HTTP/1.1", "HTTP/0.9", "200", "099", "1000", "Content-Length", "Transfer-Encoding",
            "chunked", "identity", "\r\n", "\n", "\r", "close", "keep-alive", "0", "-1",
            "ffffffffffffffff",
        ],
        delimiters: " :;,=\r\n/\"", seed: seed)
    return (0..<count).map { _ in Data(mutator.next()) }
}

private func bytes(of line: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = line.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
            bytes.append(byte)
            continue
        }
        switch escape {
        case UInt8(ascii: "r"): bytes.append(13)
        case UInt8(ascii: "n"): bytes.append(10)
        case UInt8(ascii: "t"): bytes.append(9)
        case UInt8(ascii: "0"): bytes.append(0)
        case UInt8(ascii: "x"):
            bytes.append(UInt8(Substring(rest.prefix(2)), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        default: bytes.append(escape)
        }
    }
    return bytes
}
