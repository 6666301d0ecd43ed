/// A link of a Markdown document to a file or a heading.
struct Link: Hashable {
    /// What stands between its round brackets.
    let target: String
    /// The line, counted from 1.
    let line: Int

    /// The links of a document that lead to no other site.
    static func all(in text: String) -> [Link] {
        prose(of: text).filter { $0.1.contains("](") }.flatMap { line, text in
            text.matches(of: /\]\(([^()\s]+)\)/).map { String($0.output.1) }
                .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
                .map { Link(target: $0, line: line) }
        }
    }

    /// The lines, counted from 1, with pictures that have no alternative text.
    static func linesOfPicturesWithoutText(in text: String) -> [Int] {
        prose(of: text).filter { $0.1.contains("![") && $0.1.contains(/!\[\s*\]\(/) }.map(\.0)
    }

    /// The names by which links lead to the headings of a document, as GitHub makes them.
    static func anchors(in text: String) -> [String] {
        var counts: [String: Int] = [:]
        return headings(in: text).map { heading in
            let name = anchor(of: heading)
            defer { counts[name, default: 0] += 1 }
            return counts[name].map { "\(name)-\($0)" } ?? name
        }
    }

    /// The words of the headings of a document, in order.
    static func headings(in text: String) -> [String] {
        prose(of: text, keepingCode: true).filter { $0.1.hasPrefix("#") }.compactMap { _, text in
            text.wholeMatch(of: /#{1,6}\s+(.*)/).map { String($0.output.1).trimmed }
        }
    }

    /// The path from the root that a relative path means on a page.
    static func path(_ relative: String, from page: String) -> String {
        var parts = page.split(separator: "/").dropLast().map(String.init)
        for part in relative.split(separator: "/") {
            switch part {
            case ".": break
            case "..": if parts.isEmpty { return "../\(relative)" } else { parts.removeLast() }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    private static func anchor(of heading: String) -> String {
        let shown = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
        return String(
            shown.lowercased().compactMap { character -> Character? in
                if character.isWhitespace { return "-" }
                let isKept = character.isLetter || character.isNumber || "-_".contains(character)
                return isKept ? character : nil
            })
    }

    /// The lines outside of fences, without code in them.
    private static func prose(of text: String, keepingCode: Bool = false) -> [(Int, String)] {
        let fences = Fence.all(in: text).map { $0.line...($0.line + $0.lines.count + 1) }
        return text.lines.enumerated().compactMap { index, line in
            guard !fences.contains(where: { $0.contains(index + 1) }) else { return nil }
            return (index + 1, keepingCode ? line : line.withoutCode)
        }
    }
}

extension String {
    /// The line with each piece of code replaced by a backtick.
    fileprivate var withoutCode: String {
        contains("`") ? replacing(/`[^`]*`/, with: "`") : self
    }
}
