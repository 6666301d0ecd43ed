/// A case, and the costs of its ways.
struct Outcome: Sendable {
    let subject: Case
    /// The samples, in the order of the case's ways, starting with Pledge's.
    let samples: [Sample]

    /// Pledge's time divided by another way's time; nil if there is no such way.
    func ratio(to way: String) -> Double? {
        samples.first { $0.way == way }.map { samples[0].ratio(to: $0) }
    }
}
