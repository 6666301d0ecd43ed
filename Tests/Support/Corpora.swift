package import Foundation

/// The inputs in Tests/Fuzz/Corpus/NAME.txt.
package func corpus(named name: String, file: String = #filePath) throws -> [[UInt8]] {
    let url = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/Corpus/\(name).txt")
    return corpus(try String(contentsOf: url, encoding: .utf8))
}

/// Responses as servers might send them, changed at random: the same for the same seed.
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
