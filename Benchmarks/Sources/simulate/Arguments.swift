/// The program's arguments, which are taken one after another.
struct Arguments {
    private var words: [String]
    /// The option that was taken first.
    private(set) var firstTaken: String?

    init(_ words: [String]) { self.words = words }

    /// Takes an option and the word after it; nil if the option is missing.
    mutating func take(_ option: String, _ needed: String) throws(CommandError) -> String? {
        guard let index = words.firstIndex(of: option) else { return nil }
        let word = words[index...].dropFirst().first ?? ""
        guard !word.isEmpty, !word.hasPrefix("-") else {
            throw CommandError(wrongUse: "\(option) needs \(needed); see --help")
        }
        words.removeSubrange(index...index + 1)
        try noteOnce(option)
        return word
    }

    /// Takes an option without a value; false if it is missing.
    mutating func takeFlag(_ option: String) throws(CommandError) -> Bool {
        guard let index = words.firstIndex(of: option) else { return false }
        words.remove(at: index)
        try noteOnce(option)
        return true
    }

    /// Takes the one remaining word; nil if none remains.
    mutating func takeName() throws(CommandError) -> String? {
        if let option = words.first(where: { $0.hasPrefix("-") }) {
            throw CommandError(wrongUse: "unknown option \(Self.quoted(option)); see --help")
        }
        if words.count > 1 {
            throw CommandError(
                wrongUse: "one scenario at a time, not \(words.count); see --help")
        }
        return words.popLast()
    }

    private mutating func noteOnce(_ option: String) throws(CommandError) {
        if words.contains(option) {
            throw CommandError(wrongUse: "\(option) is given more than once; see --help")
        }
        firstTaken = firstTaken ?? option
    }

    /// Returns a user's word in quotation marks, without characters that move a terminal's cursor.
    static func quoted(_ word: String) -> String {
        let shown = word.unicodeScalars.prefix(100).map { scalar in
            scalar.properties.generalCategory == .control
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\"\(shown.joined())\(word.unicodeScalars.count > 100 ? "…" : "")\""
    }
}
