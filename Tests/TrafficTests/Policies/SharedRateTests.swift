import PledgeAdmission
import PledgeFutures
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import TestSupport
import Testing

@Suite(.oneAtATime) struct SharedRateTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// A machine: ten a second, unless the test says otherwise.
    func machine(
        _ store: TestPolicyStore, burst: Int = 1, maxWait: Duration = .zero,
        failing: SharedState.Failing = .open, _ upstream: Upstream
    ) -> (RateLimiter, SharedState, Service<Ask, Int>) {
        let shared = SharedState("shop", in: store, failing: failing, on: scheduler)
        let limiter = RateLimiter(
            rate: 10, per: .seconds(1), burst: burst, maxWait: maxWait, shared: shared,
            on: scheduler)
        let service = stack(
            .observed(by: log.observer, on: scheduler), .rateLimit(sharing: limiter),
            over: upstream.send)
        return (limiter, shared, service)
    }

    @Test func oneMachinesCallsPassOrAreRefusedAsWithALimiterOfItsOwn() {
        for seed in 0..<UInt64(scriptCount() / 40) {
            var dice = SeededGenerator(seed: seed)
            let (rate, burst) = (
                Int.random(in: 1...50, using: &dice), Int.random(in: 1...9, using: &dice)
            )
            let period = Duration.milliseconds(Int.random(in: 1...2_000, using: &dice))
            let wait = Duration.milliseconds([0, 30, 1_000].randomElement(using: &dice) ?? 0)
            let gaps = (0..<60).map { _ in Int.random(in: 0...3_000, using: &dice) }
            func run(_ shared: (ManualScheduler) -> SharedState?) -> [[Duration?]] {
                let scheduler = ManualScheduler()
                let limiter = RateLimiter(
                    rate: rate, per: period, burst: burst, maxWait: wait,
                    shared: shared(scheduler), on: scheduler)
                let service: Service<Int, Duration> = stack(
                    .rateLimit(sharing: limiter),
                    over: { _ in Future(value: scheduler.now.offset) })
                let calls = gaps.map { gap in
                    scheduler.advance(by: .microseconds(gap * Int(period / .milliseconds(1)) / 60))
                    return service(gap)
                }
                scheduler.run()
                return calls.map { [$0.valueNow, $0.serviceError?.retryAt?.offset] }
            }
            let (own, shared) = (run { _ in nil }, run { .inMemory(on: $0) })
            for (own, shared) in zip(own.joined(), shared.joined()) {
                // The store counts in floating point, so a turn may be a few nanoseconds off.
                let off = own.flatMap { own in shared.map { own - $0 } }
                #expect(
                    own == nil && shared == nil
                        || (off.map { abs($0 / .nanoseconds(1)) } ?? 9) <= 4, "\(seed)")
            }
        }
    }

    @Test("machines together never exceed the limit, whatever their clocks say")
    func machinesTogetherNeverExceedTheLimit() {
        var (passed, refused, waited, cancelled) = (0, 0, 0, 0)
        for seed in 0..<UInt64(scriptCount() / 40) {
            var dice = SeededGenerator(seed: seed)
            let (rate, burst) = (
                Int.random(in: 1...30, using: &dice), Int.random(in: 1...8, using: &dice)
            )
            let wait = Duration.milliseconds([0, 100, 1_000].randomElement(using: &dice) ?? 0)
            let latency = Int.random(in: 0...40, using: &dice)
            let store = TestPolicyStore(on: scheduler)
            let delays = Locked(SeededGenerator(seed: seed))
            store.latency = {
                delays.withLock { .milliseconds(Int.random(in: 0...latency, using: &$0)) }
            }
            let passes = TestLog<Duration>()
            let machines = (0..<Int.random(in: 2...9, using: &dice)).map { _ in
                let clock = SkewedClock(
                    base: scheduler,
                    offset: .seconds(Int.random(in: -99_999...99_999, using: &dice)))
                let shared = SharedState(
                    "\(seed)", in: store, failing: .closed, timeLimit: .seconds(1), on: clock)
                let limiter = RateLimiter(
                    rate: rate, per: .seconds(1), burst: burst, maxWait: wait, shared: shared,
                    on: clock)
                return stack(
                    .rateLimit(sharing: limiter),
                    over: { (_: Int) in
                        passes.append(scheduler.now.offset)
                        return Future(value: 1)
                    })
            }
            var calls: [Future<Int>] = []
            for number in 0..<300 {
                scheduler.advance(by: .milliseconds(Int.random(in: 0...30, using: &dice)))
                calls.append(machines.randomElement(using: &dice)!(number))
                if Int.random(in: 0...9, using: &dice) == 0 {
                    calls.randomElement(using: &dice)?.cancel()
                }
            }
            scheduler.run()
            let times = passes.elements
            #expect(!times.isEmpty && calls.allSatisfy { $0.isSettled })
            for (index, start) in times.enumerated() {
                for (count, end) in times[index...].enumerated() {
                    // An answer is on its way for up to `latency`, and then its call passes.
                    let time = (end - start) / .seconds(1) + Double(latency) / 1_000
                    #expect(
                        Double(count + 1) <= Double(burst) + Double(rate) * time + 1e-6, "\(seed)")
                }
            }
            passed += times.count
            refused += calls.count { $0.serviceError?.code == .rateLimited }
            cancelled += calls.count { $0.isCancelled }
            waited += wait > .zero ? times.count : 0
        }
        #expect(passed > 0 && refused > 0 && waited > 0 && cancelled > 0)
    }

    @Test("a refused call says when it would pass, and asks no store until then")
    func aRefusedCallSaysWhenItWouldPass() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        let (_, _, first) = machine(store, upstream)
        let (_, _, second) = machine(store, upstream)
        _ = first(1)
        scheduler.advance(by: .milliseconds(30))
        for service in [second, second, first] {
            let call = service(2)
            #expect(call.serviceError?.code == .rateLimited)
            #expect(call.serviceError?.retryAt == SchedulerInstant(offset: .milliseconds(100)))
            #expect(call.serviceError?.retryAfter == .milliseconds(70))
        }
        // The first machine knows when it took a token, and the second was told once.
        #expect(store.requests == Array(repeating: "take 1.0 shop:rateLimit", count: 2))
        scheduler.advance(by: .milliseconds(70))
        #expect(second(3).result == nil)
        #expect(upstream.count == 2)
        #expect(
            log.lines.contains(
                "30 1 rateLimit refused(rateLimit: refused: the rate is exceeded; call again in "
                    + "0.07 seconds)"))
    }

    @Test func callsOfSeveralMachinesWaitForTurnsOfTheirOwnAtASharedRate() {
        let store = TestPolicyStore(on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(.success(1)), count: 9))
        let (one, _, first) = machine(store, maxWait: .milliseconds(250), upstream)
        let (other, _, second) = machine(store, maxWait: .milliseconds(250), upstream)
        let calls = [first(1), second(2), first(3), second(4)]
        #expect(calls[3].serviceError?.retryAfter == .milliseconds(300))
        #expect(one.queued == 1 && other.queued == 1)
        scheduler.run()
        #expect(upstream.instants == [.zero, .milliseconds(100), .milliseconds(200)])
        #expect(one.queued == 0 && other.queued == 0)
        #expect(log.lines.contains("0 1 rateLimit queued(length: 1)"))
        #expect(log.lines.contains("200 1 rateLimit dequeued(after: 0.2 seconds)"))
    }

    @Test func aCallThatIsCancelledWhileItWaitsHasUsedItsTurn() {
        let store = TestPolicyStore(on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(.success(1)), count: 9))
        let (limiter, _, service) = machine(store, maxWait: .seconds(1), upstream)
        let calls = (1...3).map { service(Ask($0)) }
        calls[1].cancel()
        #expect(limiter.queued == 1)
        scheduler.run()
        #expect(upstream.instants == [.zero, .milliseconds(200)])
    }

    @Test(
        "while the store fails, an open limiter lets this machine's limit pass, and says so once"
    )
    func anOpenLimiterIsLocalWhileTheStoreFails() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        store.mode = .fails
        let (_, shared, service) = machine(store, burst: 2, upstream)
        for number in 1...3 { _ = service(Ask(number)) }
        #expect(upstream.count == 2)
        #expect(shared.storeError is TestPolicyStore.Down)
        // Within a second of the failure, no other call asks.
        #expect(store.requests.count == 1)
        scheduler.advance(by: .seconds(1))
        _ = service(4)
        _ = service(5)
        #expect(store.requests.count == 2)
        #expect(upstream.count == 4)
        let note = "rateLimit note(\"the store failed: going on without it\")"
        #expect(log.lines.filter { $0.hasSuffix(note) }.count == 1)

        store.mode = .works
        scheduler.advance(by: .seconds(1))
        for number in 6...9 { _ = service(Ask(number)) }
        #expect(shared.storeError == nil)
        #expect(store.requests.count == 4)
        store.mode = .fails
        scheduler.advance(by: .seconds(1))
        _ = service(10)
        #expect(log.lines.filter { $0.hasSuffix(note) }.count == 2)
    }

    @Test func whileTheStoreFailsAClosedLimiterFailsCallsWithTheStoresError() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        store.mode = .fails
        let (_, _, service) = machine(store, failing: .closed, upstream)
        let retried = stack(.retry(on: scheduler), over: service)
        for call in [retried(1), service(2)] {
            #expect(call.serviceError?.code == .storeFailed)
            #expect(call.serviceError?.policy == "rateLimit")
            #expect(call.serviceError?.cause is TestPolicyStore.Down)
            #expect(call.serviceError?.isCertainlyUnsent == true)
            #expect(
                call.serviceError.map { "\($0)" }
                    == "rateLimit: refused: the store of its state has failed (Down)")
        }
        #expect(upstream.count == 0)
        #expect(store.requests.count == 1)
        #expect(
            log.lines.contains("0 1 rateLimit note(\"the store failed: refusing\")"))
    }

    @Test func aStoreThatHangsCostsOneCallASecondItsTimeLimit() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        store.mode = .hangs
        let (_, shared, service) = machine(store, burst: 9, upstream)
        _ = service(1)
        scheduler.advance(by: .milliseconds(99))
        #expect(upstream.count == 0)
        scheduler.advance(by: .milliseconds(1))
        #expect(upstream.instants == [.milliseconds(100)])
        #expect(store.cancelled == 1)
        #expect((shared.storeError as? ServiceError)?.code == .timedOut)
        _ = service(2)
        #expect(upstream.count == 2)
        scheduler.advance(by: .seconds(1))
        _ = service(3)
        _ = service(4)
        #expect(upstream.count == 3)
        #expect(store.requests.count == 2)
        // The call that asks doesn't end the outage before it has the answer.
        store.mode = .works
        scheduler.advance(by: .milliseconds(100))
        #expect(upstream.count == 4)
        #expect(scheduler.isIdle)
    }

    @Test(
        "a deadline holds while a call waits for the store, and is no failure of the store")
    func aDeadlineHoldsWhileACallWaitsForTheStoreOfASharedRate() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        store.mode = .hangs
        let (_, shared, service) = machine(store, upstream)
        let context = CallContext(deadline: CallDeadline(after: .milliseconds(40), on: scheduler))
        let call = context.run { service(1) }
        scheduler.advance(by: .milliseconds(40))
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(call.serviceError?.limit == .milliseconds(40))
        #expect(shared.storeError == nil)
        #expect(store.cancelled == 1)
        #expect(upstream.count == 0 && scheduler.isIdle)
    }

    @Test("a deadline of the store's own is a failure of the store, the call's isn't")
    func aDeadlineOfTheStoresOwnIsAFailureOfTheStore() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        store.error = ServiceError(.deadlineExceeded, policy: "deadline")
        store.mode = .fails
        let (_, shared, service) = machine(store, upstream)
        let late = CallContext(deadline: CallDeadline(after: .zero, on: scheduler))
        #expect(late.run { service(1) }.serviceError?.code == .deadlineExceeded)
        #expect(shared.storeError == nil && upstream.count == 0)
        _ = service(2)
        #expect((shared.storeError as? ServiceError)?.code == .deadlineExceeded)
        #expect(upstream.count == 1)
    }

    @Test func aWaitThatWouldEndAfterTheDeadlineIsNotStarted() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        let (_, _, service) = machine(store, maxWait: .seconds(1), upstream)
        _ = service(1)
        let context = CallContext(deadline: CallDeadline(after: .milliseconds(100), on: scheduler))
        let call = context.run { service(2) }
        #expect(call.serviceError?.code == .rateLimited)
        #expect(call.serviceError?.retryAfter == .milliseconds(100))

        // The store gives a turn in time, but its answer is late.
        scheduler.advance(by: .seconds(1))
        store.latency = { .milliseconds(20) }
        _ = service(3)
        let late = CallContext(deadline: CallDeadline(after: .milliseconds(110), on: scheduler))
        let second = late.run { service(4) }
        scheduler.run()
        #expect(second.serviceError?.code == .deadlineExceeded)
        #expect(second.serviceError?.limit == .milliseconds(40))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
    }

    @Test func aRefusedCallDoesNotLetTheStoreForgetTheTurnsThatOthersWaitFor() {
        let store = TestPolicyStore(on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(.success(1)), count: 99))
        let (_, _, first) = machine(store, maxWait: .seconds(5), upstream)
        let (_, _, second) = machine(store, maxWait: .seconds(5), upstream)
        for number in 0..<50 { _ = first(Ask(number)) }
        let context = CallContext(deadline: CallDeadline(after: .milliseconds(10), on: scheduler))
        #expect(context.run { second(50) }.serviceError?.code == .rateLimited)
        scheduler.advance(by: .seconds(3))
        let call = second(51)
        scheduler.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(!call.isSettled)
        scheduler.advance(by: .nanoseconds(1))
        #expect(call.isSettled && upstream.count == 51)
    }

    @Test func cancellingACallCancelsItsQuestionToTheStore() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        store.mode = .hangs
        let (_, shared, service) = machine(store, upstream)
        let call = service(1)
        call.cancel()
        #expect(store.cancelled == 1)
        #expect(scheduler.isIdle)
        #expect(shared.storeError == nil)
        #expect(upstream.count == 0)
    }

    @Test("a limiter without waiting calls is idle, so that its key can be replaced")
    func aLimiterWithoutWaitingCallsIsIdle() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), Upstream(on: scheduler))
        let (limiter, _, service) = machine(store, maxWait: .seconds(1), upstream)
        _ = service(1)
        #expect(limiter.isIdle)
        let call = service(2)
        #expect(!limiter.isIdle)
        call.cancel()
        #expect(limiter.isIdle)
    }

    #if os(macOS) || os(Linux)
    @Test func aSharedRatesTimeLimitOfZeroTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            _ = SharedState("a", in: MemoryPolicyStore(), timeLimit: .zero)
        }
        expectTrap("shared state needs a timeLimit of more than zero", in: result)
    }
    #endif
}
