import Dispatch
import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@Suite struct CircuitBreakerTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// With the longest jitter: open for 5, 10, 20, 30, 30 … seconds.
    func breaker() -> CircuitBreaker {
        CircuitBreaker(
            failuresInARow: 10, lasting: .zero,
            backoff: .equalJitter(base: .seconds(5), cap: .seconds(30)), on: scheduler,
            random: RandomSource(Constant(.max)))
    }

    func service(_ breaker: CircuitBreaker, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .circuitBreaker(sharing: breaker),
            over: upstream.send)
    }

    func fail(_ count: Int = 5) -> [Upstream.Step] {
        Array(repeating: .atOnce(.failure(Broken())), count: count)
    }

    func instant(_ seconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .seconds(seconds))
    }

    @Test func byDefaultTenFailuresInARowOpenABreakerAfterSuccesses() {
        let breaker = breaker()
        let successes = Array(repeating: Upstream.Step.atOnce(.success(1)), count: 100)
        let service = service(breaker, Upstream(on: scheduler, successes + fail(10)))
        for number in 1...109 {
            _ = service(Ask(number))
            #expect(breaker.state == .closed)
        }
        _ = service(110)
        #expect(breaker.state == .open(until: instant(5)))
    }

    /// The failures on one connection that had answered before show one fault.
    @Test(arguments: [true, false], [true, false])
    func aBreakerCountsFailuresOfAnAnsweringConnectionOnce(hadAnswered: Bool, hasRecord: Bool) {
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero, on: scheduler)
        let connection = ConnectionEvidence()
        let service: Service<Ask, Int> = stack(.circuitBreaker(sharing: breaker)) { _ in
            CallContext.current.record?.use(connection)
            return Future(error: Broken())
        }
        let send = {
            let record = hasRecord ? CallRecord() : nil
            CallContext().with(record: record).run { _ = service(Ask(1)) }
        }
        if hadAnswered { connection.noteAnswer() }
        for _ in 1...5 { send() }
        #expect((breaker.state == .closed) == hadAnswered)
        // The next answer makes the next failure count.
        connection.noteAnswer()
        send()
        #expect(breaker.state != .closed)
    }

    @Test func byDefaultABreakerStaysClosedWhileHalfOfTheCallsSucceed() {
        let breaker = breaker()
        let one: [Upstream.Step] = [.atOnce(.success(1))] + fail(1)
        let upstream = Upstream(on: scheduler, (1...50).flatMap { _ in one } + fail(1))
        let service = service(breaker, upstream)
        for number in 1...100 { _ = service(Ask(number)) }
        #expect(breaker.state == .closed)
        _ = service(101)
        #expect(breaker.state == .open(until: instant(5)))
    }

    @Test func byDefaultFiveFailuresAtFirstOpenABreakerForFiveSecondsAtMost() {
        for (bits, milliseconds) in [(UInt64.min, 2_500), (.max, 5_000)] {
            let breaker = CircuitBreaker(
                failuresInARow: 10, lasting: .zero,
                backoff: .equalJitter(base: .seconds(5), cap: .seconds(30)), on: scheduler,
                random: RandomSource(Constant(bits)))
            let upstream = Upstream(on: scheduler, fail())
            let service = service(breaker, upstream)
            for number in 1...5 {
                #expect(breaker.state == .closed)
                #expect(service(Ask(number)).errorNow is Broken)
            }
            let end = scheduler.now.advanced(by: .milliseconds(milliseconds))
            #expect(breaker.state == .open(until: end))
        }
    }

    @Test func aCallThatABreakerRefusesSaysWhenToCallAgain() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail())
        let service = service(breaker, upstream)
        for number in 1...5 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(2))
        let error = service(6).serviceError
        #expect(error?.code == .circuitOpen)
        #expect(error?.policy == "circuitBreaker")
        #expect(error?.retryAt == instant(5))
        #expect(error?.retryAfter == .seconds(3))
        #expect(error?.isCertainlyUnsent == true)
        #expect(upstream.count == 5)
        #expect(scheduler.isIdle)
    }

    @Test func aBreakersRefusalIsNotRetried() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail(9))
        let call = stack(
            .observed(by: log.observer, on: scheduler),
            .retry(Retry(attempts: 9, backoff: .constant(.zero)), on: scheduler),
            .circuitBreaker(sharing: breaker), over: upstream.send)(1)
        #expect(call.serviceError?.code == .circuitOpen)
        #expect(upstream.count == 5)
        #expect(log.lines.count { $0.contains("retrying") } == 5)
    }

    @Test func aBreakerTellsEachChangeOfItsState() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail(6) + [.value(7)])
        let service = service(breaker, upstream)
        for number in 1...6 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(5))
        _ = service(7)
        scheduler.advance(by: .seconds(10))
        let call = service(8)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(
            log.lines.filter { $0.contains("circuitBreaker ") } == [
                "0 1 circuitBreaker stateChanged(from: \"closed\", to: \"open\")",
                "0 1 circuitBreaker refused(circuitBreaker: refused: the circuit is open, "
                    + "the service failed too often; call again in 5.0 seconds)",
                "5000 1 circuitBreaker stateChanged(from: \"open\", to: \"half-open\")",
                "5000 1 circuitBreaker stateChanged(from: \"half-open\", to: \"open\")",
                "15000 1 circuitBreaker stateChanged(from: \"open\", to: \"half-open\")",
                "15010 1 circuitBreaker stateChanged(from: \"half-open\", to: \"closed\")",
            ])
    }

    @Test func aBreakerOpensForLongerUntilAProbeSucceeds() {
        let breaker = breaker()
        let upstream = Upstream(
            on: scheduler, fail(13) + [.atOnce(.success(1))] + fail(5))
        let service = service(breaker, upstream)
        var lengths: [Duration] = []
        for number in 1...19 {
            let before = upstream.count
            _ = service(Ask(number))
            #expect(upstream.count == before + 1)
            if case .open(let end) = breaker.state {
                lengths.append(scheduler.now.duration(to: end))
                scheduler.advance(by: scheduler.now.duration(to: end))
            }
        }
        #expect(lengths == [5, 10, 20, 30, 30, 30, 30, 30, 30, 5].map { .seconds($0) })
    }

    @Test func aBreakersStackMakesOneProbeAtATime() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail() + [.never, .value(2)])
        let service = service(breaker, upstream)
        for number in 1...5 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(5))
        let probe = service(6)
        #expect(breaker.state == .halfOpen)
        scheduler.advance(by: .seconds(1))
        let other = service(7)
        #expect(other.serviceError?.code == .circuitOpen)
        #expect(other.serviceError?.retryAt == instant(10))
        #expect(other.serviceError?.retryAfter == .seconds(4))
        #expect(upstream.count == 6)
        upstream.settle(5, .success(6))
        #expect(probe.valueNow == 6)
        #expect(breaker.state == .closed)
        _ = service(8)
        #expect(upstream.count == 7)
    }

    @Test func aCancelledProbeOfABreakerMakesRoomForTheNext() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail() + [.never, .never])
        let service = service(breaker, upstream)
        for number in 1...5 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(5))
        let probe = service(6)
        probe.cancel()
        #expect(upstream.cancelled == 1)
        let next = service(7)
        #expect(service(8).serviceError?.code == .circuitOpen)
        #expect(upstream.count == 7)
        upstream.settle(6, .success(7))
        #expect(next.valueNow == 7)
        #expect(breaker.state == .closed)
    }

    @Test func aBreakersProbeWithAnIgnorableEndMakesRoomForTheNext() {
        let breaker = breaker()
        let ignorable = Advised(advisedOutcome: .ignorable)
        let upstream = Upstream(
            on: scheduler, fail() + [.error(ignorable), .atOnce(.success(1))])
        let service = service(breaker, upstream)
        for number in 1...5 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(5))
        _ = service(6)
        scheduler.advance(by: .milliseconds(10))
        #expect(breaker.state == .halfOpen)
        #expect(service(7).valueNow == 1)
        #expect(breaker.state == .closed)
    }

    /// A caller that releases its future does not block the others.
    @Test func anAbandonedProbeOfABreakerIsAFailure() {
        let breaker = breaker()
        let abandoned = Locked(false)
        let service = stack(
            .circuitBreaker(sharing: breaker),
            over: { (ask: Ask) in
                abandoned.withLock { $0 } ? Promise<Int>() : Future(error: Broken())
            })
        for number in 1...5 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(5))
        abandoned.withLock { $0 = true }
        _ = service(6)
        #expect(breaker.state == .open(until: instant(15)))
    }

    @Test func aBreakerDoesNotCountCancelledCalls() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler)
        let service = service(breaker, upstream)
        for number in 1...9 { service(Ask(number)).cancel() }
        #expect(breaker.state == .closed)
        #expect(upstream.cancelled == 9)
        #expect(upstream.living == 0)
    }

    @Test func theClassifierSaysWhatABreakerCountsAsAFailure() {
        let breaker = breaker()
        let classifier = Classifier<Int> { result in
            if case .success(let value) = result, value < 0 { return .failure }
            return .success
        }
        let service = stack(
            .circuitBreaker(sharing: breaker, classifier: classifier),
            over: { (ask: Ask) in
                ask.number == 0 ? Future(error: Broken()) : Future(value: -ask.number)
            })
        for _ in 1...2 { #expect(service(0).errorNow is Broken) }
        #expect(breaker.state == .closed)
        for number in 1...3 { #expect(service(Ask(number)).valueNow == -number) }
        // Two of five succeeded: fewer than half.
        #expect(breaker.state == .open(until: instant(5)))
    }

    @Test func severalStacksMayShareABreaker() {
        let breaker = breaker()
        let first = Upstream(on: scheduler, fail(3)), second = Upstream(on: scheduler, fail(3))
        for number in 1...3 {
            _ = service(breaker, first)(Ask(number))
            _ = stack(
                .circuitBreaker(sharing: breaker), over: chain(second.send) { "\($0)" })(
                    Ask(number))
        }
        #expect(first.count == 3)
        #expect(second.count == 2)
    }

    private func chain<Output: Sendable>(
        _ service: @escaping Service<Ask, Int>, _ transform: @escaping @Sendable (Int) -> Output
    ) -> Service<Ask, Output> {
        { service($0).map(transform) }
    }
}

/// Slow calls, several probes, and a breaker that is opened and closed by hand.
@Suite struct CircuitBreakerLimitsTests {
    let scheduler = ManualScheduler()

    private func call(
        _ breaker: CircuitBreaker, _ steps: Upstream.Step...
    ) -> (call: Future<Int>, upstream: Upstream) {
        let upstream = Upstream(on: scheduler, steps)
        let call = stack(.circuitBreaker(sharing: breaker), over: upstream.send)(1)
        scheduler.run()
        return (call, upstream)
    }

    @Test func tooManySlowCallsOpenABreaker() {
        let breaker = CircuitBreaker(
            minimumRequests: 4, slowCallDuration: .seconds(1), slowCallRate: 0.5, on: scheduler)
        for milliseconds in [1_000, 999, 10] {
            #expect(call(breaker, .value(1, after: .milliseconds(milliseconds))).call.valueNow == 1)
            #expect(breaker.state == .closed)
        }
        // Half of four calls.
        _ = call(breaker, .value(1, after: .seconds(2)))
        #expect(breaker.state != .closed)
    }

    @Test func aSlowCallThatIsGivenUpIsEvidence() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, lasting: .zero, slowCallDuration: .seconds(1), on: scheduler)
        let upstream = Upstream(on: scheduler)
        let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
        let quick = service(1)
        scheduler.advance(by: .milliseconds(999))
        quick.cancel()
        #expect(breaker.state == .closed)
        let slow = service(2)
        scheduler.advance(by: .seconds(1))
        slow.cancel()
        #expect(breaker.state != .closed)
    }

    @Test func allProbesHaveToSucceedToCloseABreaker() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, lasting: .zero, probes: 2, backoff: .constant(.seconds(5)),
            on: scheduler)
        _ = call(breaker, .broken)
        scheduler.advance(by: .seconds(5))
        let upstream = Upstream(on: scheduler, [.value(1), .value(2, after: .seconds(1))])
        let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
        let calls = (1...3).map { service(Ask($0)) }
        #expect(calls[2].serviceError?.code == .circuitOpen)
        scheduler.advance(by: .milliseconds(10))
        #expect(calls[0].valueNow == 1)
        #expect(breaker.state == .halfOpen)
        scheduler.advance(by: .seconds(1))
        #expect(breaker.state == .closed)
        #expect(upstream.count == 2)
    }

    @Test func aSlowProbeOpensABreakerAgain() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, lasting: .zero, slowCallDuration: .seconds(1),
            backoff: .constant(.seconds(5)), on: scheduler)
        _ = call(breaker, .broken)
        scheduler.advance(by: .seconds(5))
        #expect(call(breaker, .value(1, after: .seconds(1))).call.valueNow == 1)
        #expect(breaker.state == .open(until: scheduler.now.advanced(by: .seconds(5))))
    }

    @Test func anIsolatedBreakerRefusesAllUntilItIsReset() {
        let log = TestLog<PolicyEvent>()
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero, on: scheduler)
        _ = call(breaker, .broken)
        breaker.isolate()
        #expect(breaker.state == .isolated)
        scheduler.advance(by: .seconds(1_000))
        let refused = call(breaker, .value(1))
        #expect(refused.upstream.count == 0)
        #expect(refused.call.serviceError?.code == .circuitOpen)
        #expect(refused.call.serviceError?.retryAt == nil)
        #expect("\(refused.call.errorNow.map { "\($0)" } ?? "")".contains("isolated"))
        stack(
            .observed(by: log.observer, on: scheduler),
            over: { (_: Ask) in
                breaker.reset()
                return Future(value: 1)
            })(1).observe { _ in }
        #expect(log.lines.contains { $0.contains("isolated") && $0.contains("closed") })
        #expect(breaker.state == .closed)
        // The failure before does not count any more.
        _ = call(breaker, .broken)
        #expect(breaker.state == .closed)
    }

    @Test func aClosedBreakerThatIsResetForgetsItsFailures() {
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero, on: scheduler)
        _ = call(breaker, .broken)
        breaker.reset()
        _ = call(breaker, .broken)
        #expect(breaker.state == .closed)
        _ = call(breaker, .broken)
        #expect(breaker.state != .closed)
    }

    @Test func aCallFromBeforeABreakerWasIsolatedChangesNothing() {
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let upstream = Upstream(on: scheduler, [.broken])
        _ = stack(.circuitBreaker(sharing: breaker), over: upstream.send)(1)
        breaker.isolate()
        scheduler.run()
        #expect(breaker.state == .isolated)
    }
}

/// A breaker used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct CircuitBreakerSharingTests {
    let scheduler = ManualScheduler()

    func breaker(backoff: Backoff = .constant(.seconds(5))) -> CircuitBreaker {
        CircuitBreaker(failuresInARow: 10, lasting: .zero, backoff: backoff, on: scheduler)
    }

    func fail(_ count: Int = 5) -> [Upstream.Step] {
        Array(repeating: .atOnce(.failure(Broken())), count: count)
    }

    func instant(_ seconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .seconds(seconds))
    }

    @Test func whoHearsOfAnAnswerMayCallABreakerAtOnce() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail() + [.value(6), .value(7)])
        let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
        for number in 1...5 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(5))
        let next = Locked<Future<Int>?>(nil)
        service(6).observe { _ in
            let call = service(7)
            next.withLock { $0 = call }
        }
        scheduler.run()
        #expect(next.withLock { $0 }?.valueNow == 7)
    }

    /// The stack may be called, since no lock is held.
    @Test func aBreakersClassifierBackoffRandomSourceAndObserversMayCallItsStack() {
        let again = Locked<(@Sendable () -> Void)?>(nil)
        let isNested = Locked(false)
        let nest: @Sendable () -> Void = {
            let isFirst = isNested.withLock { nested in
                defer { nested = true }
                return !nested
            }
            guard isFirst else { return }
            again.withLock { $0 }?()
            isNested.withLock { $0 = false }
        }
        let upstream = Upstream(on: scheduler, fail(500))
        let classifier = Classifier<Int> { result in
            nest()
            return Classifier.standard(result)
        }
        let breaker = CircuitBreaker(
            failuresInARow: 10, lasting: .zero,
            backoff: .custom { _, _ in
                nest()
                return .seconds(5)
            }, on: scheduler)
        let service = stack(
            .observed(by: ServiceObserver { _ in nest() }, on: scheduler),
            .circuitBreaker(sharing: breaker, classifier: classifier), over: upstream.send)
        again.withLock { $0 = { _ = service(0) } }
        for number in 1...9 { _ = service(Ask(number)) }
        #expect(breaker.state == .open(until: instant(5)))
        again.withLock { $0 = nil }
    }

    @Test func aBreakerBoundsANegativeOrEndlessBackoff() {
        for (delay, code) in [(Duration.seconds(-3), nil), (.seconds(Int64.max), .circuitOpen)]
            as [(Duration, ServiceError.Code?)]
        {
            let breaker = breaker(backoff: .custom { _, _ in delay })
            let upstream = Upstream(on: scheduler, fail())
            let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
            for number in 1...5 { _ = service(Ask(number)) }
            #expect(service(6).serviceError?.code == code)
        }
    }

    /// No call succeeds, so each call after the first five is a probe.
    @Test func threadsProbeABreakerAtMostOnceInItsOpenTime() {
        let breaker = CircuitBreaker(
            failuresInARow: 10, lasting: .zero, backoff: .constant(.milliseconds(1)), on: scheduler)
        let scheduler = scheduler
        let probes = Locked(0), ends = Locked(0)
        let service = stack(
            .circuitBreaker(sharing: breaker),
            over: { (ask: Ask) -> Future<Int> in
                probes.withLock { $0 += 1 }
                for _ in 0..<50 { _ = scheduler.now }
                return Future(error: Broken())
            })
        for number in 1...5 { _ = service(Ask(number)) }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                service(Ask(number * 4 + thread)).observe { _ in ends.withLock { $0 += 1 } }
                scheduler.advance(by: .microseconds(200))
            }
        }
        #expect(ends.withLock { $0 } == 8_000)
        // 1.6 seconds have passed, and a probe has at least one millisecond for itself.
        #expect((100...1_605).contains(probes.withLock { $0 }))
    }

    @Test func aBreakerCountsAnswersFromOtherThreads() async {
        let breaker = breaker()
        let service = stack(
            .circuitBreaker(sharing: breaker),
            over: { (ask: Ask) in
                Future<Int> {
                    await Task.yield()
                    throw Broken()
                }
            })
        for number in 1...5 { _ = await service(Ask(number)).resultWhenSettled }
        #expect(breaker.state == .open(until: instant(5)))
    }
}

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct CircuitBreakerMisuseTests {
    @Test func aBreakerOfNoFailureInARowTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(failuresInARow: 0, lasting: .zero) }
        expectTrap("a circuit breaker needs at least 1 of failuresInARow, not 0", in: result)
    }

    @Test func aBreakersRateAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(successRate: 1.1) }
        expectTrap("a circuit breaker needs a successRate in 0...1, not 1.1", in: result)
    }

    @Test func aBreakersRateThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(successRate: .nan) }
        expectTrap("a circuit breaker needs a successRate in 0...1, not nan", in: result)
    }

    @Test func aBreakersEmptyWindowTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(over: .zero) }
        expectTrap("a circuit breaker needs a window of more than zero", in: result)
    }

    @Test func aBreakerWithAMinimumOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(minimumRequests: 0) }
        expectTrap("a circuit breaker needs at least 1 of minimumRequests, not 0", in: result)
    }
}
#endif
