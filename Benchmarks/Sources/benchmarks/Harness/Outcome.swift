/// A case, and the costs of its ways.
struct Outcome: Sendable {
    let subject: Case
    /// In the order of the case's ways: Pledge's comes first.
    let samples: [Sample]

    /// Pledge's time divided by that of another way; nil if there is no such way.
    func ratio(to way: String) -> Double? {
        samples.first { $0.way == way }.map { samples[0].ratio(to: $0) }
    }
}
