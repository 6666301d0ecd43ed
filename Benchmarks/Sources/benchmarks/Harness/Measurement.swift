import CAllocations

/// The number and length of a case's rounds.
struct Measurement {
    /// The approximate length of one round of one way, which determines the number of operations.
    var roundLength: Duration
    /// The number of rounds.
    var rounds: Int
    /// The maximum number of measurements of a case; a case is measured again while its rounds differ too much.
    var attempts = 1

    /// The settings for published numbers.
    static let full = Measurement(roundLength: .milliseconds(50), rounds: 15, attempts: 6)
    /// Settings that only check that every case runs, and roughly compare the ways.
    static let quick = Measurement(roundLength: .milliseconds(4), rounds: 9)

    /// Measures a case, and measures it again while its rounds differ too much and attempts are left.
    ///
    /// - Returns: The samples of the attempt whose rounds differed least.
    func samples(of subject: Case) async -> [Sample] {
        var steadiest = await run(subject)
        for _ in 1..<max(attempts, 1) where steadiest.contains(where: \.isUnsteady) {
            let samples = await run(subject)
            if samples.worstSpread < steadiest.worstSpread { steadiest = samples }
        }
        return steadiest
    }

    /// Runs a case, alternating between its ways.
    ///
    /// The order is A B C A B C, so that a machine that becomes slower or faster in the middle does so for all ways.
    func run(_ subject: Case) async -> [Sample] {
        var samples = subject.ways.map { Sample(way: $0.name) }
        var counts: [Int] = []
        for way in subject.ways { counts.append(await count(for: way)) }
        for _ in 0..<rounds {
            for (index, way) in subject.ways.enumerated() {
                let cost = await way.run(counts[index])
                samples[index].rounds.append(cost.time / .nanoseconds(1) / Double(counts[index]))
            }
        }
        guard allocations_can_be_counted(), subject.counted > 0 else { return samples }
        for (index, way) in subject.ways.enumerated() {
            samples[index].allocations = await allocations(of: way, over: subject.counted)
        }
        return samples
    }

    /// Returns the number of operations that fill a round; finding it also warms up the code.
    ///
    /// A slow operation runs once more before it counts as slow. Its first run also loads code and opens connections,
    /// so a round sized by that time would have too few operations.
    func count(for way: Way) async -> Int {
        var count = 1
        while count < 1 << 28 {
            if await way.run(count).time * 4 >= roundLength {
                let time = await way.run(count).time
                if time * 4 >= roundLength {
                    return max(1, Int(Double(count) * (roundLength / time)))
                }
            }
            count *= 4
        }
        return count
    }

    /// Returns the allocations per operation, counted outside the measured rounds.
    ///
    /// The method runs `count` operations, then three times as many, and divides the difference of the allocations by
    /// the difference of the operations. That leaves out the allocations that a run makes only once. The result is the
    /// smallest of three attempts, because other threads of the process also allocate now and then.
    func allocations(of way: Way, over count: Int) async -> (number: Double, bytes: Double) {
        var least: (number: Double, bytes: Double)?
        count_allocations(true)
        defer { count_allocations(false) }
        for _ in 0..<3 {
            let few = await way.run(count)
            let many = await way.run(3 * count)
            let operations = Double(2 * count)
            let attempt = (
                number: (Double(many.allocations) - Double(few.allocations)) / operations,
                bytes: (Double(many.bytes) - Double(few.bytes)) / operations
            )
            if attempt.number < least?.number ?? .infinity { least = attempt }
        }
        return least ?? (0, 0)
    }
}
