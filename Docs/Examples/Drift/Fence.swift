/// One fenced block of a Markdown document: its info string, its lines and where it stands.
struct Fence {
    /// The line of the opening fence, counted from 1.
    let line: Int
    /// What follows the opening backticks, such as `swift FuturesExamples.swift#map`.
    let info: String
    /// The lines between the fences, as they stand in the document.
    let lines: [String]
    /// Whether a closing fence was found before the document ended.
    let isClosed: Bool

    /// The language: the letters that the info string begins with, in lower case.
    var language: String { String(info.lowercased().prefix { $0.isLetter || $0 == "-" }) }

    /// The second word of the info string: which file, and which slice of it, the block shows.
    var source: String? { words.count > 1 ? words[1] : nil }

    /// The words of the info string.
    var words: [String] { info.split(whereSeparator: \.isWhitespace).map(String.init) }
}

extension Fence {
    /// Every fenced block of a document, in order, by CommonMark's rules: three or more backticks
    /// or tildes, closed by as many or more of the same with nothing behind them.
    static func all(in document: String) -> [Fence] {
        var fences: [Fence] = []
        var open: (line: Int, mark: Mark, lines: [String])?
        for (index, line) in document.lines.enumerated() {
            if let current = open {
                if let mark = Mark(line, behindBullet: false), mark.closes(current.mark) {
                    fences.append(Fence(current, isClosed: true))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if let mark = Mark(line, behindBullet: true) {
                open = (index + 1, mark, [])
            }
        }
        if let open { fences.append(Fence(open, isClosed: false)) }
        return fences
    }

    private init(_ open: (line: Int, mark: Mark, lines: [String]), isClosed: Bool) {
        self.init(line: open.line, info: open.mark.info, lines: open.lines, isClosed: isClosed)
    }
}

/// A line that opens or closes a fenced block.
private struct Mark {
    let character: Character
    let count: Int
    let info: String

    /// Reads a line, behind any indentation and quotation marks, and behind the bullet of a list
    /// where a block may open but not close.
    init?(_ line: String, behindBullet: Bool) {
        let text = line.drop { $0.isWhitespace || $0 == ">" }
        let body = behindBullet ? text.droppingBullet : text
        guard let first = body.first, first == "`" || first == "~" else { return nil }
        let ticks = body.prefix { $0 == first }
        let rest = String(body.dropFirst(ticks.count)).trimmed
        // A backtick in the info string makes it inline code, which is no fence.
        guard ticks.count >= 3, first == "~" || !rest.contains("`") else { return nil }
        (character, count, info) = (first, ticks.count, rest)
    }

    /// Whether this line ends the block that `open` began.
    func closes(_ open: Mark) -> Bool {
        character == open.character && count >= open.count && info.isEmpty
    }
}

extension Substring {
    /// The text behind a list bullet (`- `, `* `, `1. `), or all of it where there is none.
    fileprivate var droppingBullet: Substring {
        let bullet = prefix { $0.isNumber || "-*+.)".contains($0) }
        let rest = dropFirst(bullet.count)
        guard !bullet.isEmpty, rest.first?.isWhitespace == true else { return self }
        return rest.drop(while: \.isWhitespace)
    }
}
