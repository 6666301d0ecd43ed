import Dispatch
import PledgeAdmission
import PledgeFutures
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import TestSupport
import Testing

/// The context of a call reaches the service through every policy, however late the service is called.
@Suite(.oneAtATime) struct ContextLawTests {
    let scheduler = ManualScheduler()

    @Test(arguments: PolicyRow.all)
    func theRemainingTimeIsSeenThroughEveryPolicy(_ row: PolicyRow) throws {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        let context = CallContext(deadline: CallDeadline(after: .seconds(60), on: scheduler))
        let future = context.run { service(1) }
        scheduler.run()
        #expect(future.valueNow == row.value)
        #expect(future.result != nil)
        #expect(upstream.count == row.calls)
        for arrival in upstream.arrivals {
            let deadline = try #require(arrival.deadline)
            // A policy may set a nearer deadline, never a later one.
            #expect(deadline.offset <= .seconds(60))
            #expect(arrival.remaining == deadline.offset - arrival.instant)
            if row.name != "deadline passing" { #expect(deadline.offset == .seconds(60)) }
        }
    }

    @Test(arguments: PolicyRow.all)
    func aCallWithoutAContextDoesNotTakeTheContextOfTheThreadThatRunsIt(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        let future = service(1)
        let other = CallContext(deadline: CallDeadline(after: .seconds(1), on: scheduler))
        // The thread that moves the clock is inside another call.
        other.run { scheduler.run() }
        #expect(future.valueNow == row.value)
        #expect(upstream.count == row.calls)
        for arrival in upstream.arrivals {
            #expect(arrival.deadline?.offset != .seconds(1))
        }
    }

    @Test(arguments: PolicyRow.all)
    func noPolicyLeavesACallContextBehind(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        _ = service(1)
        #expect(CallContext.current.deadline == nil)
        #expect(!CallContext.current.isObserved)
        scheduler.run()
        #expect(CallContext.current.deadline == nil)
        #expect(CallContext.current.attempt == 1)
    }
}

/// The events of every policy form one tree of spans for each call, from which the call can be drawn.
@Suite struct EventLawTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    @Test(arguments: PolicyRow.all)
    func everySpanOfAPolicyBeginsAndEndsOnceWithinItsParent(_ row: PolicyRow) throws {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(
            .observed(by: log.observer, on: scheduler), row.make(scheduler), over: upstream.send)
        _ = service(1)
        scheduler.run()
        try expectATree()
    }

    @Test(arguments: PolicyRow.all, [0, 5, 15, 25, 115])
    func aCancelledCallEndsAllItsSpans(_ row: PolicyRow, _ milliseconds: Int) throws {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(
            .observed(by: log.observer, on: scheduler), row.make(scheduler), over: upstream.send)
        let call = service(1)
        scheduler.advance(by: .milliseconds(milliseconds))
        call.cancel()
        try expectATree()
    }

    private func expectATree() throws {
        var parents: [Int: Int?] = [:]
        var open: Set<Int> = []
        var last = SchedulerInstant(offset: .zero)
        for event in log.elements {
            #expect(event.call == log.elements.first?.call)
            #expect(event.instant >= last)
            last = event.instant
            switch event.kind {
            case .began:
                #expect(parents.updateValue(event.parent, forKey: event.span) == nil)
                if let parent = event.parent { #expect(open.contains(parent)) }
                open.insert(event.span)
            case .ended(_, let latency, _):
                #expect(open.remove(event.span) != nil)
                #expect(latency >= .zero)
            default:
                #expect(open.contains(event.span))
            }
            #expect(try #require(parents[event.span]) == event.parent)
        }
        #expect(open.isEmpty)
        #expect(parents[1] == .some(nil))
        #expect(parents.count { $0.value == nil } == 1)
    }
}

/// A cancelled call ends everything that belongs to it, and no object of it is alive afterwards.
@Suite struct LifetimeLawTests {
    let scheduler = ManualScheduler()

    @Test(arguments: PolicyRow.all)
    func noPolicyKeepsAnythingAliveOnceItsCallIsOver(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        weak var luggage: Luggage?
        weak var future: Future<Int>?
        do {
            let service = stack(row.make(scheduler), over: upstream.send)
            let held = Luggage()
            let call = service(Ask(1, luggage: held))
            (luggage, future) = (held, call)
            scheduler.run()
            #expect(call.result != nil)
        }
        #expect(scheduler.isIdle)
        #expect(upstream.inFlight == 0)
        #expect(upstream.living == 0)
        #expect(future == nil)
        upstream.forget()
        #expect(luggage == nil)
    }

    /// Whenever the caller cancels, including during a call or a wait.
    @Test(arguments: PolicyRow.all, [0, 5, 10, 15, 20, 25, 30, 45, 75, 115, 155])
    func cancellingACallUnderAnyPolicyFreesEverything(_ row: PolicyRow, _ milliseconds: Int) {
        let upstream = Upstream(on: scheduler, row.script)
        weak var luggage: Luggage?
        do {
            let service = stack(row.make(scheduler), over: upstream.send)
            let held = Luggage()
            luggage = held
            let call = service(Ask(1, luggage: held))
            scheduler.advance(by: .milliseconds(milliseconds))
            call.cancel()
            #expect(call.result != nil)
            scheduler.advance(by: row.afterwards)
            #expect(scheduler.isIdle)
            #expect(upstream.inFlight == 0)
        }
        let count = upstream.count
        scheduler.run()
        #expect(upstream.count == count)
        #expect(upstream.living == 0)
        upstream.forget()
        #expect(luggage == nil)
    }

    /// A caller that releases the future without cancelling gets no result, but the call ends nevertheless.
    @Test(arguments: PolicyRow.all)
    func aCallUnderAnyPolicyThatNobodyWaitsForEndsByItself(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        _ = stack(row.make(scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(upstream.count == row.calls)
        #expect(upstream.inFlight == 0)
        #expect(upstream.living == 0)
    }

    @Test(arguments: PolicyRow.all)
    func aCallUnderAnyPolicySettlesOnce(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        let results = Locked(0)
        service(1).observe { _ in results.withLock { $0 += 1 } }
        scheduler.run()
        #expect(results.withLock { $0 } == 1)
    }

    /// An answer that is there at once does not wait for a timer.
    @Test(arguments: PolicyRow.all.filter(\.passesAtOnce))
    func noPolicySetsATimerForAValueThatIsThereAtOnce(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(3))])
        let service = stack(row.make(scheduler), over: upstream.send)
        #expect(service(1).valueNow == 3)
        #expect(scheduler.isIdle)
    }
}

/// Several threads may use one stack, while others move the clock and cancel.
@Suite(.oneAtATime) struct ThreadLawTests {
    @Test(arguments: PolicyRow.all)
    func everyCallOfFourThreadsUnderAnyPolicySettlesOnce(_ row: PolicyRow) {
        let scheduler = ManualScheduler()
        let turn = Locked(0)
        let service = stack(
            .observed(by: ServiceObserver { _ in }, on: scheduler), row.make(scheduler),
            over: { (ask: Ask) -> Future<Int> in
                let number = turn.withLock { turn in
                    turn += 1
                    return turn
                }
                switch number % 4 {
                case 0: return Future(error: Broken())
                case 1: return Future(value: number)
                case 2: return Future(value: number).delay(.milliseconds(7), on: scheduler)
                default: return Promise().timeout(.milliseconds(60), on: scheduler)
                }
            })
        let settled = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<200 {
                let call = service(Ask(thread * 1_000 + number))
                call.observe { _ in settled.withLock { $0 += 1 } }
                if number % 5 == thread { scheduler.advance(by: .milliseconds(3)) }
                if number % 7 == thread { call.cancel() }
            }
        }
        scheduler.run()
        #expect(settled.withLock { $0 } == 800)
        #expect(scheduler.isIdle)
    }
}

/// One policy, in the form that the laws of all policies need.
///
/// A new policy adds its rows to `all`, and every law is tested with them.
struct PolicyRow: Sendable, CustomTestStringConvertible {
    /// The name in the test's report.
    let name: String
    /// What the service beneath does, call by call, so that the policy has an effect.
    var script: [Upstream.Step] = [.value(7)]
    /// The number of calls that then reach the service.
    var calls = 1
    /// The result: the value, or nil for a failure.
    var value: Int? = 7
    /// Whether an answer that is there at once passes at once; false for a policy that delays it.
    var passesAtOnce = true
    /// How long the policy still tells a store what a call has changed, after the call's end.
    var afterwards = Duration.zero
    /// Makes the policy, a new one for each test.
    ///
    /// All its waits are on the scheduler.
    let make: @Sendable (ManualScheduler) -> Middleware<Ask, Int>

    var testDescription: String { name }
}

extension PolicyRow {
    static let all: [PolicyRow] = [
        PolicyRow(name: "passThrough") { _ in .passThrough },
        PolicyRow(name: "observed") { .observed(by: ServiceObserver { _ in }, on: $0) },
        PolicyRow(name: "newTrace") { _ in .newTrace() },
        PolicyRow(name: "deadline") { .deadline(.seconds(100), on: $0) },
        PolicyRow(name: "deadline passing", script: [.never], value: nil) {
            .deadline(.milliseconds(50), on: $0)
        },
        PolicyRow(name: "timeout") { .timeout(.seconds(2), on: $0) },
        PolicyRow(name: "timeout passing", script: [.never], value: nil) {
            .timeout(.milliseconds(20), on: $0)
        },
        PolicyRow(name: "retry", script: [.broken, .broken, .value(7)], calls: 3) {
            .retry(Retry(backoff: .constant(.milliseconds(30))), on: $0)
        },
        PolicyRow(name: "retry at once", script: [.broken, .broken, .value(7)], calls: 3) {
            .retry(Retry(backoff: .constant(.zero)), on: $0)
        },
        PolicyRow(name: "failing retry", script: [.broken, .broken, .broken], calls: 3, value: nil)
        {
            .retry(
                Retry(backoff: .fullJitter()), on: $0,
                random: RandomSource(SeededGenerator(seed: 7)))
        },
        PolicyRow(name: "retry, asked to wait", script: [.asked(100), .value(7)], calls: 2) {
            .retry(budget: RetryBudget(), on: $0)
        },
        PolicyRow(name: "coalesce") { _ in .coalesce() },
        PolicyRow(name: "coalesce by key", script: [.broken], value: nil) { _ in
            .coalesce(by: \.number, sharing: Coalescer())
        },
        PolicyRow(name: "memoize") { .memoize(sharing: Memo(timeToLive: .seconds(1), on: $0)) },
        PolicyRow(name: "memoize a failure", script: [.broken], value: nil) {
            .memoize(by: \.number, sharing: Memo(timeToLive: .seconds(1), limit: 1, on: $0))
        },
        PolicyRow(name: "hedge") { .hedge(sharing: Hedge(after: .milliseconds(20), on: $0)) },
        PolicyRow(name: "hedge by percentile") { .hedge(sharing: Hedge(on: $0)) },
        PolicyRow(name: "hedge a slow call", script: [.never, .value(7)], calls: 2) {
            .hedge(sharing: Hedge(after: .milliseconds(20), on: $0))
        },
        PolicyRow(name: "hedge a failure", script: [.broken, .value(7)], calls: 2) {
            .hedge(sharing: Hedge(budget: RetryBudget(), on: $0))
        },
        PolicyRow(name: "failing hedge", script: [.broken, .broken, .broken], calls: 3, value: nil)
        {
            .hedge(sharing: Hedge(after: .milliseconds(5), attempts: 3, maxExtraLoad: 1, on: $0))
        },
        PolicyRow(name: "fallback", script: [.broken]) { scheduler in
            .fallback(to: { _ in
                Future(value: 7).delay(.milliseconds(10), on: scheduler)
            })
        },
        PolicyRow(name: "fallback to a value", script: [.broken]) { _ in .fallback(7) },
        PolicyRow(name: "chaos off") {
            .chaos(.failure(probability: 1), sharing: ChaosSwitch(isOn: false), on: $0)
        },
        PolicyRow(name: "chaos", script: [.value(6)], passesAtOnce: false) {
            .chaos(
                .latency(.milliseconds(20), probability: 1),
                .outcome(probability: 1) { try $0.get() + 1 }, on: $0)
        },
        PolicyRow(name: "chaos failing", calls: 0, value: nil, passesAtOnce: false) {
            .chaos(
                .latency(.milliseconds(20), probability: 1), .failure(probability: 1), on: $0)
        },
        PolicyRow(name: "circuitBreaker") { .circuitBreaker(sharing: CircuitBreaker(on: $0)) },
        PolicyRow(name: "circuitBreaker opening", script: [.broken], value: nil) {
            .circuitBreaker(sharing: CircuitBreaker(failuresInARow: 1, lasting: .zero, on: $0))
        },
        PolicyRow(name: "circuitBreaker probing", script: [.value(7)]) {
            let breaker = CircuitBreaker(
                failuresInARow: 1, lasting: .zero, backoff: .constant(.zero), on: $0)
            _ = stack(
                .circuitBreaker(sharing: breaker),
                over: { (_: Ask) in Future<Int>(error: Broken()) })(
                    1)
            return .circuitBreaker(sharing: breaker)
        },
        PolicyRow(name: "bulkhead") {
            .bulkhead(sharing: Bulkhead(limit: 64, queue: 0, leaseTime: nil, on: $0))
        },
        PolicyRow(name: "bulkhead queueing", script: [.value(3), .value(7)], calls: 2) {
            .twice.around(.bulkhead(sharing: Bulkhead(limit: 1, queue: 1, leaseTime: nil, on: $0)))
        },
        PolicyRow(name: "bulkhead queueing without end", script: [.never], value: nil) {
            .twice.around(
                .bulkhead(
                    sharing: Bulkhead(
                        limit: 1, queue: 1, queueTimeout: .milliseconds(20), leaseTime: nil, on: $0)
                ))
        },
        PolicyRow(name: "priority") { _ in .priority(.sheddable) },
        PolicyRow(name: "loadShedding") { .loadShedding(sharing: LoadShedder(on: $0)) },
        PolicyRow(name: "loadShedding queueing", script: [.value(3), .value(7)], calls: 2) {
            .twice.around(.loadShedding(sharing: LoadShedder(limit: 1, queue: 1, on: $0)))
        },
        PolicyRow(name: "loadShedding queueing without end", script: [.never], value: nil) {
            .twice.around(.loadShedding(sharing: LoadShedder(limit: 1, queue: 1, on: $0)))
        },
        PolicyRow(name: "throttle") { .throttle(sharing: AdaptiveThrottle(on: $0)) },
        PolicyRow(name: "throttle refusing", script: [.broken], value: nil) {
            .retry(Retry(backoff: .constant(.zero)), on: $0).around(
                .throttle(
                    sharing: AdaptiveThrottle(minimumRate: 0, on: $0, random: .constant(0))))
        },
        PolicyRow(name: "adaptiveConcurrency") {
            .adaptiveConcurrency(sharing: AdaptiveConcurrency(on: $0))
        },
        PolicyRow(name: "adaptiveConcurrency queueing", script: [.value(3), .value(7)], calls: 2) {
            .twice.around(
                .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(algorithm: .one, queue: 1, on: $0)))
        },
        PolicyRow(
            name: "adaptiveConcurrency queueing without end", script: [.never], value: nil
        ) {
            .twice.around(
                .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(
                        algorithm: .one, queue: 1, queueTimeout: .milliseconds(20), on: $0)))
        },
        PolicyRow(name: "rateLimit") {
            .rateLimit(sharing: RateLimiter(rate: 10, per: .seconds(1), on: $0))
        },
        PolicyRow(name: "rateLimit waiting", script: [.broken, .value(7)], calls: 2) {
            .retry(Retry(backoff: .constant(.zero)), on: $0).around(
                .rateLimit(
                    sharing: RateLimiter(rate: 10, per: .seconds(1), maxWait: .seconds(1), on: $0)))
        },
        PolicyRow(name: "rateLimit refusing", script: [.broken], value: nil) {
            .retry(Retry(backoff: .constant(.zero)), on: $0).around(
                .rateLimit(
                    sharing: RateLimiter(rate: 10, per: .seconds(1), maxWait: .zero, on: $0)))
        },
        PolicyRow(name: "rateLimit in a store") {
            .rateLimit(
                sharing: RateLimiter(rate: 10, per: .seconds(1), shared: .inMemory(on: $0), on: $0))
        },
        PolicyRow(name: "rateLimit in a slow store", passesAtOnce: false) {
            .rateLimit(
                sharing: RateLimiter(rate: 10, per: .seconds(1), shared: .slow(on: $0), on: $0))
        },
        PolicyRow(
            name: "rateLimit in a slow store, waiting", script: [.value(3), .value(7)], calls: 2,
            passesAtOnce: false
        ) {
            .twice.around(
                .rateLimit(
                    sharing: RateLimiter(rate: 10, per: .seconds(1), shared: .slow(on: $0), on: $0))
            )
        },
        PolicyRow(
            name: "retry in a slow store", script: [.broken, .value(7)], calls: 2,
            passesAtOnce: false, afterwards: .milliseconds(10)
        ) {
            .retry(
                Retry(backoff: .constant(.zero)), budget: RetryBudget(shared: .slow(on: $0)), on: $0
            )
        },
        PolicyRow(
            name: "memoize in a slow store", passesAtOnce: false, afterwards: .milliseconds(10)
        ) {
            .memoize(
                by: { "\($0)" },
                sharing: .ofNumbers(timeToLive: .seconds(1), shared: .slow(on: $0)))
        },
    ]
}

extension Middleware {
    /// Calls again while a call is under way, and returns the second call's future; cancels both.
    static var twice: Middleware {
        Middleware { next in
            { input in
                let first = next(input)
                return first.result == nil ? zip(first, next(input)).map { $1 } : first
            }
        }
    }
}

extension ConcurrencyLimitAlgorithm {
    /// One call at a time.
    fileprivate static var one: ConcurrencyLimitAlgorithm {
        .aimd(initial: 1, minimum: 1, maximum: 1)
    }
}
