import PledgeFutures
import TestSupport
import Testing

@testable import PledgeStores

/// The machine compared with a naive model, over random scripts.
@Suite(.oneAtATime) struct EffectMachineTests {
    @Test("T1: every random script goes as the naive model says", arguments: 0..<20)
    func everyScriptGoesAsTheModelSays(block: Int) {
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

    @Test func whatIsRemovedAtTheEndIsCancelledAndNothingComesOfIt() {
        var player = EffectPlayer()
        let plan = EffectPlan.concatenate([.job(1), .job(2)])
        player.play(.begin([plan, .identified(.delayed(.job(3), timer: 4), id: 0, .newest)]))
        player.machine.removeAll()
        player.carryOut()
        #expect(player.trace == [.start(1), .schedule(4), .cancel(1), .cancel(4)])
        #expect(player.machine.brokenInvariant == nil)
        #expect(player.machine.underWay == 0)
    }

    @Test func removingManyThatWaitTakesNoSearchOfAllForEach() {
        let count = 40_000
        var machine = EffectMachine<Int>()
        let job = Effect.future(Future(value: 1)).id("line", .serial)
        machine.start(Effect.merge((0..<count).map { _ in job }).id("group"))
        #expect(machine.underWay == count)
        machine.start(.cancel(id: "group"))
        #expect(machine.underWay == 0)
        #expect(machine.brokenInvariant == nil)
    }
}

/// Runs a script on a machine and on a model.
struct EffectPlayer {
    var machine = EffectMachine<Int>()
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
            _ = machine.end(running.removeValue(forKey: job.number) ?? 0)
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
            case .start(let run, let start):
                guard machine.isAlive(run) else { break }
                let future = start()
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
            case .cancel(.future(let future)): trace.append(.cancel(future.number))
            case .cancel(.timer(let timer as NumberedTimer)): trace.append(.cancel(timer.number))
            case .cancel, .free, .run, .resolve: break
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

extension Future<Int> {
    /// The number of the job that it stands for.
    var number: Int { (try? result?.get()) ?? 0 }
}
