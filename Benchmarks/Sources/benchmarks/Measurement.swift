/// How often and how long a case is run.
struct Measurement {
    /// Operations are counted out so that one round of one way lasts about this long.
    var roundLength: Duration
    /// How many rounds there are.
    var rounds: Int

    /// What a published number is made with.
    static let full = Measurement(roundLength: .milliseconds(50), rounds: 15)
    /// Enough to see that every case runs; its numbers mean little.
    static let quick = Measurement(roundLength: .milliseconds(2), rounds: 3)

    /// Runs a case, its ways taking turns.
    ///
    /// A B C A B C: a machine that slows down or speeds up in the middle does so for all of them.
    func run(_ subject: Case) async -> [Sample] {
        var counts: [Int] = []
        for way in subject.ways { counts.append(await count(for: way)) }
        var samples = subject.ways.map { Sample(way: $0.name) }
        for _ in 0..<rounds {
            for (index, way) in subject.ways.enumerated() {
                let time = await ContinuousClock().measure { await way.run(counts[index]) }
                samples[index].rounds.append(time / .nanoseconds(1) / Double(counts[index]))
            }
        }
        return samples
    }

    /// How many operations fill a round; finding out warms the code up as well.
    private func count(for way: Case.Way) async -> Int {
        var count = 16
        while count < 1 << 28 {
            let time = await ContinuousClock().measure { await way.run(count) }
            if time * 4 >= roundLength {
                return max(1, Int(Double(count) * (roundLength / time)))
            }
            count *= 4
        }
        return count
    }
}
