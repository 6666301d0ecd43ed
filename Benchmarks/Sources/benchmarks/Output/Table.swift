/// The results as lines of text.
struct Table {
    private let widths = [34, 22, 11, 8, 10, 11, 9]

    /// The line that names the columns.
    var head: String {
        line(["case", "way", "ns/op", "spread", "allocs/op", "bytes/op", "Pledge/it"])
    }

    /// One line for each way of a case.
    func lines(for subject: Case, _ samples: [Sample]) -> [String] {
        samples.enumerated().map { index, sample in
            line([
                index == 0 ? subject.name : "",
                sample.way,
                text(sample.median),
                "±\(Int((sample.spread * 100).rounded())) %",
                sample.allocations.map { text($0.number) } ?? "–",
                sample.allocations.map { text($0.bytes) } ?? "–",
                index == 0 ? "" : ratio(samples[0].ratio(to: sample)),
            ])
        }
    }

    private func text(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return value < 100 && tenths != tenths.rounded() ? "\(tenths)" : "\(Int(value.rounded()))"
    }

    private func ratio(_ value: Double) -> String {
        value < 10 ? "\((value * 100).rounded() / 100)" : "\(Int(value.rounded()))"
    }

    /// Words to the left, numbers to the right of their columns.
    private func line(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { index, cell in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index < 2 ? cell.0 + padding : padding + cell.0
        }.joined(separator: " ")
    }
}
