/// Secrets that must not be shown, and their removal from texts.
///
/// A value of four bytes or more is found wherever the whole value occurs, in lower or upper case, and in any form that
/// ``EscapedText`` decodes in up to three levels. Parts of long values are found too: any 16 bytes in a row, and if the
/// value looks like a token, any eight, because servers often show the beginning of a refused token. If a value is one
/// word of fewer than 16 letters, it is found only where no letter stands beside it: "redirect" does not match
/// "Redirecting". Values of fewer than four bytes, and words such as "true", are not searched for, because removing
/// them would hide nothing and damage many harmless texts.
package struct KnownSecrets {
    /// True if everything was examined.
    ///
    /// Otherwise no text from a server may be shown.
    package private(set) var isComplete = true

    /// The largest size of a body or a field that is examined, in bytes.
    static let limit = 65_536

    /// The length of the longest needle, in bytes; a needle is a sequence of bytes to search for.
    private static let longest = 16

    /// The largest total size of the secrets, in bytes.
    private static let capacity = 4 * limit

    /// The added values, in lower case.
    private var values: Set<[UInt8]> = []
    /// The lengths of the values of 64 bytes or fewer.
    private var lengthsOfValues: Set<Int> = []
    /// The needles, as keys; the value is true if the needle is a word that matches only as a whole.
    private var needles: [ArraySlice<UInt8>: Bool] = [:]
    /// The first four bytes of each needle, which quickly rule out most places in a text.
    private var beginnings: Set<UInt32> = []
    /// One bit for each of 4096 hashes, set if a beginning has that hash.
    private var filter = [UInt64](repeating: 0, count: 64)
    private var lengths: Set<Int> = []
    private var size = 0
    /// More words that are not searched for, in lower case.
    private var spared: Set<String> = []

    package init(sparing spared: Set<String> = []) { self.spared = spared }

    /// Notes that something could not be examined.
    package mutating func isMissingSome() { isComplete = false }

    /// Adds a value as it is, and with its escapes decoded.
    package mutating func add(_ value: some Collection<UInt8>) {
        guard value.count <= Self.limit else { return isMissingSome() }
        var text = EscapedText(value)
        for _ in 0...Self.depth {
            addOne(text.bytes.withoutBlanks)
            guard let read = text.read() else { return }
            text = read
        }
    }

    /// Adds a value as it is, and with its escapes decoded.
    package mutating func add(_ value: some StringProtocol) { add(Array(value.utf8)) }

    private mutating func addOne(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return }
        let folded = bytes.map(\.folded)
        if folded.count <= 24 {
            let word = String(decoding: folded, as: UTF8.self)
            if Self.words.contains(word) || spared.contains(word) { return }
        }
        guard values.insert(folded).inserted else { return }
        if folded.count <= 64 { lengthsOfValues.insert(folded.count) }
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
            let beginning = folded.beginning(at: start)
            beginnings.insert(beginning)
            let hash = Self.hash(beginning)
            filter[hash >> 6] |= 1 << UInt64(hash & 63)
        }
    }

    private static func hash(_ beginning: UInt32) -> Int { Int((beginning &* 0x9E37_79B1) >> 20) }

    private func mayBegin(_ beginning: UInt32) -> Bool {
        let hash = Self.hash(beginning)
        return filter[hash >> 6] >> UInt64(hash & 63) & 1 == 1 && beginnings.contains(beginning)
    }

    /// The number of decoded levels, enough for a JSON escape inside a percent-encoding inside an entity.
    private static let depth = 3

    private static let words: Set<String> = [
        "true", "false", "null", "none", "undefined", "http", "https", "json", "text", "html",
        "utf-8", "gzip", "bearer", "basic", "digest", "negotiate", "close", "keep-alive", "error",
        "message", "code", "status", "authorization code", "authorization_code",
        "client_credentials", "refresh_token", "access_token",
    ]
}

extension KnownSecrets {
    /// Returns a text with "…" in place of each secret.
    ///
    /// Complexity: linear in the length of the text.
    package func scrubbed(_ text: some StringProtocol) -> String {
        let source = Array(text.utf8)
        guard source.count >= 4, !needles.isEmpty else { return String(text) }
        return SafeText.replacing(marks(in: source), in: source)
    }

    /// Returns one flag for each byte of a text: true if the byte belongs to a secret.
    package func marks(in source: [UInt8]) -> [Bool] {
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
        guard folded.count >= 4 else { return }
        var beginning = folded.beginning(at: 0) >> 8
        for start in 0...folded.count - 4 {
            beginning = beginning << 8 | UInt32(folded[start + 3])
            guard mayBegin(beginning) else { continue }
            let ends = lengths.lazy.map { start + $0 }
            guard let end = ends.filter({ self.holds(folded, start, $0) }).max() else { continue }
            for position in text.place(of: start..<end) { marks[position] = true }
        }
    }

    /// Returns whether a word of 64 bytes or fewer holds a whole secret, rather than a part of one.
    package func hold(in word: ArraySlice<UInt8>) -> Bool {
        let folded = word.map(\.folded)
        return lengthsOfValues.contains { length in
            length <= folded.count
                && (0...folded.count - length).contains { start in
                    values.contains(Array(folded[start..<start + length]))
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
    /// Returns four bytes as one number.
    fileprivate func beginning(at start: Int) -> UInt32 {
        UInt32(self[start]) << 24 | UInt32(self[start + 1]) << 16 | UInt32(self[start + 2]) << 8
            | UInt32(self[start + 3])
    }
}

extension UInt8 {
    /// The byte in lower case; a space for "+", because in a form "+" means a space.
    fileprivate var folded: UInt8 {
        self == UInt8(ascii: "+") ? UInt8(ascii: " ") : lowercased
    }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8> {
    /// The bytes without the white space, line ends and other controls around them.
    var withoutBlanks: ArraySlice<UInt8> {
        let start = drop { $0 <= 32 }
        return start.prefix(start.lastIndex { $0 > 32 }.map { $0 - start.startIndex + 1 } ?? 0)
    }
}

extension Collection<UInt8> {
    /// True for 12 bytes or more that include a letter and a digit, but no white space and no "://".
    package var looksLikeToken: Bool {
        count >= 12 && allSatisfy { $0 > 32 } && contains(where: \.isDigit)
            && contains(where: \.isLetter)
            && !String(decoding: self, as: UTF8.self)
                .contains("://")
    }
}
