import Foundation

/// The results as rows of text, one for each way of a case.
struct Table {
    /// The headings of the columns.
    static let columns = [
        "case", "way", "ns/op", "spread", "allocs/op", "bytes/op", "Pledge/it",
    ]

    /// The mark for a spread of over 10 %.
    static let unsteady = "!"

    /// The cells of one case.
    static func rows(for outcome: Outcome) -> [[String]] {
        outcome.samples.enumerated().map { index, sample in
            [
                index == 0 ? outcome.subject.name : "",
                sample.way,
                text(sample.median),
                "±\(Int((sample.spread * 100).rounded())) %\(sample.isUnsteady ? " \(unsteady)" : "")",
                sample.allocations.map { text($0.number) } ?? "–",
                sample.allocations.map { text($0.bytes) } ?? "–",
                index == 0 ? "" : ratio(outcome.samples[0].ratio(to: sample)),
            ]
        }
    }

    /// Returns a row for a terminal, with words to the left and numbers to the right.
    static func line(_ cells: [String]) -> String {
        let widths = [34, 22, 11, 7, 10, 10, 9]
        return zip(cells, widths).enumerated().map { index, cell in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index < 2 ? cell.0 + padding : padding + cell.0
        }.joined(separator: " ")
    }

    /// Returns a number with about three digits and separated thousands.
    static func text(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        if value < 100, tenths != tenths.rounded() { return "\(tenths)" }
        var digits = "\(abs(Int(value.rounded())))"
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        return (value <= -0.5 ? "-" : "") + ([digits[...]] + groups).joined(separator: ",")
    }

    /// Returns a quotient with about two digits.
    static func ratio(_ value: Double) -> String {
        switch value {
        case 10...: text(value)
        case 0.1...: String(format: "%.2f", value)
        default: String(format: "%.2g", value)
        }
    }
}
