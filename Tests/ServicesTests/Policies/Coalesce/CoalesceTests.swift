import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct CoalesceTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    @Test func tenThousandCallsMakeOne() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = (0..<10_000).map { _ in load(1) }
        #expect(upstream.count == 1)
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 7 })
        #expect(upstream.count == 1)
    }

    @Test(arguments: [0, 5_000, 9_999])
    func theLastCallerLeftGetsTheAnswer(remaining: Int) {
        let upstream = Upstream(on: scheduler)
        let load = stack(.coalesce(), over: upstream.send)
        let calls = (0..<10_000).map { _ in load(1) }
        for (index, call) in calls.enumerated() where index != remaining { call.cancel() }
        #expect(upstream.cancelled == 0)
        upstream.settle(0, .success(7))
        for (index, call) in calls.enumerated() {
            if index == remaining { #expect(call.valueNow == 7) } else { #expect(call.isCancelled) }
        }
        #expect(upstream.cancelled == 0)
    }

    @Test func theLastToLeaveCancelsOnce() {
        let upstream = Upstream(on: scheduler)
        let group = Coalescer<Ask, Int>()
        let load = stack(.coalesce(sharing: group), over: upstream.send)
        let calls = (0..<10_000).map { _ in load(1) }
        for call in calls.dropLast() { call.cancel() }
        #expect(upstream.cancelled == 0)
        calls.last?.cancel()
        #expect(upstream.cancelled == 1)
        for call in calls { call.cancel() }
        #expect(upstream.cancelled == 1)
        #expect(group.count == 0)
    }

    /// Cancelling a future derived from a caller's future gives up the caller's interest as well.
    @Test func aCallerWhoLeavesFurtherDownLeaves() {
        let upstream = Upstream(on: scheduler)
        let load = stack(.coalesce(), over: upstream.send)
        let calls = (0..<3).map { _ in load(1).map { $0 + 1 } }
        for call in calls { call.cancel() }
        #expect(upstream.cancelled == 1)
    }

    @Test func afterAllHaveLeftACallBeginsAnewAndALateAnswerReachesNobody() {
        // A service that ignores its cancellation, and answers late.
        let promises = Locked<[Promise<Int>]>([])
        let load = stack(
            .coalesce(),
            over: { (ask: Ask) -> Future<Int> in
                let promise = Promise<Int>()
                promises.withLock { $0.append(promise) }
                return promise
            })
        let early = load(1)
        early.cancel()
        let next = load(1)
        #expect(promises.withLock { $0.count } == 2)
        promises.withLock { $0[0] }.resolve(with: 1)
        #expect(early.isCancelled)
        #expect(next.result == nil)
        let joined = load(1)
        #expect(promises.withLock { $0.count } == 2)
        promises.withLock { $0[1] }.resolve(with: 2)
        #expect(next.valueNow == 2)
        #expect(joined.valueNow == 2)
    }

    @Test func nothingIsKeptAfterwards() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2), .atOnce(.success(3))])
        let load = stack(.coalesce(), over: upstream.send)
        let values = (0..<3).map { _ in
            let call = load(1)
            scheduler.run()
            return call.valueNow
        }
        #expect(values == [1, 2, 3])
    }

    @Test func failuresAreShared() {
        let upstream = Upstream(on: scheduler, [.error(Broken(number: 4))])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = (0..<3).map { _ in load(1) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow as? Broken == Broken(number: 4) })
    }

    @Test func keysAreApartAndDecideAlone() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let load = stack(.coalesce(by: { $0.number % 2 }), over: upstream.send)
        let calls = (0..<4).map { load(Ask($0)) }
        scheduler.run()
        #expect(upstream.arrivals.map(\.ask.number) == [0, 1])
        #expect(calls.map(\.valueNow) == [1, 2, 1, 2])
    }

    /// An input that is not a key needs one.
    @Test func anInputNeedNotBeHashable() {
        struct Plain: Sendable { var id: Int }
        let load = stack(
            .coalesce(by: \.id), over: { (plain: Plain) in Future(value: plain.id) })
        #expect(load(Plain(id: 3)).valueNow == 3)
    }

    @Test func aKeyThatIsNotEqualToItselfSharesNothing() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let group = Coalescer<Double, Int>()
        let load = stack(.coalesce(by: { _ in .nan }, sharing: group), over: upstream.send)
        let calls = [load(1), load(2)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 2])
        #expect(group.count == 0)
    }

    @Test func eachServiceHasItsOwnGroupUnlessOneIsGiven() {
        let (one, other) = (Upstream(on: scheduler), Upstream(on: scheduler))
        let policy = Middleware<Ask, Int>.coalesce()
        _ = policy(one.send)(1)
        _ = policy(other.send)(1)
        #expect(other.count == 1)
        let shared = Middleware<Ask, Int>.coalesce(sharing: Coalescer())
        _ = shared(one.send)(1)
        _ = shared(other.send)(1)
        #expect(one.count + other.count == 3)
    }

    @Test func anAbandonedCallFailsAllWhoWait() {
        let promise = Locked<Promise<Int>?>(Promise<Int>())
        let load = stack(
            .coalesce(), over: { (ask: Ask) in promise.withLock { $0 } ?? Future(value: 1) })
        let calls = [load(1), load(1)]
        _ = promise.withLock { promise in
            defer { promise = nil }
            return promise
        }
        #expect(calls.allSatisfy { ($0.errorNow as? FutureError)?.code == .abandoned })
        #expect(load(1).valueNow == 1)
    }

    /// Other futures that wait for the service's future are not affected.
    @Test func leavingCancelsNoFutureThatOthersWaitFor() {
        let promise = Promise<Int>()
        let kept = promise.map { $0 }
        let load = stack(.coalesce(), over: { (ask: Ask) in promise as Future<Int> })
        load(1).cancel()
        promise.resolve(with: 7)
        #expect(kept.valueNow == 7)
    }

    @Test func theAnswersArriveInOrderOfArrival() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(.coalesce(), over: upstream.send)
        let order = Locked<[Int]>([])
        for number in 0..<100 {
            load(1).observe { _ in order.withLock { $0.append(number) } }
        }
        scheduler.run()
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    /// An observer of an answer calls the same stack: that is a new call.
    @Test func anObserverMayCallAgain() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let load = stack(.coalesce(), over: upstream.send)
        let again = load(1).flatMap { _ in load(1) }
        let other = load(1).flatMap { _ in load(1) }
        scheduler.run()
        #expect(upstream.count == 2)
        #expect(again.valueNow == 2)
        #expect(other.valueNow == 2)
    }

    @Test func aLongChainOfCallsNeedsNoStack() {
        let scheduler = scheduler
        let load = stack(
            .coalesce(),
            over: { (ask: Ask) in Future(value: ask.number).delay(.milliseconds(1), on: scheduler) }
        )
        @Sendable func loop(_ number: Int) -> Future<Int> {
            load(Ask(number)).flatMap { $0 == 0 ? Future(value: 0) : loop(number - 1) }
        }
        let end = loop(20_000)
        scheduler.run()
        #expect(end.valueNow == 0)
    }

    @Test func whoJoinsTellsAndTheSharedCallIsASpanOfTheFirst() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let second = TestLog<PolicyEvent>()
        let load = stack(.coalesce(), over: upstream.send)
        _ = stack(.observed(by: log.observer, on: scheduler), over: load)(1)
        scheduler.advance(by: .milliseconds(4))
        _ = stack(.observed(by: second.observer, on: scheduler), over: load)(1)
        scheduler.run()
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 2<1 coalesce began shared call",
                "10 2<1 coalesce ended success in 10",
                "10 1 observed ended success in 10",
            ])
        #expect(
            second.lines == [
                "4 1 observed began call",
                "4 1 coalesce coalesced(callers: 2)",
                "10 1 observed ended success in 6",
            ])
    }
}
