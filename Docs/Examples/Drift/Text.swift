extension String {
    /// The lines of the text, without their ends.
    var lines: [String] {
        // A carriage return and the newline behind it are one Character.
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }

    /// The text without the whitespace before and behind it.
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension [String] {
    /// The lines without the indentation they share, the blanks at their ends, and the blank
    /// lines before and behind: what is left is what a reader sees.
    var dedented: [String] {
        let isBlank: (String) -> Bool = { $0.allSatisfy(\.isWhitespace) }
        let indents = filter { !isBlank($0) }.map { $0.prefix(while: \.isWhitespace).count }
        let shared = indents.min() ?? 0
        let text = map { line in isBlank(line) ? "" : String(line.dropFirst(shared)) }
            .map { line in String(line.reversed().drop(while: \.isWhitespace).reversed()) }
        return Array(text.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed())
    }
}
