import CAllocations

/// The result of the check.
///
/// Too many allocations fail the check. Times are only compared with their aims.
struct Check {
    /// The number of limits on allocations that hold.
    private(set) var held = 0
    /// Remarks that aren't failures, such as a missed aim or a limit that can be lowered.
    private(set) var notes: [String] = []
    /// The exceeded limits, one text for each.
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
            for aim in Limits.aims where aim.subject.name == name {
                check.ratio(of: outcome, aim)
            }
        }
        return check
    }

    /// Checks that an object counts as one allocation, because a count that is always zero would pass every limit.
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
        // A small fraction of an allocation per operation, such as a hundredth, comes from another thread, and doesn't
        // count.
        if found > most + 0.05 {
            failures.append("\(text) \(Table.text(most))")
        } else {
            held += 1
            if found < most - 0.95 { notes.append("\(text) \(Table.text(most)): lower the limit") }
        }
    }

    mutating func ratio(of outcome: Outcome, _ aim: Limits.Ratio) {
        guard let found = outcome.ratio(to: aim.other) else {
            preconditionFailure("\(outcome.subject.name) has no way '\(aim.other)'")
        }
        guard found > aim.most else { return }
        notes.append(
            "\(outcome.subject.name): \(Table.ratio(found)) of \(aim.other), aimed at "
                + Table.ratio(aim.most))
    }
}

private final class Empty {}
