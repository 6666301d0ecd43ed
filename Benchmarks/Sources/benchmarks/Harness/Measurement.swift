import CAllocations

/// How often and how long a case is run.
struct Measurement {
    /// Operations are counted out so that one round of one way lasts about this long.
    var roundLength: Duration
    /// How many rounds there are.
    var rounds: Int
    /// Whether what takes long is left out.
    var isQuick = false
    /// How often a case is measured at most: again while a way's rounds differ too much.
    var attempts = 1

    /// What a published number is made with.
    static let full = Measurement(roundLength: .milliseconds(50), rounds: 15, attempts: 6)
    /// Enough to see that every case runs, and roughly how the ways compare.
    static let quick = Measurement(roundLength: .milliseconds(4), rounds: 9, isQuick: true)

    /// Measures a case, again while it is unsteady and there are attempts left.
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

    /// Runs a case, its ways taking turns.
    ///
    /// A B C A B C: a machine that slows down or speeds up in the middle does so for all of them.
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

    /// How many operations fill a round; finding out warms the code up as well.
    ///
    /// What takes long is done once more before it counts as long: the first time, code is loaded and
    /// connections are made, and a round of what seemed to fill it then would be a few operations.
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

    /// What an operation allocates, found out apart from the rounds, which are not counted.
    ///
    /// What three times as many operations allocate beyond the number itself, so that what is made
    /// once for all of them is left out; the least of three attempts, since other threads of the
    /// process allocate now and then.
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
