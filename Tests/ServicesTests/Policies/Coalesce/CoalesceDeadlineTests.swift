import PledgeFutures
import PledgeServices
import Testing

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

    @Test func theSharedCallHasTheContextOfTheFirst() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(.coalesce(), over: upstream.send)
        _ = call(load, within: 300)
        _ = call(load, within: 9_000)
        scheduler.run()
        #expect(upstream.arrivals.map(\.remaining) == [.milliseconds(300)])
    }

    @Test func whoseDeadlinePassesLeavesTheOthersTheirAnswer() {
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

    @Test func nobodyFailsForWantOfTheFirstCallersTime() {
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

    @Test func aFailureBeforeTheDeadlineIsForAll() {
        let upstream = Upstream(on: scheduler, [.error(Broken(), after: .milliseconds(99))])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = [call(load, within: 100), call(load, within: 500)]
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow is Broken })
        #expect(upstream.count == 1)
    }

    @Test func aSuccessAfterTheDeadlineIsForAll() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .milliseconds(101))])
        let load = stack(.coalesce(), over: upstream.send)
        let calls = [call(load, within: 100), call(load, within: 500)]
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 7 })
        #expect(upstream.count == 1)
    }

    @Test func anInputThatIsNotReplayableIsNotSentAgain() {
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

    @Test func allWhoLeaveAfterItIsCalledAgainCancelThatOnce() {
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
    @Test func allMayLeaveBeforeTheOtherCallIsKnown() {
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
