import PledgeAdmission
import PledgeFutures
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import TestSupport

/// One policy with random parameters, and its guarantees.
struct RandomLayer: Sendable {
    /// The policy's name in a report.
    let name: String
    /// The maximum number of calls beneath it for one call.
    var factor = 1
    /// The maximum number of calls in flight beneath it; nil for no limit.
    var places: Int?
    /// The maximum time of a call through it; nil if it has none.
    var limit: Duration?
    /// How it uses the stack's budget.
    var budget = Budget.none
    /// Whether it cuts calls that may still succeed, or changes their ends.
    var cutsCalls = false
    /// Whether it is a breaker that is not closed.
    var isOpen: @Sendable () -> Bool = { false }
    /// Whether no call waits in it, and it keeps none.
    var isVacant: @Sendable () -> Bool = { true }
    let middleware: Middleware<Ask, Int>

    /// A policy deposits once for each call, or only withdraws; each further call beneath it is a withdrawal.
    enum Budget { case none, depositing, withdrawing }

    /// The state that the layers of one stack share.
    struct Site {
        let scheduler: ManualScheduler
        let budget: RetryBudget
        var dice: SeededGenerator
    }

    /// The policies, in the order in which the guide puts them around a service.
    enum Kind: String, CaseIterable {
        case priority, deadline, memoize, coalesce, fallback, bulkhead, shed, retry, hedge, throttle
        case adaptiveConcurrency, keyed, circuitBreaker, pushback, rateLimit, timeout, chaos
    }

    /// Makes a layer of a policy with random parameters.
    static func make(_ kind: Kind, at site: inout Site) -> RandomLayer {
        switch kind {
        case .priority: priority(at: &site)
        case .deadline: deadline(at: &site)
        case .memoize: memoize(at: &site)
        case .coalesce: coalesce()
        case .fallback: fallback(at: &site)
        case .bulkhead: bulkhead(at: &site)
        case .shed: shed(at: &site)
        case .retry: retry(at: &site)
        case .hedge: hedge(at: &site)
        case .throttle: throttle(at: &site)
        case .adaptiveConcurrency: adaptiveConcurrency(at: &site)
        case .keyed: keyed(at: &site)
        case .circuitBreaker: circuitBreaker(at: &site)
        case .pushback: pushback(at: &site)
        case .rateLimit: rateLimit(at: &site)
        case .timeout: timeout(at: &site)
        case .chaos: chaos(at: &site)
        }
    }

    /// Makes a random layer.
    static func draw(at site: inout Site) -> RandomLayer {
        make(Kind.allCases[site.number(0...(Kind.allCases.count - 1))], at: &site)
    }

    /// Callers with equal keys may share calls and answers.
    static func key(_ ask: Ask) -> Int { ask.number % 3 }
}

extension RandomLayer {
    private static func deadline(at site: inout Site) -> RandomLayer {
        let limit = site.milliseconds(0...400)
        return RandomLayer(
            name: "deadline(\(limit))", limit: limit, cutsCalls: true,
            middleware: .deadline(limit, on: site.scheduler))
    }

    private static func timeout(at site: inout Site) -> RandomLayer {
        let limit = site.milliseconds(0...200)
        return RandomLayer(
            name: "timeout(\(limit))", limit: limit, cutsCalls: true,
            middleware: .timeout(limit, on: site.scheduler))
    }

    private static func retry(at site: inout Site) -> RandomLayer {
        let attempts = site.number(1...4)
        let isBudgeted = site.isTails()
        let (base, cap) = (site.milliseconds(0...20), site.milliseconds(0...100))
        let backoff =
            [
                .constant(.zero), .constant(base), .fullJitter(base: base, cap: cap),
                .equalJitter(base: base, cap: cap), .decorrelatedJitter(base: base, cap: cap),
            ][site.number(0...4)] as Backoff
        let shared = isBudgeted ? nil : site.sharedState()
        let budget = isBudgeted ? site.budget : shared.map { RetryBudget(shared: $0) }
        return RandomLayer(
            name: "retry(\(attempts)\(isBudgeted ? ", budget" : shared == nil ? "" : ", shared"))",
            factor: attempts, budget: isBudgeted ? .depositing : .none,
            middleware: .retry(
                Retry(attempts: attempts, backoff: backoff, maxServerDelay: .milliseconds(40)),
                budget: budget, on: site.scheduler, random: site.random()))
    }

    private static func circuitBreaker(at site: inout Site) -> RandomLayer {
        let failures = site.number(1...5)
        let breaker = CircuitBreaker(
            failuresInARow: failures, lasting: .zero, minimumRequests: site.number(1...5),
            backoff: .constant(site.milliseconds(0...60)), on: site.scheduler)
        return RandomLayer(
            name: "circuitBreaker(\(failures))", isOpen: { breaker.state != .closed },
            middleware: .circuitBreaker(sharing: breaker))
    }

    private static func bulkhead(at site: inout Site) -> RandomLayer {
        let (limit, queue) = (site.number(1...3), site.number(0...4))
        let timeout = site.isTails() ? site.milliseconds(0...80) : nil
        let bulkhead = Bulkhead(
            limit: limit, queue: queue, queueTimeout: timeout, leaseTime: nil, on: site.scheduler)
        return RandomLayer(
            name: "bulkhead(\(limit), queue \(queue), \(timeout.map { "\($0)" } ?? "patient"))",
            places: limit, isVacant: { bulkhead.inFlight == 0 && bulkhead.queued == 0 },
            middleware: .bulkhead(sharing: bulkhead))
    }

    private static func rateLimit(at site: inout Site) -> RandomLayer {
        let (rate, burst) = (site.number(1...5), site.number(1...4))
        let wait = site.milliseconds(0...200)
        let shared = site.sharedState()
        let limiter = RateLimiter(
            rate: rate, per: .milliseconds(50), burst: burst, maxWait: wait, shared: shared,
            on: site.scheduler)
        return RandomLayer(
            name:
                "rateLimit(\(rate), burst \(burst), wait \(wait)\(shared == nil ? "" : ", shared"))",
            isVacant: { limiter.queued == 0 }, middleware: .rateLimit(sharing: limiter))
    }

    private static func priority(at site: inout Site) -> RandomLayer {
        let priority = CallPriority.allCases[site.number(0...3)]
        return RandomLayer(name: "priority(\(priority))", middleware: .priority(priority))
    }

    private static func pushback(at site: inout Site) -> RandomLayer {
        let wait = site.milliseconds(0...100)
        let pushback = Pushback(
            maxWait: wait, maxPause: site.milliseconds(0...200), on: site.scheduler,
            random: site.random())
        return RandomLayer(
            name: "pushback(wait \(wait))", isVacant: { pushback.queued == 0 },
            middleware: .pushback(sharing: pushback))
    }

    /// A bulkhead for each key, of which fewer are kept than there are.
    private static func keyed(at site: inout Site) -> RandomLayer {
        let (scheduler, limit) = (site.scheduler, site.number(1...3))
        return RandomLayer(
            name: "keyed(\(limit))",
            middleware: .keyed(by: key, limit: limit) { _ in
                .bulkhead(sharing: Bulkhead(limit: 2, queue: 1, leaseTime: nil, on: scheduler))
            })
    }

    private static func throttle(at site: inout Site) -> RandomLayer {
        let (rate, limit) = (site.number(0...9), Double(site.number(0...10)) / 10)
        let rule: ThrottleRule =
            site.isTails() ? .acceptMultiplier() : .successRate(aggression: site.number(1...3))
        let throttle = AdaptiveThrottle(
            rule: rule, maxProbability: limit, minimumRate: rate, on: site.scheduler,
            random: site.random())
        return RandomLayer(
            name: "throttle(at most \(limit), from \(rate))",
            middleware: .throttle(sharing: throttle))
    }

    private static func shed(at site: inout Site) -> RandomLayer {
        let (limit, queue) = (site.number(1...3), site.number(0...4))
        let shedder = LoadShedder(
            limit: limit, queue: queue, interval: site.milliseconds(5...100),
            order: site.isTails() ? .oldestFirst : .newestFirstInOverload, on: site.scheduler)
        return RandomLayer(
            name: "shed(\(limit), queue \(queue))",
            places: limit, isVacant: { shedder.inFlight == 0 && shedder.queued == 0 },
            middleware: .loadShedding(sharing: shedder))
    }

    private static func hedge(at site: inout Site) -> RandomLayer {
        let (attempts, extra) = (site.number(1...3), site.number(0...2))
        let isBudgeted = site.isTails()
        let delay = site.milliseconds(0...40)
        let budget = isBudgeted ? site.budget : nil
        return RandomLayer(
            name: "hedge(\(attempts) after \(delay), load \(extra)\(isBudgeted ? ", budget" : ""))",
            factor: extra == 0 ? 1 : attempts, budget: isBudgeted ? .withdrawing : .none,
            middleware: .hedge(
                sharing: Hedge(
                    after: delay, attempts: attempts, maxExtraLoad: Double(extra) / 2,
                    budget: budget, on: site.scheduler)))
    }

    private static func coalesce() -> RandomLayer {
        let group = Coalescer<Int, Int>()
        return RandomLayer(
            name: "coalesce", isVacant: { group.count == 0 },
            middleware: .coalesce(by: key, sharing: group))
    }

    private static func memoize(at site: inout Site) -> RandomLayer {
        let (time, limit) = (site.milliseconds(1...200), site.number(1...3))
        if let shared = site.sharedState() {
            let memo = SharedMemo<Int>.ofNumbers(timeToLive: time, shared: shared)
            return RandomLayer(
                name: "memoize(\(time), shared)",
                middleware: .memoize(by: { "\(key($0))" }, sharing: memo))
        }
        return RandomLayer(
            name: "memoize(\(time), \(limit))",
            middleware: .memoize(
                by: key, sharing: Memo(timeToLive: time, limit: limit, on: site.scheduler)))
    }

    private static func fallback(at site: inout Site) -> RandomLayer {
        guard site.isTails() else {
            return RandomLayer(name: "fallback", middleware: .fallback(-1))
        }
        let (scheduler, delay) = (site.scheduler, site.milliseconds(0...30))
        return RandomLayer(
            name: "fallback(to a service of \(delay))",
            middleware: .fallback(to: { _ in Future(value: -1).delay(delay, on: scheduler) }))
    }

    private static func chaos(at site: inout Site) -> RandomLayer {
        let share = Double(site.number(0...4)) / 10
        return RandomLayer(
            name: "chaos(\(share))", cutsCalls: true,
            middleware: .chaos(
                .latency(.zero ... .milliseconds(60), probability: share),
                .failure(probability: share),
                .outcome(probability: share) { result in
                    if try result.get() % 2 == 0 { throw Broken() }
                    return -1
                }, on: site.scheduler, random: site.random()))
    }
}

extension RandomLayer.Site {
    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &dice) }
    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(number(range))
    }
    mutating func isTails() -> Bool { .random(using: &dice) }
    /// A place in a store that answers late, fails, or does not answer; nil in one of two cases.
    mutating func sharedState() -> SharedState? {
        guard isTails() else { return nil }
        let store = TestPolicyStore(on: scheduler)
        let latency = milliseconds(0...60)
        if isTails() { store.latency = { latency } }
        store.mode = [.works, .works, .fails, .hangs][number(0...3)]
        return SharedState(
            "random", in: store, failing: isTails() ? .open : .closed,
            timeLimit: milliseconds(1...100), on: scheduler)
    }
    mutating func random() -> RandomSource { RandomSource(SeededGenerator(seed: dice.next())) }
}

extension RandomLayer {
    static func adaptiveConcurrency(at site: inout Site) -> RandomLayer {
        let (most, queue) = (site.number(1...3), site.number(0...4))
        let timeout = site.isTails() ? site.milliseconds(0...80) : nil
        let algorithms: [(String, ConcurrencyLimitAlgorithm)] = [
            ("aimd", .aimd(initial: most, minimum: 1, maximum: most)),
            ("vegas", .vegas(initial: most, maximum: most)),
            ("gradient", .gradient(minimum: 1, maximum: most)),
            ("correlation", .correlation(initial: most, maximum: most)),
        ]
        let (name, algorithm) = algorithms[site.number(0...3)]
        let limit = AdaptiveConcurrency(
            algorithm: algorithm, queue: queue, queueTimeout: timeout, on: site.scheduler,
            random: site.random())
        return RandomLayer(
            name: "adaptiveConcurrency(\(name), \(most), queue \(queue), \(timeout ?? .zero))",
            places: most, isVacant: { limit.inFlight == 0 && limit.queued == 0 },
            middleware: .adaptiveConcurrency(sharing: limit))
    }
}
