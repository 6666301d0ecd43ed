/// The inputs of a corpus: one a line, in which `\r`, `\n`, `\t`, `\0`, `\\` and `\xNN` stand for bytes.
///
/// Lines that begin with "#" say something about the next.
package func corpus(_ text: String) -> [[UInt8]] {
    text.split(separator: "\n", omittingEmptySubsequences: true)
        .filter { !$0.hasPrefix("#") }
        .map { bytes(of: $0) }
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
