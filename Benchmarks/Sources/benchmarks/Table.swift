/// The results as lines of text.
struct Table {
    private let widths = [34, 22, 12, 10]

    /// The line that names the columns.
    var head: String { line(["case", "way", "ns/op", "spread"]) }

    /// One line for each way of a case.
    func lines(for subject: Case, _ samples: [Sample]) -> [String] {
        samples.enumerated().map { index, sample in
            line([
                index == 0 ? subject.name : "",
                sample.way,
                text(sample.median),
                "±\(Int((sample.spread * 100).rounded())) %",
            ])
        }
    }

    private func text(_ value: Double) -> String {
        value < 100 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    }

    /// Words to the left, numbers to the right of their columns.
    private func line(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { index, cell in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index < 2 ? cell.0 + padding : padding + cell.0
        }.joined()
    }
}
