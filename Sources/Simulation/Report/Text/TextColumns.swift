/// Lines of cells as text: the first cell of each line begins at the left, the others end below one another.
struct TextColumns {
    private var rows: [[String]] = []

    /// Adds a line.
    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The lines, without spaces at their ends.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let spaces = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + spaces : spaces + cell
            }
            var line = cells.joined(separator: "  ")[...]
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }
}
