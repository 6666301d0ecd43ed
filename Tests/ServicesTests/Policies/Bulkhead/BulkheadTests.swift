import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite struct BulkheadTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func service(_ bulkhead: Bulkhead, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .bulkhead(sharing: bulkhead),
            over: upstream.send)
    }

    @Test func byDefault64AreInFlightAndNoneWaits() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(on: scheduler)
        let service = service(bulkhead, upstream)
        let calls = (1...65).map { service(Ask($0)) }
        #expect(upstream.count == 64)
        #expect(calls.dropLast().allSatisfy { $0.result == nil })
        #expect(calls.last?.serviceError?.code == .bulkheadFull)
        #expect(calls.last?.serviceError?.policy == "bulkhead")
        #expect(calls.last?.serviceError?.retryAfter == nil)
        #expect(bulkhead.inFlight == 64)
        upstream.settle(9, .success(9))
        #expect(bulkhead.inFlight == 63)
        _ = service(66)
        #expect(upstream.count == 65)
    }

    @Test func whoWaitsIsServedInOrder() {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 9))
        let bulkhead = Bulkhead(limit: 2, queue: 9, on: scheduler)
        let service = service(bulkhead, upstream)
        let calls = (1...5).map { service(Ask($0)) }
        #expect(bulkhead.queued == 3)
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 1 })
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 3, 4, 5])
        #expect(upstream.instants == [0, 0, 10, 10, 20].map { .milliseconds($0) })
        #expect(bulkhead.inFlight == 0)
        #expect(
            log.lines.filter { $0.contains("queued") } == [
                "0 1 bulkhead queued(length: 1)", "0 1 bulkhead queued(length: 2)",
                "0 1 bulkhead queued(length: 3)",
                "10 1 bulkhead dequeued(after: 0.01 seconds)",
                "10 1 bulkhead dequeued(after: 0.01 seconds)",
                "20 1 bulkhead dequeued(after: 0.02 seconds)",
            ])
    }

    @Test func whoFindsTheQueueFullIsRefused() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: 1, on: scheduler)
        let service = service(bulkhead, upstream)
        let calls = (1...3).map { service(Ask($0)) }
        #expect(calls.map { $0.result == nil } == [true, true, false])
        #expect(calls[2].serviceError?.code == .bulkheadFull)
        #expect(
            log.lines.contains(
                "0 1 bulkhead refused(bulkhead: refused: as many calls are in flight and queued "
                    + "as allowed)"))
        #expect(bulkhead.queued == 1)
    }

    @Test func aRefusalIsNotRetried() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, on: scheduler)
        let service = stack(
            .retry(backoff: .constant(.zero), on: scheduler), .bulkhead(sharing: bulkhead),
            over: upstream.send)
        _ = service(1)
        #expect(service(2).serviceError?.code == .bulkheadFull)
    }

    @Test func whoWaitsTooLongIsRefusedAndLeavesTheQueue() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(
            limit: 1, queue: 1, queueTimeout: .milliseconds(500), on: scheduler)
        let service = service(bulkhead, upstream)
        _ = service(1)
        let call = service(2)
        scheduler.advance(by: .milliseconds(499))
        #expect(call.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(call.serviceError?.code == .queueTimedOut)
        #expect(call.serviceError?.limit == .milliseconds(500))
        #expect(bulkhead.queued == 0)
        #expect(scheduler.isIdle)
        #expect(
            log.lines.suffix(2) == [
                "500 1 bulkhead refused(bulkhead: refused: no place within the queue's timeout "
                    + "of 0.5 seconds)",
                "500 1 observed ended failure in 500: queueTimedOut",
            ])
        upstream.settle(0, .success(1))
        #expect(upstream.count == 1)
        #expect(bulkhead.inFlight == 0)
    }

    /// The limit is for the wait, not for the call.
    @Test func aTurnThatComesInTimeTakesTheTimerBack() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(
            limit: 1, queue: 1, queueTimeout: .milliseconds(500), on: scheduler)
        let service = service(bulkhead, upstream)
        _ = service(1)
        let call = service(2)
        scheduler.advance(by: .milliseconds(499))
        upstream.settle(0, .success(1))
        #expect(scheduler.isIdle)
        scheduler.advance(by: .seconds(60))
        upstream.settle(1, .success(2))
        #expect(call.valueNow == 2)
    }

    @Test func aQueueTimeoutOfZero() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: 1, queueTimeout: .zero, on: scheduler)
        let service = service(bulkhead, upstream)
        _ = service(1)
        let call = service(2)
        #expect(call.result == nil)
        scheduler.advance(by: .zero)
        #expect(call.serviceError?.code == .queueTimedOut)
    }

    @Test func cancellingACallInFlightGivesItsPlaceToTheNext() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: 1, on: scheduler)
        let service = service(bulkhead, upstream)
        let first = service(1), second = service(2)
        first.cancel()
        #expect(upstream.cancelled == 1)
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2])
        #expect(bulkhead.inFlight == 1)
        upstream.settle(1, .success(2))
        #expect(second.valueNow == 2)
        #expect(bulkhead.inFlight == 0)
    }

    @Test func cancellingACallThatWaitsLeavesTheQueue() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(
            limit: 1, queue: 2, queueTimeout: .seconds(1), on: scheduler)
        let service = service(bulkhead, upstream)
        let luggage = Luggage()
        weak var held: Luggage?
        let calls: [Future<Int>]
        do {
            let luggage = Luggage()
            held = luggage
            calls = [service(1), service(Ask(2, luggage: luggage)), service(3)]
        }
        calls[1].cancel()
        #expect(held == nil)
        #expect(bulkhead.queued == 1)
        #expect(service(Ask(4, luggage: luggage)).result == nil)
        for index in 0..<3 { upstream.settle(index, .success(index)) }
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3, 4])
        #expect(upstream.cancelled == 0)
        #expect(scheduler.isIdle)
    }

    @Test func everyEndGivesThePlaceBack() {
        let upstream = Upstream(
            on: scheduler,
            [.broken, .atOnce(.success(1)), .atOnce(.failure(Broken())), .value(1), .never])
        let bulkhead = Bulkhead(limit: 1, on: scheduler)
        let service = service(bulkhead, upstream)
        for number in 1...4 {
            _ = service(Ask(number))
            scheduler.run()
            #expect(bulkhead.inFlight == 0)
            #expect(upstream.count == number)
        }
        let abandoned = stack(.bulkhead(sharing: bulkhead), over: { (_: Ask) in Promise<Int>() })
        #expect(abandoned(5).errorNow is FutureError)
        #expect(bulkhead.inFlight == 0)
    }

    @Test func whatIsRememberedOfACallIsItsOwn() {
        let upstream = Upstream(on: scheduler)
        let service = service(Bulkhead(limit: 1, queue: 2, on: scheduler), upstream)
        let contexts = [
            CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler), attempt: 2),
            CallContext(deadline: CallDeadline(after: .seconds(7), on: scheduler), attempt: 3),
            CallContext(),
        ]
        for (number, context) in contexts.enumerated() {
            _ = context.run { service(Ask(number)) }
        }
        scheduler.advance(by: .seconds(1))
        contexts[0].run { upstream.settle(0, .success(0)) }
        contexts[1].run { upstream.settle(1, .success(1)) }
        #expect(upstream.arrivals.map(\.remaining) == [.seconds(5), .seconds(6), nil])
        #expect(upstream.arrivals.map(\.attempt) == [2, 3, 1])
    }

    @Test func severalStacksShareOne() {
        let bulkhead = Bulkhead(limit: 1, queue: 1, on: scheduler)
        let upstream = Upstream(on: scheduler)
        let other = stack(
            .bulkhead(sharing: bulkhead), over: { (text: String) in Future(value: text + "!") })
        let first = service(bulkhead, upstream)(1), second = other("Tea")
        #expect(second.result == nil)
        upstream.settle(0, .success(7))
        #expect(first.valueNow == 7)
        #expect(second.valueNow == "Tea!")
    }

    /// The producer of a call that is given up is notified before the next call begins.
    @Test(arguments: [true, false])
    func noMoreAreInFlightThanAllowedAlsoWhileOneIsGivenUp(byTimeout: Bool) {
        let upstream = Upstream(on: scheduler)
        let most = Locked(0)
        let service = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 1, on: scheduler)),
            .timeout(.seconds(1), on: scheduler),
            over: { (ask: Ask) in
                let future = upstream.send(ask)
                most.withLock { $0 = max($0, upstream.inFlight) }
                return future
            })
        let first = service(1), second = service(2)
        byTimeout ? scheduler.advance(by: .seconds(1)) : first.cancel()
        #expect(first.result != nil)
        #expect(second.result == nil)
        #expect(upstream.count == 2)
        #expect(most.withLock { $0 } == 1)
    }

    /// The place of an attempt that timed out is free for the next attempt, even if that is made at once.
    @Test func aRetryAtOnceFindsThePlaceOfTheAttemptBefore() throws {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .retry(attempts: 2, backoff: .constant(.zero), on: scheduler),
            .timeout(.seconds(1), on: scheduler),
            .bulkhead(sharing: Bulkhead(limit: 1, on: scheduler)), over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        try #require(upstream.count == 2)
        upstream.settle(1, .success(7))
        #expect(call.valueNow == 7)
    }

    /// Its place stays taken until the service has returned, so that the service can be notified.
    @Test func aCallGivenUpWhileTheServiceIsCalledLetsNobodyInBesideIt() {
        let upstream = Upstream(on: scheduler)
        let caller = Locked<Future<Int>?>(nil)
        let seen = Locked<[Int]>([])
        let bulkhead = Bulkhead(limit: 1, queue: 2, on: scheduler)
        let service = stack(
            .bulkhead(sharing: bulkhead),
            over: { (ask: Ask) in
                let future = upstream.send(ask)
                if ask.number == 2 { caller.withLock { $0 }?.cancel() }
                seen.withLock { $0.append(upstream.inFlight) }
                return future
            })
        let first = service(1), second = service(2), third = service(3)
        caller.withLock { $0 = second }
        upstream.settle(0, .success(7))
        #expect(first.valueNow == 7)
        #expect(second.isCancelled)
        #expect(third.result == nil)
        #expect(seen.withLock { $0 } == [1, 1, 1])
        #expect((bulkhead.inFlight, upstream.cancelled) == (1, 1))
        third.cancel()
        #expect((bulkhead.inFlight, upstream.inFlight) == (0, 0))
    }
}
