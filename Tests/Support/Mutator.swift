/// Makes inputs for a parser by changing the parts of a corpus's inputs.
///
/// An input is cut at the format's delimiters, and its parts are left out, repeated, exchanged, or replaced
/// by words of the format or by numbers at the limits of a parser. Sometimes a byte is changed, or an input
/// is truncated. The same seed gives the same inputs.
package struct Mutator {
    private let corpus: [[UInt8]]
    private let words: [[UInt8]]
    private let delimiters: Set<UInt8>
    private var random: SeededGenerator

    /// Makes a mutator.
    ///
    /// - Parameters:
    ///   - corpus: The inputs to change; at least one.
    ///   - words: The format's words.
    ///   - delimiters: The bytes that separate words.
    ///   - seed: The seed of the random numbers.
    package init(corpus: [[UInt8]], words: [String], delimiters: String, seed: UInt64) {
        precondition(!corpus.isEmpty, "a corpus has at least one input")
        self.corpus = corpus
        self.words = words.map { Array($0.utf8) } + Self.edges
        self.delimiters = Set(delimiters.utf8)
        random = SeededGenerator(seed: seed)
    }

    /// The next input.
    package mutating func next() -> [UInt8] {
        var parts = pick(corpus).flatMap { cut($0) } ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&parts) }
        var bytes = Array(parts.joined())
        if chance(8) { changeByte(&bytes) }
        if chance(16) {
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        }
        return bytes
    }

    private mutating func change(_ parts: inout [[UInt8]]) {
        guard let index = parts.indices.randomElement(using: &random) else {
            return parts.append(pick(words) ?? [])
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: parts.remove(at: index)
        case 1: parts.insert(parts[index], at: index)
        case 2: parts.swapAt(index, parts.indices.randomElement(using: &random) ?? index)
        case 3, 4: parts[index] = pick(words) ?? []
        case 5: parts.insert(pick(words) ?? [], at: index)
        case 6: splice(&parts, at: index)
        case 7: parts[index] = Array(repeatElement(parts[index], count: 40).joined())
        default: parts[index] = parts[index].map { 65...90 ~= $0 || 97...122 ~= $0 ? $0 ^ 32 : $0 }
        }
    }

    /// Continues with the end of another input.
    private mutating func splice(_ parts: inout [[UInt8]], at index: Int) {
        let other = pick(corpus).flatMap { cut($0) } ?? []
        parts.removeSubrange(index...)
        parts += other.suffix(Int.random(in: 0...other.count, using: &random))
    }

    private mutating func changeByte(_ bytes: inout [UInt8]) {
        guard let index = bytes.indices.randomElement(using: &random) else { return }
        bytes[index] = UInt8.random(in: 0...255, using: &random)
    }

    /// The parts between delimiters, each delimiter a part of its own.
    private func cut(_ bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var word: [UInt8] = []
        for byte in bytes {
            guard delimiters.contains(byte) else {
                word.append(byte)
                continue
            }
            if !word.isEmpty { parts.append(word) }
            parts.append([byte])
            word = []
        }
        return word.isEmpty ? parts : parts + [word]
    }

    private mutating func pick(_ all: [[UInt8]]) -> [UInt8]? { all.randomElement(using: &random) }

    private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

    /// Values that parsers of text often fail on, in any format.
    private static let edges: [[UInt8]] =
        [
            "", " ", "\t", "\r\n", "\n", "\r", "\0", "\u{7f}", "\u{feff}", "é", "e\u{301}", "🏳️‍🌈",
            "%",
            "%00", "%zz", "0", "-1", "+1", "00000000001", "1e9", "0x10", "1.5", "2147483648",
            "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "\"", "\\",
            "\\\"",
            "\"a", "=", ";", ",", ":", "--", "..",
        ].map { Array($0.utf8) } + [[0xff], [0xc3], [0xed, 0xa0, 0x80]]
}
