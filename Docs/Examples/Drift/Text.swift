extension String {
    /// The lines of the text, without their ends.
    var lines: [String] {
        // A carriage return and the newline behind it are one Character.
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }

    /// The text without the whitespace before and behind it.
    var trimmed: String {
        String(drop(while: \.isWhitespace)).withoutBlankEnd
    }
}

extension String {
    /// The text without the whitespace behind it.
    fileprivate var withoutBlankEnd: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
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
            .map(\.withoutBlankEnd)
        return Array(text.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed())
    }
}
