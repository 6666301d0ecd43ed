import Foundation

/// A document that holds the results between two marks.
struct Markdown {
    private static let begin = "<!-- benchmarks: begin -->"
    private static let end = "<!-- benchmarks: end -->"

    private let path: String
    private let before: Substring
    private let after: Substring

    /// Reads a document.
    ///
    /// - Throws: ``Complaint`` if it can't be read or lacks the marks.
    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Complaint("cannot read \(path)")
        }
        guard let begin = text.range(of: Self.begin),
            let end = text.range(of: Self.end, range: begin.upperBound..<text.endIndex)
        else {
            throw Complaint("\(path) lacks the lines \(Self.begin) and \(Self.end)")
        }
        self.path = path
        before = text[..<begin.upperBound]
        after = text[end.lowerBound...]
    }

    /// Returns the lines to put between the marks.
    static func lines(for outcomes: [Outcome], on machine: Machine) -> [String] {
        let dashes = ["---", "---", "---:", "---:", "---:", "---:", "---:"]
        return [
            "On \(machine.description). The command:", "", "```sh", machine.command, "```", "",
            row(Table.columns), row(dashes),
        ] + outcomes.flatMap(Table.rows).map(row)
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    /// Returns the document with other lines between its marks.
    func text(with lines: [String]) -> String {
        before + "\n" + lines.joined(separator: "\n") + "\n" + after
    }
}
