import PledgeFutures
import TestSupport
import Testing

@testable import PledgeStores

/// The machine compared with a naive model, over random scripts.
@Suite(.oneAtATime) struct EffectMachineTests {
    @Test(arguments: 0..<20)
    func effectsDoInEveryRandomScriptWhatTheNaiveModelSays(block: Int) {
        let count = scriptCount() / 20
        for seed in block * count..<(block + 1) * count {
            let script = EffectScript(seed: UInt64(seed))
            var player = EffectPlayer()
            for (number, step) in script.steps.enumerated() {
                player.play(step)
                let difference = player.difference ?? player.machine.brokenInvariant
                #expect(difference == nil, "seed \(seed), step \(number): \(script.steps)")
                guard difference == nil else { return }
            }
        }
    }

    @Test func effectsThatAStoreRemovesAtItsEndAreCancelledAndNoOtherBegins() {
        var player = EffectPlayer()
        let plan = EffectPlan.concatenate([.job(1), .job(2)])
        player.play(.begin([plan, .identified(.delayed(.job(3), timer: 4), id: 0, .newest)]))
        player.machine.removeAll()
        player.carryOut()
        #expect(player.trace == [.start(1), .schedule(4), .cancel(1), .cancel(4)])
        #expect(player.machine.brokenInvariant == nil)
        #expect(player.machine.underWay == 0)
    }

    @Test func cancellingManyWaitingEffectsDoesNotSearchThemAllForEach() {
        let count = 40_000
        var machine = EffectMachine()
        let job = Effect.future(Future(value: 1)).id("line", .serial)
        machine.start(Effect.merge((0..<count).map { _ in job }).id("group"))
        #expect(machine.underWay == count)
        machine.start(.cancel(id: "group"))
        #expect(machine.underWay == 0)
        #expect(machine.brokenInvariant == nil)
    }
}

/// The cost of cancelling an id, as the number of ids that are hashed or compared.
@Suite struct EffectCancelCostTests {
    /// An id that counts its hashing and its comparisons.
    struct CountedID: Hashable, Sendable {
        let number: Int
        let uses: TestLog<Int>

        static func == (left: Self, right: Self) -> Bool {
            left.uses.append(left.number)
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            uses.append(number)
            hasher.combine(number)
        }
    }

    let uses = TestLog<Int>()
    let job = Effect.future(Future(value: 1))

    func id(_ number: Int) -> CountedID { CountedID(number: number, uses: uses) }

    /// Counts the uses of ids while a machine that holds effects begins another effect.
    func usesToBegin(_ effect: Effect<Int>, beside effects: [Effect<Int>]) -> Int {
        var machine = EffectMachine()
        for effect in effects { machine.start(effect) }
        let before = uses.elements.count
        machine.start(effect)
        return uses.elements.count - before
    }

    @Test(arguments: [5, -1])
    func cancellingAnEffectCostsTheSameBesideAnyNumberOfSequences(cancelled: Int) {
        let sequences = (0..<1_000).map { Effect.concatenate(job, job.id(id($0))) }
        #expect(usesToBegin(.cancel(id: id(cancelled)), beside: sequences) < 40)
        #expect(usesToBegin(job.id(id(cancelled)), beside: sequences) < 60)
    }

    @Test func cancellingAnEffectCostsTheSameInASequenceOfAnyLength() {
        let sequence = Effect.concatenate([job] + (0..<1_000).map { job.id(id($0)) })
        let cancel = Effect<Int>.merge((0..<1_000).map { .cancel(id: id($0)) })
        #expect(usesToBegin(cancel, beside: [sequence]) < 1_000 * 40)
    }

    @Test func oneEventMayCancelTwentyThousandEffects() {
        let effects = (0..<20_000).map { job.id($0) }
        var machine = EffectMachine()
        machine.start(.merge(effects))
        machine.start(.merge((0..<20_000).map { .cancel(id: $0) }))
        #expect(machine.underWay == 0)
        #expect(machine.brokenInvariant == nil)
    }
}

/// Runs a script on a machine and on a model.
struct EffectPlayer {
    var machine = EffectMachine()
    let model = NaiveEffects()
    private(set) var trace: [EffectTrace] = []
    /// The jobs and timers that were started and have not ended, each with its run.
    private var running: [Int: Int] = [:]

    /// The first difference between the two.
    var difference: String? {
        if trace != model.trace { return "\(trace) instead of \(model.trace)" }
        if machine.underWay != model.underWay {
            return "\(machine.underWay) under way instead of \(model.underWay)"
        }
        let ids = (0...2).filter { !model.with($0).isEmpty }
        return Set(machine.slots.keys) == Set(ids.map { EffectID($0) })
            ? nil : "ids in use are not \(ids)"
    }

    mutating func play(_ step: EffectScript.Step) {
        switch step {
        case .begin(let plans): begin(plans)
        case .end(let index, let plans):
            let jobs = model.all.filter { $0.state == .job }
            guard !jobs.isEmpty else { break }
            let job = jobs[index % jobs.count]
            model.end(job)
            _ = machine.endJob(running.removeValue(forKey: job.number) ?? 0)
            begin(plans)
        case .removeAll:
            model.removeAll()
            machine.removeAll()
        case .fire(let index):
            let timers = model.all.filter { $0.state == .delay || $0.state == .interval }
            guard !timers.isEmpty else { break }
            let timer = timers[index % timers.count]
            model.fire(timer)
            machine.fire(running.removeValue(forKey: timer.number) ?? 0)
        }
        model.carryOut()
        carryOut()
    }

    private mutating func begin(_ plans: [EffectPlan]) {
        for plan in plans {
            model.begin(plan)
            machine.start(plan.effect { Future(value: $0) })
        }
    }

    /// Carries out the machine's commands, as a store does.
    mutating func carryOut() {
        for command in machine.takeCommands() {
            switch command {
            case .begin(let run, let job):
                guard machine.isAlive(run) else { break }
                let future = job.begun
                let number = future.number
                trace.append(.start(number))
                running[number] = run
                _ = machine.attach(.future(future), to: run)
            case .schedule(let run, let delay, _):
                guard machine.isAlive(run) else { break }
                let number = Int(delay.components.seconds)
                trace.append(.schedule(number))
                running[number] = run
                _ = machine.attach(.timer(NumberedTimer(number: number)), to: run)
            case .cancel(.future(let future)):
                trace.append(.cancel((future as! Future<Int>).number))
            case .cancel(.timer(let timer as NumberedTimer)): trace.append(.cancel(timer.number))
            case .cancel, .free, .resolve: break
            }
        }
    }
}

/// A timer that is identified by its number.
final class NumberedTimer: ScheduledAction {
    let number: Int

    init(number: Int) { self.number = number }

    func cancel() {}
}

extension EffectMachine {
    mutating func start(_ effect: Effect<Int>) { start(effect.tree) }
}

extension EffectJob {
    /// The future that it begins.
    var begun: Future<Int> {
        guard case .start(let start) = EventJob<Int>.of(self).start else {
            return Future(error: CancellationError())
        }
        return start()
    }
}

extension Future<Int> {
    /// The number of the job that it stands for.
    var number: Int { (try? result?.get()) ?? 0 }
}

extension EffectMachineTests {
    @Test(arguments: 0..<20) func everyRandomScriptOfEffectsKeepsTheLaws(block: Int) {
        // Each script runs to its end, and takes several times as long as in the comparison with the model.
        let count = scriptCount() / 100
        var nested = 0
        for number in block * count..<(block + 1) * count {
            let seed = UInt64(number) + 1_000_000
            let script = EffectScript(seed: seed)
            var history = EffectHistory(seed: seed)
            for step in script.steps { history.play(step) }
            history.drain()
            if script.nestsSerialIDsInOrder {
                nested += 1
                history.requireThatNothingIsLeft()
            }
            let broken = history.brokenLaw ?? history.machine.brokenInvariant
            #expect(broken == nil, "seed \(seed): \(script.steps)")
            guard broken == nil else { return }
        }
        #expect(nested >= count / 10)
    }
}

extension EffectMachine {
    /// The first invariant that does not hold, of those in the machine's introduction.
    var brokenInvariant: String? {
        if !consequences.isEmpty { return "7: consequences are left" }
        if underWay != runs.values.count(where: { $0.isUnderWay }) { return "6: underWay is wrong" }
        if unbegun != unbegunAnew { return "8: the index of what has not begun is wrong" }
        for (number, run) in runs {
            if let broken = broken(number, run) { return "\(broken), run \(number)" }
        }
        for (id, slot) in slots {
            if let broken = broken(id, slot) { return "\(broken), slot \(id)" }
        }
        return nil
    }

    /// The index of effects that have not begun, made from the runs alone.
    private var unbegunAnew: UnbegunEffects {
        var index = UnbegunEffects()
        for (number, run) in runs {
            for (part, effect) in run.unbegun {
                index.insert(effect, at: .init(run: number, part: part))
            }
        }
        return index
    }

    private func broken(_ number: Int, _ run: EffectRun) -> String? {
        if let parent = run.parent,
            runs[parent]?.children.contains(number) != true || parent >= number
        {
            return "1: its parent does not know it"
        }
        if run.children.contains(where: { runs[$0]?.parent != number }) {
            return "1: a child is gone"
        }
        switch run.phase {
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
        if !slot.waiting.elementsEqual(slot.waiting.sorted()) {
            return "4: those that wait are not in order"
        }
        if slot.latest != nil, slot.interval == nil { return "4: the latest waits for nothing" }
        for run in slot.runs {
            switch runs[run]?.phase {
            case .parts where run == slot.running: break
            case .turn where run != slot.running: break
            case .interval(id, _) where run == slot.interval: break
            default: return "3: run \(run) has no business there"
            }
        }
        return nil
    }
}
