/// A table of a Markdown page, cell by cell.
struct MarkdownTable {
    /// The names of the columns.
    let columns: [String]
    /// The cells below them, row by row.
    let rows: [[String]]

    /// The cells of one column, from the top.
    subscript(column: String) -> [String] {
        guard let index = columns.firstIndex(of: column) else { return [] }
        return rows.map { $0.indices.contains(index) ? $0[index] : "" }
    }
}

extension MarkdownTable {
    /// The tables of a page, in order; those within fences are none.
    static func all(in page: String) -> [MarkdownTable] {
        var tables: [MarkdownTable] = []
        var lines: [String] = []
        var isInFence = false
        for line in page.lines + [""] {
            if line.hasPrefix("```") { isInFence.toggle() }
            if !isInFence, line.hasPrefix("|") {
                lines.append(line)
                continue
            }
            let rows = lines.map(cells)
            if rows.count > 2 {
                tables.append(MarkdownTable(columns: rows[0], rows: Array(rows[2...])))
            }
            lines = []
        }
        return tables
    }

    private static func cells(of line: String) -> [String] {
        line.trimmed.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            .map { String($0).trimmed }
    }

    /// The pieces of code in a cell, without their backticks.
    static func code(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
