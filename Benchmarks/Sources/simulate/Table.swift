import Foundation

/// Figures in rows and columns.
struct Table: Sendable, Encodable {
    /// The table's subject.
    var title: String
    /// The head of each column.
    var columns: [String]
    /// The rows, with one cell per column.
    var rows: [[Cell]] = []

    /// Creates an empty table.
    init(_ title: String, columns: [String]) {
        self.title = title
        self.columns = columns
    }

    /// Adds a row, with one cell per column.
    mutating func add(_ cells: Cell...) { add(cells) }

    /// Adds a row, with one cell per column.
    mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells)
    }

    /// The table as lines of text, with words aligned left and numbers right.
    var text: String {
        let texts = [columns] + rows.map { $0.map(\.text) }
        let widths = columns.indices.map { column in texts.map { $0[column].count }.max() ?? 0 }
        let isNumber = columns.indices.map { column in
            rows.contains { $0[column].isNumber }
        }
        let lines = texts.map { cells in
            cells.indices.map { index in
                let gap = String(repeating: " ", count: widths[index] - cells[index].count)
                return isNumber[index] ? gap + cells[index] : cells[index] + gap
            }
            .joined(separator: "  ")
        }
        let trimmed = lines.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return "  \(line)\n"
        }
        return "\(title)\n\n" + trimmed.joined()
    }
}

/// A figure, or a word.
enum Cell: Sendable, Hashable {
    case text(String)
    case count(Int)
    /// A number, and the number of decimals to show.
    case number(Double, digits: Int)
    /// A share of 1, shown as a percentage.
    case share(Double, digits: Int = 1)
    /// Seconds, shown in milliseconds; nil for an empty cell.
    case milliseconds(Double?, digits: Int = 0)
}

extension Cell {
    /// The text of the cell.
    var text: String {
        switch self {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .number(let number, let digits): String(format: "%.\(digits)f", number)
        case .share(let share, let digits): String(format: "%.\(digits)f", share * 100) + " %"
        case .milliseconds(nil, _): "–"
        case .milliseconds(let seconds?, let digits):
            String(format: "%.\(digits)f", seconds * 1_000) + " ms"
        }
    }

    var isNumber: Bool { if case .text = self { false } else { true } }
}

extension Cell: Encodable {
    /// Encodes a text as it is, a number without rounding, and a time in seconds.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .count(let count): try container.encode(count)
        case .number(let number, _), .share(let number, _): try container.encode(number)
        case .milliseconds(let seconds, _): try container.encode(seconds)
        }
    }
}

extension Cell: ExpressibleByStringLiteral {
    /// Creates a word.
    init(stringLiteral value: String) { self = .text(value) }
}
