/// A named part of a compiled source file, between `// snippet: NAME` and `// end snippet`.
struct Slice {
    /// The name behind `// snippet:`.
    let name: String
    /// The line of the `// snippet:` comment, counted from 1.
    let line: Int
    /// The lines between the two comments.
    let lines: [String]
}

extension Slice {
    /// Every slice of a source file, and what is wrong with its marks.
    static func all(in file: String, at path: String) -> (slices: [Slice], problems: [Problem]) {
        var slices: [Slice] = []
        var problems: [Problem] = []
        var open: Slice?
        for (index, line) in file.lines.enumerated() {
            let number = index + 1
            switch mark(in: line) {
            case .begin(let name):
                if let open {
                    problems.append(
                        Problem(path, number, "slice '\(name)' begins inside '\(open.name)'")
                    )
                } else if let first = slices.first(where: { $0.name == name }) {
                    problems.append(
                        Problem(path, number, "slice '\(name)' is already at line \(first.line)")
                    )
                }
                open = Slice(name: name, line: number, lines: [])
            case .end:
                if let ended = open { slices.append(ended) }
                if open == nil {
                    problems.append(Problem(path, number, "'end snippet' without a 'snippet:'"))
                }
                open = nil
            case nil:
                open = open.map {
                    Slice(name: $0.name, line: $0.line, lines: $0.lines + [line])
                }
            }
        }
        if let open {
            problems.append(Problem(path, open.line, "slice '\(open.name)' has no 'end snippet'"))
        }
        return (slices, problems)
    }

    private enum Mark {
        case begin(String)
        case end
    }

    private static func mark(in line: String) -> Mark? {
        guard line.contains("//") else { return nil }
        let text = line.trimmed
        guard text.hasPrefix("//") else { return nil }
        let comment = String(text.dropFirst(2)).trimmed
        if comment == "end snippet" { return .end }
        guard comment.hasPrefix("snippet:") else { return nil }
        return .begin(String(comment.dropFirst("snippet:".count)).trimmed)
    }
}
