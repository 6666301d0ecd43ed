import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite struct CircuitBreakerTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// With the longest jitter: open for 5, 10, 20, 30, 30 … seconds.
    func breaker() -> CircuitBreaker {
        CircuitBreaker(
            failuresInARow: 10, backoff: .equalJitter(base: .seconds(5), cap: .seconds(30)),
            on: scheduler, random: RandomSource(Constant(.max)))
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

    @Test func byDefaultTenFailuresInARowOpenItAfterSuccesses() {
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

    @Test func byDefaultItStaysClosedWhileHalfOfTheCallsSucceed() {
        let breaker = breaker()
        let one: [Upstream.Step] = [.atOnce(.success(1))] + fail(1)
        let upstream = Upstream(on: scheduler, (1...50).flatMap { _ in one } + fail(1))
        let service = service(breaker, upstream)
        for number in 1...100 { _ = service(Ask(number)) }
        #expect(breaker.state == .closed)
        _ = service(101)
        #expect(breaker.state == .open(until: instant(5)))
    }

    @Test func byDefaultFiveFailuresAtFirstOpenItForFiveSecondsAtMost() {
        for (bits, milliseconds) in [(UInt64.min, 2_500), (.max, 5_000)] {
            let breaker = CircuitBreaker(
                failuresInARow: 10, backoff: .equalJitter(base: .seconds(5), cap: .seconds(30)),
                on: scheduler, random: RandomSource(Constant(bits)))
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

    @Test func aRefusedCallSaysWhenToCallAgain() {
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

    @Test func aRefusalIsNotRetried() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail(9))
        let call = stack(
            .observed(by: log.observer, on: scheduler),
            .retry(attempts: 9, backoff: .constant(.zero), on: scheduler),
            .circuitBreaker(sharing: breaker), over: upstream.send)(1)
        #expect(call.serviceError?.code == .circuitOpen)
        #expect(upstream.count == 5)
        #expect(log.lines.count { $0.contains("retrying") } == 5)
    }

    @Test func theEventsOfALife() {
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

    @Test func itOpensForLongerUntilAProbeSucceeds() {
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

    @Test func thereIsOneProbeAtATime() {
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

    @Test func aCancelledProbeMakesRoomForTheNext() {
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

    @Test func anIgnorableProbeMakesRoomForTheNext() {
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
    @Test func anAbandonedProbeIsAFailure() {
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

    @Test func cancelledCallsDoNotCount() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler)
        let service = service(breaker, upstream)
        for number in 1...9 { service(Ask(number)).cancel() }
        #expect(breaker.state == .closed)
        #expect(upstream.cancelled == 9)
        #expect(upstream.living == 0)
    }

    @Test func theClassifierSaysWhatAFailureIs() {
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

    @Test func severalStacksShareOne() {
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
