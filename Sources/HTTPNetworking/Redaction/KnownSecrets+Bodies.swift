#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KnownSecrets {
    /// Adds what a body of a request holds: the values of JSON or of a form, the lines of a text.
    mutating func add(body: Data, contentType: String?) {
        guard body.count <= Self.limit else { return isMissingSome() }
        switch BodyText(body, contentType: contentType) {
        case .json(let outline):
            for value in outline.values { add(value) }
            if !outline.isWhole { add(lines: outline.bytes) }
        case .form(let text, let isDeclared):
            add(query: String(decoding: text, as: UTF8.self)[...])
            // It may be one value that only looks like a name and another.
            if !isDeclared { add(lines: text) }
        case .plain, .opaque: add(lines: Array(body))
        }
    }

    /// The values of JSON that a text may quote.
    ///
    /// Complexity: linear in the size of the data, which was read as a whole already.
    init(of data: Data, in text: String) {
        let words = Set(Self.beginnings(of: Array(text.utf8)))
        for value in JSONOutline(Array(data)).values {
            // What is escaped begins otherwise in the text.
            let start = Self.beginnings(of: Array(value.prefix(4))).first
            if value.contains(UInt8(ascii: "\\")) || start.map(words.contains) ?? false {
                add(value.prefix(4096))
            }
        }
    }

    /// Each four bytes in a row, in lower case.
    private static func beginnings(of bytes: [UInt8]) -> [[UInt8]] {
        let lowercase = bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
        return lowercase.indices.dropLast(3).map { Array(lowercase[$0..<$0 + 4]) }
    }

    /// Adds a text, each of its lines, and each word that looks like a token.
    private mutating func add(lines text: [UInt8]) {
        // What is no text is not shown, and so cannot be echoed in what is.
        guard String(validating: text, as: UTF8.self) != nil else { return }
        add(text)
        for line in text.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            add(line)
            for word in line.split(whereSeparator: { $0 <= 32 || "\"'=:;,<>&".utf8.contains($0) })
            where word.looksLikeToken { add(word) }
        }
    }
}
