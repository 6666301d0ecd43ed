/// The secrets that must not be shown, and their removal from a text.
///
/// A value of four bytes or more is found at every place where it is complete, in any form that
/// ``EscapedText`` decodes in up to three levels, in upper or lower case. Of a value of 16 bytes or more,
/// every part of 16 bytes is found as well; of a value that looks like a token, every part of eight bytes,
/// because servers often show the beginning of a refused token. A value that is one word of fewer than 16
/// letters is found only if no letter is beside it: "redirect" does not match "Redirecting". Shorter values,
/// and words such as "true", are not searched for: this would remove many harmless words and hide nothing.
struct KnownSecrets {
    /// Whether everything was examined.
    ///
    /// If not, no text from a server may be shown.
    private(set) var isComplete = true

    /// How many bytes of one body, or one field, are examined.
    static let limit = 65_536

    /// How many bytes a needle has at most.
    private static let longest = 16

    /// How many bytes of secrets are kept.
    private static let capacity = 4 * limit

    /// The added values, in lower case.
    private var values: Set<[UInt8]> = []
    /// The needles, and whether each is a word that matches only as a whole.
    private var needles: [ArraySlice<UInt8>: Bool] = [:]
    /// The first four bytes of each needle, so that most of a text is skipped quickly.
    private var beginnings: Set<UInt32> = []
    /// The lengths of the needles.
    private var lengths: Set<Int> = []
    private var size = 0

    /// Notes that something was not examined.
    mutating func isMissingSome() { isComplete = false }

    /// Adds a value, unchanged and decoded.
    mutating func add(_ value: some Collection<UInt8>) {
        guard value.count <= Self.limit else { return isMissingSome() }
        var text = EscapedText(value)
        for _ in 0...Self.depth {
            addOne(text.bytes.withoutBlanks)
            guard let read = text.read() else { return }
            text = read
        }
    }

    /// Adds a value, unchanged and decoded.
    mutating func add(_ value: some StringProtocol) { add(Array(value.utf8)) }

    private mutating func addOne(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return }
        let folded = bytes.map(\.folded)
        guard folded.count > 24 || !Self.words.contains(String(decoding: folded, as: UTF8.self))
        else { return }
        guard values.insert(folded).inserted else { return }
        size += folded.count
        guard size <= Self.capacity else { return isMissingSome() }
        let isWord = folded.count < Self.longest && folded.allSatisfy(\.isLetter)
        addParts(of: folded, length: min(folded.count, Self.longest), isWord: isWord)
        if bytes.looksLikeToken { addParts(of: folded, length: 8, isWord: false) }
    }

    private mutating func addParts(of folded: [UInt8], length: Int, isWord: Bool) {
        lengths.insert(length)
        for start in 0...folded.count - length {
            let needle = folded[start..<start + length]
            needles[needle] = isWord && needles[needle] ?? true
            beginnings.insert(folded.beginning(at: start))
        }
    }

    /// How many levels are decoded: an escape of JSON within a percent-encoded one within an entity.
    private static let depth = 3

    private static let words: Set<String> = [
        "true", "false", "null", "none", "undefined", "http", "https", "json", "text", "html",
        "utf-8", "gzip", "bearer", "basic", "digest", "negotiate", "close", "keep-alive", "error",
        "message", "code", "status", "authorization code", "authorization_code",
        "client_credentials", "refresh_token", "access_token",
    ]
}

extension KnownSecrets {
    /// A text with "…" instead of each secret.
    ///
    /// Complexity: linear in the length of the text.
    func scrubbed(_ text: some StringProtocol) -> String {
        let source = Array(text.utf8)
        guard source.count >= 4, !needles.isEmpty else { return String(text) }
        return SafeText.replacing(marks(in: source), in: source)
    }

    /// For each byte, whether it belongs to a secret.
    func marks(in source: [UInt8]) -> [Bool] {
        var marks = [Bool](repeating: false, count: source.count)
        guard !needles.isEmpty else { return marks }
        var text = EscapedText(source)
        for _ in 0...Self.depth {
            mark(&marks, in: text)
            guard let read = text.read() else { break }
            text = read
        }
        return marks
    }

    private func mark(_ marks: inout [Bool], in text: EscapedText) {
        let folded = text.bytes.map(\.folded)
        for start in folded.indices.dropLast(3)
        where beginnings.contains(folded.beginning(at: start)) {
            let ends = lengths.lazy.map { start + $0 }
            guard let end = ends.filter({ self.holds(folded, start, $0) }).max() else { continue }
            for place in text.places[start..<end] {
                for position in place { marks[position] = true }
            }
        }
    }

    private func holds(_ text: [UInt8], _ start: Int, _ end: Int) -> Bool {
        guard end <= text.count, let isWord = needles[text[start..<end]] else { return false }
        let isWithin =
            start > 0 && text[start - 1].isLetter || end < text.count && text[end].isLetter
        return !(isWord && isWithin)
    }
}

extension [UInt8] {
    /// Four bytes in one number.
    fileprivate func beginning(at start: Int) -> UInt32 {
        UInt32(self[start]) << 24 | UInt32(self[start + 1]) << 16 | UInt32(self[start + 2]) << 8
            | UInt32(self[start + 3])
    }
}

extension UInt8 {
    /// The same for both cases of a letter, and for both ways in which a form writes a space.
    fileprivate var folded: UInt8 {
        self == UInt8(ascii: "+") ? UInt8(ascii: " ") : lowercased
    }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8> {
    /// Without the white space, line ends and other controls around it.
    var withoutBlanks: ArraySlice<UInt8> {
        let start = drop { $0 <= 32 }
        return start.prefix(start.lastIndex { $0 > 32 }.map { $0 - start.startIndex + 1 } ?? 0)
    }
}

extension Collection<UInt8> {
    /// Whether it is one long word of letters and digits, and not an address.
    var looksLikeToken: Bool {
        count >= 12 && allSatisfy { $0 > 32 } && contains(where: \.isDigit)
            && contains(where: \.isLetter)
            && !String(decoding: self, as: UTF8.self)
                .contains("://")
    }
}
