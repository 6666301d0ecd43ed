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
            Effect(kind: .delayed(plan.effect(start), .seconds(timer), Self.scheduler))
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
