@testable import PledgeStores

extension EffectMachine {
    /// The first invariant that does not hold, of those in the machine's introduction.
    var brokenInvariant: String? {
        if !consequences.isEmpty { return "7: consequences are left" }
        if underWay != runs.values.count(where: { $0.isUnderWay }) { return "6: underWay is wrong" }
        for (number, run) in runs {
            if let broken = broken(number, run) { return "\(broken), run \(number)" }
        }
        for (id, slot) in slots {
            if let broken = broken(id, slot) { return "\(broken), slot \(id)" }
        }
        return nil
    }

    private func broken(_ number: Int, _ run: Run) -> String? {
        if let parent = run.parent,
            runs[parent]?.children.contains(number) != true || parent >= number
        {
            return "1: its parent does not know it"
        }
        if run.children.contains(where: { runs[$0]?.parent != number }) {
            return "1: a child is gone"
        }
        switch run.work {
        case .parts(let left, let order):
            if run.children.isEmpty { return "2: it has not ended" }
            if order == .together, !left.isEmpty { return "2: it has not begun its parts" }
        case .job, .delay, .turn, .interval:
            if !run.children.isEmpty { return "2: it has children" }
        }
        guard let id = run.id else { return nil }
        let places = (slots[id]?.runs ?? []).count { $0 == number }
        if places != 1 { return "3: it stands in its slot \(places) times" }
        var next = run.parent
        while let ancestor = next {
            if runs[ancestor]?.id == id { return "5: it is inside its id" }
            next = runs[ancestor]?.parent
        }
        return nil
    }

    private func broken(_ id: EffectID, _ slot: EffectSlot) -> String? {
        if slot.runs.isEmpty { return "4: it is empty" }
        if !slot.waiting.isEmpty, slot.running == nil { return "4: some wait for nobody" }
        if slot.waiting != slot.waiting.sorted() { return "4: those that wait are not in order" }
        if slot.latest != nil, slot.interval == nil { return "4: the latest waits for nothing" }
        for run in slot.runs {
            switch runs[run]?.work {
            case .parts where run == slot.running: break
            case .turn where run != slot.running: break
            case .interval(id, _) where run == slot.interval: break
            default: return "3: run \(run) has no business there"
            }
        }
        return nil
    }
}
