import Foundation

/// The results in a form for other programs.
struct Report: Codable {
    let machine: Machine
    let cases: [Entry]

    struct Entry: Codable {
        let name: String
        let ways: [Line]
    }

    struct Line: Codable {
        let name: String
        /// The median of the rounds, per operation.
        let nanoseconds: Double
        /// Half the distance between the quartiles, relative to the median.
        let spread: Double
        /// The allocations per operation; absent if they weren't counted.
        let allocations: Double?
        let bytes: Double?
        /// Pledge's time divided by this way's time.
        let ratio: Double
        let rounds: [Double]
    }

    init(_ outcomes: [Outcome], on machine: Machine) {
        self.machine = machine
        cases = outcomes.map { outcome in
            Entry(
                name: outcome.subject.name,
                ways: outcome.samples.map { sample in
                    Line(
                        name: sample.way, nanoseconds: sample.median, spread: sample.spread,
                        allocations: sample.allocations?.number, bytes: sample.allocations?.bytes,
                        ratio: outcome.samples[0].ratio(to: sample), rounds: sample.rounds
                    )
                }
            )
        }
    }

    /// The report as JSON, with sorted keys, so that you can compare two reports line by line.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
