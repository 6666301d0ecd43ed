import PledgeFutures
import TestSupport

@testable import PledgeStores

/// An effect of a script: plain data, with a number of its own for each job and timer.
indirect enum EffectPlan: Sendable {
    case job(Int)
    case merge([EffectPlan])
    case concatenate([EffectPlan])
    case identified(EffectPlan, id: Int, EffectPolicy)
    case delayed(EffectPlan, timer: Int)
    case throttled(EffectPlan, id: Int, latest: Bool, timer: Int)
    case cancel(id: Int)
}

extension EffectPlan {
    /// Whether it is, or has a part that is, an effect with an id.
    func has(_ id: Int) -> Bool {
        switch self {
        case .job, .cancel: false
        case .merge(let plans), .concatenate(let plans): plans.contains { $0.has(id) }
        case .identified(let plan, let own, _), .throttled(let plan, let own, _, _):
            own == id || plan.has(id)
        case .delayed(let plan, _): plan.has(id)
        }
    }

    /// The same without what has an id; nil if nothing is left.
    func without(_ id: Int) -> EffectPlan? {
        switch self {
        case .job, .cancel: return self
        case .merge(let plans):
            let rest = plans.compactMap { $0.without(id) }
            return rest.count > 1 ? .merge(rest) : rest.first
        case .concatenate(let plans):
            let rest = plans.compactMap { $0.without(id) }
            return rest.count > 1 ? .concatenate(rest) : rest.first
        case .identified(let plan, let own, let policy):
            return own == id
                ? nil : plan.without(id).map { .identified($0, id: own, policy) }
        case .throttled(let plan, let own, let latest, let timer):
            return own == id
                ? nil
                : plan.without(id).map { .throttled($0, id: own, latest: latest, timer: timer) }
        case .delayed(let plan, let timer):
            return plan.without(id).map { .delayed($0, timer: timer) }
        }
    }

    /// Its time is never used: the test fires timers as the script says.
    private static let scheduler = ManualScheduler()

    /// The effect of a plan; the delay of a timer is its number in seconds.
    func effect(_ start: @escaping @Sendable (Int) -> Future<Int>) -> Effect<Int> {
        switch self {
        case .job(let number): .future { start(number) }
        case .merge(let plans): .merge(plans.map { $0.effect(start) })
        case .concatenate(let plans): .concatenate(plans.map { $0.effect(start) })
        case .delayed(let plan, let timer):
            Effect(.delayed(plan.effect(start).tree, .seconds(timer), Self.scheduler))
        case .identified(let plan, let id, let policy): plan.effect(start).id(id, policy)
        case .throttled(let plan, let id, let latest, let timer):
            plan.effect(start).throttle(
                id: id, for: .seconds(timer), latest: latest, on: Self.scheduler)
        case .cancel(let id): .cancel(id: id)
        }
    }
}

/// Random events for the effects of one store.
struct EffectScript: Sendable {
    /// One step: its events happen together, before any of its commands is carried out.
    enum Step: Sendable {
        /// Effects begin.
        case begin([EffectPlan])
        /// One of the jobs under way ends, counted from the oldest, and its event begins effects.
        case end(Int, [EffectPlan])
        /// One of the timers fires.
        case fire(Int)
        /// The store is released, and everything is removed. Later steps are for a new store.
        case removeAll
    }

    var steps: [Step] = []
    private var generator: SeededGenerator
    private var number = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<random(2...14) { steps.append(step()) }
    }

    private mutating func random(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    private mutating func step() -> Step {
        switch random(0...29) {
        case 0...14: .begin(plans(1...2))
        case 15...22: .end(random(0...9), plans(0...1))
        case 23...28: .fire(random(0...9))
        default: .removeAll
        }
    }

    private mutating func plans(_ count: ClosedRange<Int>, depth: Int = 4) -> [EffectPlan] {
        (0..<random(count)).map { _ in plan(depth) }
    }

    private mutating func plan(_ depth: Int) -> EffectPlan {
        let id = random(0...2)
        switch depth == 0 ? random(0...3) : random(0...15) {
        case 0...2: return .job(next())
        case 3: return .cancel(id: id)
        case 4...6: return .merge(plans(2...3, depth: depth - 1))
        case 7...9: return .concatenate(plans(2...3, depth: depth - 1))
        case 10: return .identified(.delayed(plan(depth - 1), timer: next()), id: id, .newest)
        case 11...12:
            return .throttled(
                plan(depth - 1), id: id, latest: random(0...3) > 0, timer: next())
        default:
            let policies: [EffectPolicy] = [.newest, .oldest, .serial]
            return .identified(plan(depth - 1), id: id, policies[random(0...2)])
        }
    }

    private mutating func next() -> Int {
        number += 1
        return number
    }
}

/// The commands of the machine or the model, in order.
enum EffectTrace: Equatable, Sendable, CustomStringConvertible {
    case start(Int)
    case schedule(Int)
    case cancel(Int)

    var description: String {
        switch self {
        case .start(let number): "start \(number)"
        case .schedule(let number): "schedule \(number)"
        case .cancel(let number): "cancel \(number)"
        }
    }
}

/// The jobs and timers of a machine that follows a script, and the first law that the machine breaks.
///
/// The laws need no model. They are only about the jobs and timers that were started, ended and cancelled.
/// The commands are carried out one at a time, with later steps in between.
struct EffectHistory {
    /// A job or a timer that was started, and has neither ended nor been cancelled.
    private struct Running {
        let number: Int
        let run: Int
        let isTimer: Bool
    }

    private(set) var machine = EffectMachine()
    /// The first law that was broken.
    private(set) var brokenLaw: String?
    private var commands: ArraySlice<EffectCommand> = []
    private var generator: SeededGenerator
    private var running: [Running] = []
    private var started: Set<Int> = []
    private var over: Set<Int> = []
    /// For each job and timer: the effect that it belongs to, by each of its ids.
    private var owners: [Int: [Int: Int]] = [:]
    /// For each job and timer: the outermost effect with an id, if that begins in the same step.
    private var roots: [Int: (id: Int, effect: Int)] = [:]
    /// By id: the last of these effects of which a job or timer was started.
    private var lastRoots: [Int: Int] = [:]
    private var effects = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func play(_ step: EffectScript.Step) {
        switch step {
        case .begin(let plans): begin(plans)
        case .end(let index, let plans):
            finish(index, isTimer: false)
            begin(plans)
        case .fire(let index): finish(index, isTimer: true)
        case .removeAll: machine.removeAll()
        }
        commands += machine.takeCommands()
        for _ in 0..<Int.random(in: 0...3, using: &generator) { carryOutOne() }
    }

    /// Carries out all commands, and records the end of each job and timer.
    mutating func carryOutAll() {
        while !commands.isEmpty { carryOutOne() }
        let alive = Set(running.map(\.number))
        require(running.allSatisfy { machine.isAlive($0.run) }, "what is removed is cancelled")
        require(started == over.union(alive), "what is started ends, is cancelled, or is alive")
    }

    /// Ends all jobs and fires all timers, until none is left.
    mutating func drain() {
        carryOutAll()
        while let first = running.first, brokenLaw == nil {
            finish(0, isTimer: first.isTimer)
            commands += machine.takeCommands()
            carryOutAll()
        }
    }

    /// Checks that no effect is left after all jobs have ended, for a script whose effects can all begin.
    mutating func requireThatNothingIsLeft() {
        require(
            machine.runs.isEmpty && machine.slots.isEmpty && machine.underWay == 0,
            "when all jobs have ended, no effect is left")
    }

    private mutating func require(_ holds: Bool, _ law: String) {
        if !holds, brokenLaw == nil { brokenLaw = law }
    }

    private mutating func begin(_ plans: [EffectPlan]) {
        for plan in plans {
            note(plan)
            machine.start(plan.effect { Future(value: $0) })
        }
    }

    /// Ends a job or fires a timer.
    ///
    /// If it was removed before, its cancellation is still to come.
    private mutating func finish(_ index: Int, isTimer: Bool) {
        let all = running.filter { $0.isTimer == isTimer }
        guard !all.isEmpty else { return }
        let one = all[index % all.count]
        let isAlive = machine.isAlive(one.run)
        if isTimer {
            machine.fire(one.run)
        } else {
            require(machine.endJob(one.run) == isAlive, "only what is alive ends")
        }
        if isAlive { takeAway(one.number) }
    }

    private mutating func carryOutOne() {
        switch commands.popFirst() {
        case .begin(let run, let job):
            guard machine.isAlive(run) else { break }
            let future = job.begun
            note(Running(number: future.number, run: run, isTimer: false))
            require(machine.attach(.future(future), to: run), "what is alive can be attached to")
        case .schedule(let run, let delay, _):
            guard machine.isAlive(run) else { break }
            let number = Int(delay.components.seconds)
            note(Running(number: number, run: run, isTimer: true))
            let timer = NumberedTimer(number: number)
            require(machine.attach(.timer(timer), to: run), "what is alive can be attached to")
        case .cancel(.future(let future)): takeAway((future as! Future<Int>).number)
        case .cancel(.timer(let timer as NumberedTimer)): takeAway(timer.number)
        case .cancel, .free, .resolve, nil: break
        }
    }

    /// Notes that a job or timer has started.
    private mutating func note(_ new: Running) {
        let number = new.number
        require(started.insert(number).inserted, "nothing starts twice")
        let mine = owners[number] ?? [:]
        for other in running {
            let theirs = owners[other.number] ?? [:]
            require(
                mine.allSatisfy { theirs[$0.key] == nil || theirs[$0.key] == $0.value },
                "of the effects with an id, one runs at a time")
        }
        if let root = roots[number] {
            require(
                root.effect >= lastRoots[root.id] ?? 0, "effects with an id begin as they come")
            lastRoots[root.id] = root.effect
        }
        running.append(new)
    }

    private mutating func takeAway(_ number: Int) {
        require(running.contains { $0.number == number }, "nothing ends or is cancelled twice")
        running.removeAll { $0.number == number }
        over.insert(number)
    }

    /// Notes the effects to which the jobs and timers of a plan belong.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - owners: The effect that the plan is a part of, by each of its ids.
    ///   - root: The outermost of these, if its time is known.
    ///   - comesAtOnce: Whether the plan begins in the same step as the whole.
    private mutating func note(
        _ plan: EffectPlan, owners: [Int: Int] = [:], root: (id: Int, effect: Int)? = nil,
        comesAtOnce: Bool = true
    ) {
        switch plan {
        case .job(let number): (self.owners[number], roots[number]) = (owners, root)
        case .merge(let plans):
            for plan in plans {
                note(plan, owners: owners, root: root, comesAtOnce: comesAtOnce)
            }
        case .concatenate(let plans):
            for plan in plans { note(plan, owners: owners, root: root, comesAtOnce: false) }
        case .delayed(let plan, let timer):
            (self.owners[timer], roots[timer]) = (owners, root)
            note(plan, owners: owners, root: root, comesAtOnce: false)
        case .identified(let plan, let id, _):
            effects += 1
            let all = owners.merging([id: effects]) { outer, _ in outer }
            let root = root ?? (comesAtOnce ? (id, effects) : nil)
            note(plan, owners: all, root: root, comesAtOnce: false)
        case .throttled(let plan, let id, _, _):
            // It may begin after an effect that comes later in the plan.
            effects += 1
            let all = owners.merging([id: effects]) { outer, _ in outer }
            note(plan, owners: all, root: root, comesAtOnce: false)
        case .cancel: break
        }
    }
}

extension EffectScript {
    /// Whether each serial effect that is inside others with ids has the greatest id of all of them.
    var nestsSerialIDsInOrder: Bool {
        steps.allSatisfy { step in
            switch step {
            case .begin(let plans), .end(_, let plans):
                plans.allSatisfy { $0.nestsSerialIDsInOrder(inside: []) }
            case .fire, .removeAll: true
            }
        }
    }
}

extension EffectPlan {
    fileprivate func nestsSerialIDsInOrder(inside ids: Set<Int>) -> Bool {
        switch self {
        case .job, .cancel: true
        case .merge(let plans), .concatenate(let plans):
            plans.allSatisfy { $0.nestsSerialIDsInOrder(inside: ids) }
        case .delayed(let plan, _): plan.nestsSerialIDsInOrder(inside: ids)
        case .throttled(let plan, let id, _, _):
            plan.nestsSerialIDsInOrder(inside: ids.union([id]))
        case .identified(let plan, let id, let policy):
            // An effect with an id that it is already inside waits for nothing.
            (policy != .serial || ids.contains(id) || ids.allSatisfy { $0 < id })
                && plan.nestsSerialIDsInOrder(inside: ids.union([id]))
        }
    }
}
