import PledgeAdmission
import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

/// Calls that begin in a task that is already cancelled.
@Suite struct CancelledTaskTests {
    let scheduler = ManualScheduler()

    @Test func aCancelledTasksStackMakesNoCallAndSpendsNothing() async {
        let upstream = Upstream(on: scheduler)
        let limiter = RateLimiter(rate: 1, per: .seconds(3_600), burst: 1, on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: scheduler)
        let service = stack(
            .bulkhead(sharing: bulkhead), .rateLimit(sharing: limiter), over: upstream.send)
        let result = await inCancelledTask { try await service(1).value }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect((upstream.count, bulkhead.inFlight) == (0, 0))
        _ = service(2)
        #expect(upstream.count == 1)
    }

    @Test func aCancelledTaskLeavesABreakersProbeToALiveCall() async {
        let upstream = Upstream(on: scheduler, [.atOnce(.failure(Broken())), .value(1)])
        let breaker = CircuitBreaker(
            failuresInARow: 1, lasting: .zero, backoff: .constant(.seconds(1)), on: scheduler)
        let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
        _ = service(1)
        scheduler.advance(by: .seconds(2))
        let result = await inCancelledTask { try await service(2).value }
        #expect(throws: CancellationError.self) { try result.get() }
        let probe = service(3)
        scheduler.run()
        #expect(probe.valueNow == 1)
        #expect(breaker.state == .closed)
    }

    @Test func aCancelledTaskMakesNoCallThatNobodyAwaits() async throws {
        let upstream = Upstream(on: scheduler)
        let service = stack(.timeout(.seconds(1), on: scheduler), over: upstream.send)
        let call = try await inCancelledTask { service(1) }.get()
        #expect(call.isCancelled)
        #expect(upstream.count == 0)
    }

    /// Whoever registered the transform wants the call, not the task that settles the promise.
    @Test(arguments: [1, 2]) func aCallThatACancelledTaskOnlySetsOffIsMade(waiters: Int)
        async throws
    {
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(.success(7)), count: 2))
        let service = stack(.timeout(.seconds(1), on: scheduler), over: upstream.send)
        let promise = Promise<Int>()
        let calls = (0..<waiters).map { _ in promise.flatMap { service(Ask($0)) } }
        _ = await inCancelledTask { promise.resolve(with: 1) }
        #expect(calls.allSatisfy { $0.valueNow == 7 })
    }

    @Test func aPlaceThatACancelledTaskFreesGoesToTheNextCall() async throws {
        let upstream = Upstream(on: scheduler)
        let service = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 1, leaseTime: nil, on: scheduler)),
            over: upstream.send)
        let first = service(1), second = service(2)
        _ = await inCancelledTask { first.cancel() }
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2])
        upstream.settle(1, .success(7))
        #expect(second.valueNow == 7)
    }

    /// A cancel handler belongs to the producer that registered it.
    @Test func aCallOfACancelHandlerIsMade() async throws {
        let upstream = Upstream(on: scheduler)
        let service = stack(.timeout(.seconds(1), on: scheduler), over: upstream.send)
        let promise = Promise<Int>()
        promise.onCancel { service(1).observe { _ in } }
        _ = await inCancelledTask { promise.cancel() }
        #expect(upstream.count == 1)
    }

    /// If the task is cancelled when the call is under way, only its cancellation may end it.
    @Test func aCallThatHasBegunBeforeItsTaskIsCancelledGoesOn() async throws {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(7))])
        let inner = stack(.timeout(.seconds(1), on: scheduler), over: upstream.send)
        let service = stack(
            .timeout(.seconds(1), on: scheduler),
            over: { (ask: Ask) in
                withUnsafeCurrentTask { $0?.cancel() }
                return inner(ask)
            })
        let value = try await Task { try await service(1).value }.value
        #expect(value == 7)
    }

    @Test func aServiceThatSendsByItselfSendsNothingInACancelledTask() async throws {
        let sent = Locked(0)
        let result = await inCancelledTask {
            try await CallContext.current.sending(Ask(1), fate: { _ in .mayHaveArrived }) {
                sent.withLock { $0 += 1 }
                return Future(value: 1)
            }.value
        }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(sent.withLock { $0 } == 0)
    }
}
