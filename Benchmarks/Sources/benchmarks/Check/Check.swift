import CAllocations

/// The result of the check of the limits.
struct Check {
    /// The number of limits that were kept.
    private(set) var held = 0
    /// Remarks that are not failures.
    private(set) var notes: [String] = []
    /// Each limit that was exceeded, as a text.
    private(set) var failures: [String] = []

    /// Compares the outcomes with the limits of their cases.
    static func of(_ outcomes: [Outcome]) async -> Check {
        var check = Check()
        await check.counting()
        for outcome in outcomes {
            let name = outcome.subject.name
            for limit in Limits.allocations where limit.subject.name == name {
                check.allocations(of: outcome, most: limit.most)
            }
            for limit in Limits.ratios where limit.subject.name == name {
                await check.ratio(of: outcome, limit)
            }
        }
        return check
    }

    /// Checks that an object counts as one allocation: a count that is always zero would pass every limit.
    private mutating func counting() async {
        guard allocations_can_be_counted() else {
            return notes.append("allocations cannot be counted on this platform")
        }
        let objects = Way("objects") { count in for _ in 0..<count { keep(object: Empty()) } }
        let found = await Measurement.quick.allocations(of: objects, over: 64).number
        if found != 1 { failures.append("an object counts as \(found) allocations, not as one") }
    }

    mutating func allocations(of outcome: Outcome, most: Double) {
        guard let found = outcome.samples[0].allocations?.number else { return }
        let text = "\(outcome.subject.name): \(Table.text(found)) allocations, at most"
        // A hundredth of an allocation comes from another thread.
        if found > most + 0.05 {
            failures.append("\(text) \(Table.text(most))")
        } else {
            held += 1
            if found < most - 0.95 { notes.append("\(text) \(Table.text(most)): lower the limit") }
        }
    }

    private mutating func ratio(of outcome: Outcome, _ limit: Limits.Ratio) async {
        guard var found = outcome.ratio(to: limit.other) else {
            preconditionFailure("\(outcome.subject.name) has no way '\(limit.other)'")
        }
        // Up to three longer measurements decide: a machine that is busy with something else is not busy for
        // ever, and code that has become slower stays slower.
        for _ in 0..<3 where found > limit.most * limit.slack {
            let samples = await Measurement.full.run(outcome.subject)
            let again = Outcome(subject: outcome.subject, samples: samples)
            found = again.ratio(to: limit.other) ?? found
        }
        let text =
            "\(outcome.subject.name): \(Table.ratio(found)) of \(limit.other), "
            + "at most \(Table.ratio(limit.most))"
        if found > limit.most * limit.slack {
            failures.append(text)
        } else {
            held += 1
            if found > limit.most { notes.append("\(text): within the slack") }
        }
    }
}

private final class Empty {}
