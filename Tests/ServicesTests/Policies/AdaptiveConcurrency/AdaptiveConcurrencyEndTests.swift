import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

/// Which ends of calls an adaptive limit learns from.
@Suite struct AdaptiveConcurrencyEndTests {
    let scheduler = ManualScheduler()
    let log = TestLog<ConcurrencySample>()

    private func limit(_ size: Int) -> AdaptiveConcurrency {
        AdaptiveConcurrency(algorithm: .fixed(size, log), on: scheduler)
    }

    /// How an end counts: as an answer, a drop, or not at all.
    private enum Kind { case answer, drop, nothing }

    private static let ends: [(Result<Int, any Error>, Kind)] = [
        (.success(7), .answer),
        (.failure(Advised(advisedOutcome: .success)), .answer),
        (.failure(Broken()), .drop),
        (.failure(ServiceError(.timedOut, policy: "timeout")), .drop),
        (.failure(Advised(advisedOutcome: .retryable(after: .seconds(1)))), .drop),
        (.failure(Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)), .nothing),
        (.failure(Advised(advisedOutcome: .failure)), .nothing),
        (.failure(CancellationError()), .nothing),
        (.failure(ServiceError(.circuitOpen, policy: "circuitBreaker")), .nothing),
        (.failure(ServiceError(.deadlineExceeded, policy: "timeout")), .nothing),
        (.failure(AttemptSuperseded()), .nothing),
    ]

    @Test(arguments: ends.indices, [false, true])
    func whatAnEndCountsAs(index: Int, isAtOnce: Bool) {
        let (result, kind) = Self.ends[index]
        let upstream = Upstream(on: scheduler, isAtOnce ? [.atOnce(result)] : [])
        let limit = limit(1)
        let call = stack(.adaptiveConcurrency(sharing: limit), over: upstream.send)(1)
        if !isAtOnce { upstream.settle(0, result) }
        #expect(call.result != nil)
        #expect(limit.inFlight == 0)
        let isDrop = log.elements.map(\.isDrop)
        switch kind {
        case .answer: #expect(isDrop == [false])
        case .drop: #expect(isDrop == [true])
        case .nothing: #expect(isDrop == [])
        }
    }

    @Test func theClassifierDecides() {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(1)), .atOnce(.failure(Broken()))])
        let classifier = Classifier<Int> { result in
            if case .success = result { .retryable } else { .rejection }
        }
        let service = stack(
            .adaptiveConcurrency(sharing: limit(1), classifier: classifier), over: upstream.send)
        _ = (service(1), service(2))
        #expect(log.elements.map(\.isDrop) == [true, false])
    }

    @Test func aTimeoutBeneathIsADropAndOneOutsideSaysNothing() {
        let upstream = Upstream(on: scheduler)
        let limit = limit(9)
        let timeout = Middleware<Ask, Int>.timeout(.seconds(1), on: scheduler)
        let limited = Middleware<Ask, Int>.adaptiveConcurrency(sharing: limit)
        _ = stack(timeout, limited, over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        #expect(log.elements.isEmpty)
        _ = stack(limited, timeout, over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        #expect(log.elements.map(\.isDrop) == [true])
        #expect(limit.inFlight == 0)
        #expect(upstream.cancelled == 2)
    }
}
