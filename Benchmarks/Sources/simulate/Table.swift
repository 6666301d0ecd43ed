import Foundation

/// Figures in rows and columns.
struct Table: Sendable, Encodable {
    /// What the table shows.
    var title: String
    /// What is in each column.
    var columns: [String]
    /// The rows, each with a cell for each column.
    var rows: [[Cell]] = []

    /// Makes an empty table.
    init(_ title: String, columns: [String]) {
        self.title = title
        self.columns = columns
    }

    /// Adds a row, with a cell for each column.
    mutating func add(_ cells: Cell...) { add(cells) }

    /// Adds a row, with a cell for each column.
    mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells)
    }

    /// The table as lines of text: words to the left, numbers to the right.
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
    /// A number, and how many digits after its decimal point are shown.
    case number(Double, digits: Int)
    /// A part of 1, shown in per cent.
    case share(Double, digits: Int = 1)
    /// Seconds, shown in milliseconds; nil if there is none.
    case milliseconds(Double?, digits: Int = 0)
}

extension Cell {
    /// How it is shown.
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
    /// A text as it is; a number without rounding, times in seconds.
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
    /// A word.
    init(stringLiteral value: String) { self = .text(value) }
}
