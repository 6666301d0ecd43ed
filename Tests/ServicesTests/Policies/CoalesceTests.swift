import Dispatch
import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@Suite(.oneAtATime) struct CoalesceTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    @Test func tenThousandCoalescedCallsMakeOne() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = (0..<10_000).map { _ in load(1) }
        #expect(upstream.count == 1)
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 7 })
        #expect(upstream.count == 1)
    }

    @Test(arguments: [0, 5_000, 9_999])
    func theLastCallerOfAJoinedCallGetsTheAnswer(remaining: Int) {
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

    @Test func theLastCallerToLeaveCancelsTheJoinedCallOnce() {
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
    @Test func cancellingAFutureDerivedFromACoalescedCallLeavesIt() {
        let upstream = Upstream(on: scheduler)
        let load = stack(.coalesce(), over: upstream.send)
        let calls = (0..<3).map { _ in load(1).map { $0 + 1 } }
        for call in calls { call.cancel() }
        #expect(upstream.cancelled == 1)
    }

    @Test func aCoalescedCallThatAllHaveLeftBeginsAnewAndItsLateAnswerReachesNobody() {
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

    @Test func aJoinedCallThatIsOverKeepsNothing() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2), .atOnce(.success(3))])
        let load = stack(.coalesce(), over: upstream.send)
        let values = (0..<3).map { _ in
            let call = load(1)
            scheduler.run()
            return call.valueNow
        }
        #expect(values == [1, 2, 3])
    }

    @Test func joinedCallersShareAFailure() {
        let upstream = Upstream(on: scheduler, [.error(Broken(number: 4))])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = (0..<3).map { _ in load(1) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow as? Broken == Broken(number: 4) })
    }

    @Test func onlyCallsWithTheSameKeyAreJoined() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let load = stack(.coalesce(by: { $0.number % 2 }), over: upstream.send)
        let calls = (0..<4).map { load(Ask($0)) }
        scheduler.run()
        #expect(upstream.arrivals.map(\.ask.number) == [0, 1])
        #expect(calls.map(\.valueNow) == [1, 2, 1, 2])
    }

    /// An input that is not a key needs one.
    @Test func aCoalescedInputNeedNotBeHashable() {
        struct Plain: Sendable { var id: Int }
        let load = stack(
            .coalesce(by: \.id), over: { (plain: Plain) in Future(value: plain.id) })
        #expect(load(Plain(id: 3)).valueNow == 3)
    }

    @Test func coalescingByAKeyThatIsNotEqualToItselfSharesNothing() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let group = Coalescer<Double, Int>()
        let load = stack(.coalesce(by: { _ in .nan }, sharing: group), over: upstream.send)
        let calls = [load(1), load(2)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 2])
        #expect(group.count == 0)
    }

    @Test func eachServiceHasACoalescerOfItsOwnUnlessOneIsGiven() {
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

    @Test func anAbandonedCoalescedCallFailsAllWhoWait() {
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
    @Test func leavingACoalescedCallCancelsNoFutureThatOthersWaitFor() {
        let promise = Promise<Int>()
        let kept = promise.map { $0 }
        let load = stack(.coalesce(), over: { (ask: Ask) in promise as Future<Int> })
        load(1).cancel()
        promise.resolve(with: 7)
        #expect(kept.valueNow == 7)
    }

    @Test func callersOfACoalescedCallHearItsAnswerInTheOrderInWhichTheyCame() {
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
    @Test func anObserverOfACoalescedCallMayCallAgain() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let load = stack(.coalesce(), over: upstream.send)
        let again = load(1).flatMap { _ in load(1) }
        let other = load(1).flatMap { _ in load(1) }
        scheduler.run()
        #expect(upstream.count == 2)
        #expect(again.valueNow == 2)
        #expect(other.valueNow == 2)
    }

    @Test func aLongChainOfCoalescedCallsNeedsNoDeepStack() {
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

    @Test func aCoalescedCallIsASpanOfItsFirstCallerAndAnEventOfTheOthers() {
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
                "0 2<1 coalesce began joined call",
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

@Suite struct CoalesceSomeTests {
    /// Even numbers share calls; odd ones have no key.
    private static let even: @Sendable (Ask) -> Int? = { ask in
        ask.number.isMultiple(of: 2) ? ask.number : nil
    }

    @Test func anInputWithAKeyIsShared() {
        let upstream = Upstream(on: ManualScheduler())
        let load = stack(.coalesce(by: Self.even), over: upstream.send)
        let calls = [load(2), load(2), load(4)]
        #expect(upstream.count == 2)
        upstream.settle(0, .success(7))
        upstream.settle(1, .success(8))
        #expect(calls.map(\.valueNow) == [7, 7, 8])
    }

    @Test func anInputWithoutAKeySharesNothing() {
        let upstream = Upstream(on: ManualScheduler())
        let group = Coalescer<Int, Int>()
        let load = stack(.coalesce(by: Self.even, sharing: group), over: upstream.send)
        let calls = [load(1), load(1)]
        #expect(upstream.count == 2)
        #expect(group.count == 0)
        upstream.settle(0, .success(7))
        upstream.settle(1, .success(8))
        #expect(calls.map(\.valueNow) == [7, 8])
    }
}

@Suite(.oneAtATime) struct CoalescerTests {
    let scheduler = ManualScheduler()

    /// Compared with lists of the callers of each call, over random calls, cancellations and ends.
    @Test(arguments: 0..<20) func aCoalescerAgreesWithAnOracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let upstream = Upstream(on: scheduler)
        let group = Coalescer<Ask, Int>()
        let load = stack(.coalesce(sharing: group), over: upstream.send)
        var futures: [Future<Int>] = []
        var expected: [Int: String] = [:]
        /// The calls that are under way, their callers, and whether others may join.
        var flights: [(key: Int, call: Int, callers: [Int], isOpen: Bool)] = []
        var (count, cancelled) = (0, 0)
        for step in 0..<500 {
            let key = Int.random(in: 0..<4, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<12:
                futures.append(load(Ask(key)))
                if !flights.contains(where: { $0.key == key && $0.isOpen }) {
                    flights.append((key, count, [], true))
                    count += 1
                }
                for index in flights.indices
                where flights[index].key == key && flights[index].isOpen {
                    flights[index].callers.append(futures.count - 1)
                }
            case 12..<16:
                guard !futures.isEmpty else { continue }
                let caller = Int.random(in: futures.indices, using: &generator)
                futures[caller].cancel()
                guard expected[caller] == nil else { continue }
                expected[caller] = "cancelled"
                for index in flights.indices { flights[index].callers.removeAll { $0 == caller } }
                cancelled += flights.count { $0.callers.isEmpty }
                flights.removeAll { $0.callers.isEmpty }
            case 16:
                let isAll = Int.random(in: 0..<4, using: &generator) == 0
                if isAll { group.invalidateAll() } else { group.invalidate(Ask(key)) }
                for index in flights.indices where isAll || flights[index].key == key {
                    flights[index].isOpen = false
                }
            default:
                guard let index = flights.indices.randomElement(using: &generator) else { continue }
                let flight = flights.remove(at: index)
                for caller in flight.callers { expected[caller] = "\(step)" }
                upstream.settle(flight.call, .success(step))
            }
            #expect(upstream.count == count)
            #expect(upstream.cancelled == cancelled)
            #expect(group.count == flights.count)
        }
        for (caller, future) in futures.enumerated() {
            let result = future.isCancelled ? "cancelled" : future.valueNow.map { "\($0)" }
            #expect(result == expected[caller])
        }
    }

    /// Threads call, cancel and wait, while others answer: each call settles, and each call without callers
    /// is cancelled.
    @Test func threadsMayShareACoalescer() {
        let calls = Locked<[Promise<Int>]>([])
        let (begun, ended, cancelled) = (Locked(0), Locked(0), Locked(0))
        let group = Coalescer<Int, Int>()
        let load = stack(
            .coalesce(sharing: group),
            over: { (key: Int) in
                let promise = Promise<Int>()
                promise.onCancel { cancelled.withLock { $0 += 1 } }
                begun.withLock { $0 += 1 }
                calls.withLock { $0.append(promise) }
                return promise
            })
        let settled = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<2_000 {
                let future = load(step % 3)
                future.observe { _ in settled.withLock { $0 += 1 } }
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: future.cancel()
                case 1:
                    let promise = calls.withLock { $0.popLast() }
                    if promise?.resolve(with: step) == true { ended.withLock { $0 += 1 } }
                default: break
                }
            }
        }
        while let promise = calls.withLock({ $0.popLast() }) {
            if promise.resolve(with: 0) { ended.withLock { $0 += 1 } }
        }
        #expect(settled.withLock { $0 } == 8_000)
        #expect(group.count == 0)
        #expect(ended.withLock { $0 } + cancelled.withLock { $0 } == begun.withLock { $0 })
    }

    @Test func callersAfterACoalescersInvalidationMakeANewCall() {
        let group = Coalescer<Ask, Int>()
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.coalesce(sharing: group), over: upstream.send)
        let before = [load(1), load(2)]
        group.invalidate(1)
        let after = [load(1), load(1), load(2)]
        scheduler.run()
        #expect(before.map(\.valueNow) == [1, 2])
        #expect(after.map(\.valueNow) == [3, 3, 2])
        #expect(group.count == 0)
    }

    @Test func theLastOfManyThreadsToLeaveACoalescedCallCancelsItOnce() {
        for _ in 0..<200 {
            let cancelled = Locked(0)
            let promise = Promise<Int>()
            promise.onCancel { cancelled.withLock { $0 += 1 } }
            let load = stack(.coalesce(), over: { (key: Int) in promise as Future<Int> })
            let futures = (0..<40).map { _ in load(1) }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for index in stride(from: thread, to: 40, by: 4) { futures[index].cancel() }
            }
            #expect(cancelled.withLock { $0 } == 1)
        }
    }

    @Test func aCoalescerHoldsNothingAfterItsCalls() {
        let group = Coalescer<Ask, Int>()
        weak var luggage: Luggage?
        do {
            let held = Luggage()
            luggage = held
            let upstream = Upstream(on: scheduler, [.value(7), .never])
            let load = stack(.coalesce(sharing: group), over: upstream.send)
            _ = load(Ask(1, luggage: held))
            _ = load(Ask(1, luggage: held))
            scheduler.run()
            let call = load(Ask(1, luggage: held))
            let other = load(Ask(1, luggage: held))
            call.cancel()
            other.cancel()
        }
        #expect(luggage == nil)
    }
}

/// Callers that share a call have different deadlines.
@Suite struct CoalesceDeadlineTests {
    let scheduler = ManualScheduler()

    /// Makes a call with so many milliseconds left.
    func call(_ load: Service<Ask, Int>, within milliseconds: Int?, _ ask: Ask = 1) -> Future<Int> {
        let deadline = milliseconds.map {
            CallDeadline(after: .milliseconds($0), on: scheduler)
        }
        return CallContext(deadline: deadline).run { load(ask) }
    }

    @Test func aCoalescedCallHasTheContextOfItsFirstCaller() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(.coalesce(), over: upstream.send)
        _ = call(load, within: 300)
        _ = call(load, within: 9_000)
        scheduler.run()
        #expect(upstream.arrivals.map(\.remaining) == [.milliseconds(300)])
    }

    @Test func aCallerWhoseDeadlinePassesLeavesTheOtherCallersOfACoalescedCallTheirAnswer() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .seconds(5))])
        let group = Coalescer<Ask, Int>()
        let hasty = stack(
            .deadline(.seconds(1), on: scheduler), .coalesce(sharing: group), over: upstream.send)
        let patient = stack(
            .deadline(.seconds(10), on: scheduler), .coalesce(sharing: group), over: upstream.send)
        let calls = [hasty(1), patient(1)]
        scheduler.advance(by: .seconds(1))
        #expect(calls[0].serviceError?.code == .deadlineExceeded)
        scheduler.run()
        #expect(calls[1].valueNow == 7)
        #expect(upstream.count == 1)
        #expect(upstream.cancelled == 0)
        #expect(scheduler.now.offset == .seconds(5))
    }

    @Test func noCallerOfACoalescedCallFailsBecauseTheFirstCallersTimeIsOver() {
        let upstream = Upstream(on: scheduler, [.never, .value(7)])
        let load = stack(
            .coalesce(), .timeout(.seconds(30), on: scheduler), over: upstream.send)
        let first = call(load, within: 100)
        let second = call(load, within: 100)
        let third = call(load, within: 500)
        let longest = call(load, within: nil)
        let fifth = call(load, within: 900)
        scheduler.advance(by: .milliseconds(100))
        #expect(first.serviceError?.code == .deadlineExceeded)
        #expect(second.serviceError?.code == .deadlineExceeded)
        #expect(upstream.instants == [.zero, .milliseconds(100)])
        // It is made for the caller with the most time.
        #expect(upstream.arrivals[1].remaining == nil)
        let joined = call(load, within: 50)
        #expect(upstream.count == 2)
        scheduler.run()
        for call in [third, longest, fifth, joined] { #expect(call.valueNow == 7) }
        #expect(scheduler.isIdle)
    }

    @Test func aCoalescedCallThatFailsBeforeTheDeadlineFailsAllItsCallers() {
        let upstream = Upstream(on: scheduler, [.error(Broken(), after: .milliseconds(99))])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = [call(load, within: 100), call(load, within: 500)]
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow is Broken })
        #expect(upstream.count == 1)
    }

    @Test func aCoalescedCallThatSucceedsAfterADeadlineSucceedsForAllItsCallers() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .milliseconds(101))])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = [call(load, within: 100), call(load, within: 500)]
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 7 })
        #expect(upstream.count == 1)
    }

    @Test func aCoalescedInputThatIsNotReplayableIsNotSentAgainAfterADeadline() {
        let upstream = Upstream(on: scheduler, [.error(Broken(), after: .milliseconds(100))])
        let load = stack(.coalesce(by: \.number), over: upstream.send)
        let calls = [100, 500].map {
            call(load, within: $0, Ask(1, isReplayable: false))
        }
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow is Broken })
        #expect(upstream.count == 1)
    }

    @Test func aServiceThatFailsAtOnceForWantOfTimeIsCalledOnceAgain() {
        let scheduler = scheduler
        let count = Locked(0)
        let group = Coalescer<Ask, Int>()
        let inner = Locked<Future<Int>?>(nil)
        let load = Locked<Service<Ask, Int>?>(nil)
        load.withLock { slot in
            slot = stack(
                .coalesce(sharing: group),
                over: { (ask: Ask) in
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    guard number == 1 else { return Future(value: 7) }
                    // A caller with more time joins while the first is still in the service.
                    let deadline = CallDeadline(after: .seconds(1), on: scheduler)
                    let joined = CallContext(deadline: deadline).run {
                        load.withLock { $0 }?(ask)
                    }
                    inner.withLock { $0 = joined }
                    return Future(error: Broken())
                })
        }
        let service = load.withLock { $0 }
        let first = CallContext(deadline: CallDeadline(after: .zero, on: scheduler))
            .run { service?(1) }
        #expect(first?.errorNow is Broken)
        #expect(inner.withLock { $0 }?.valueNow == 7)
        #expect(count.withLock { $0 } == 2)
        #expect(group.count == 0)
    }

    @Test func callersWhoAllLeaveARenewedCoalescedCallCancelItOnce() {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .coalesce(), .timeout(.seconds(30), on: scheduler), over: upstream.send)
        let calls = [100, 500, 600].map { call(load, within: $0) }
        scheduler.advance(by: .milliseconds(100))
        #expect(upstream.count == 2)
        #expect(upstream.cancelled == 1)
        for call in calls { call.cancel() }
        #expect(upstream.cancelled == 2)
        #expect(scheduler.isIdle)
    }

    /// The second call is still on its way through the service when all callers have left.
    @Test func allCallersMayLeaveACoalescedCallWhileItIsRenewed() {
        let calls = Locked<[Promise<Int>]>([])
        let callers = Locked<[Future<Int>]>([])
        let cancelled = Locked<[Int]>([])
        let load = stack(
            .coalesce(),
            over: { (ask: Ask) -> Future<Int> in
                let promise = Promise<Int>()
                let index = calls.withLock { calls in
                    calls.append(promise)
                    return calls.count
                }
                promise.onCancel { cancelled.withLock { $0.append(index) } }
                if index == 2 { for caller in callers.withLock({ $0 }) { caller.cancel() } }
                return promise
            })
        let both = [call(load, within: 100), call(load, within: 500)]
        callers.withLock { $0 = both }
        scheduler.advance(by: .milliseconds(100))
        calls.withLock { $0[0] }.reject(with: Broken())
        #expect(both[1].isCancelled)
        #expect(cancelled.withLock { $0 } == [2])
    }
}
