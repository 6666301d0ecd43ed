import PledgeFutures
import PledgeTraffic
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

/// Callers that share a call have different priorities.
@Suite(.oneAtATime) struct CoalescePriorityTests {
    let scheduler = ManualScheduler()

    /// Makes a call with a priority.
    private func call(
        _ service: Service<Ask, Int>, _ number: Int, _ priority: CallPriority?
    ) -> Future<Int> {
        CallContext.current.with(priority: priority).run { service(Ask(number)) }
    }

    /// The priorities of joined calls that a service has seen.
    private final class Seen: Sendable {
        private let priorities = Locked<[JoinedPriority]>([])

        var all: [JoinedPriority] { priorities.withLock { $0 } }

        func noting(_ service: @escaping Service<Ask, Int>) -> Service<Ask, Int> {
            { ask in
                if let shared = CallContext.current.joinedPriority {
                    self.priorities.withLock { $0.append(shared) }
                }
                return service(ask)
            }
        }
    }

    @Test func aCallThatACriticalCallerJoinsIsNeitherDisplacedNorServedLast() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, queue: 2, on: scheduler)
        let load = stack(.coalesce(), .loadShedding(sharing: shedder), over: upstream.send)
        _ = call(load, 0, .critical)
        let first = call(load, 1, .sheddable)
        let other = call(load, 2, .sheddablePlus)
        let joined = call(load, 1, .critical)
        // The queue is full.
        #expect(call(load, 3, .sheddablePlus).serviceError?.code == .shed)
        let later = call(load, 4, .critical)
        #expect(other.serviceError?.code == .shed)
        #expect(call(load, 5, .critical).serviceError?.code == .shed)
        #expect(first.result == nil && joined.result == nil)
        upstream.settle(0, .success(0))
        #expect(upstream.arrivals.map(\.ask.number) == [0, 1])
        upstream.settle(1, .success(1))
        upstream.settle(2, .success(4))
        #expect(first.valueNow == 1 && joined.valueNow == 1 && later.valueNow == 4)
        #expect(shedder.inFlight == 0 && shedder.queued == 0 && scheduler.isIdle)
    }

    @Test func aCallerWithoutAPriorityRaisesACoalescedCallToCritical() {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .coalesce(), .loadShedding(sharing: LoadShedder(limit: 1, on: scheduler)),
            over: upstream.send)
        _ = call(load, 0, .critical)
        let calls = [call(load, 1, .sheddable), call(load, 2, .sheddablePlus), call(load, 1, nil)]
        upstream.settle(0, .success(0))
        #expect(upstream.arrivals.map(\.ask.number) == [0, 1])
        for call in calls { call.cancel() }
    }

    @Test func theServiceSeesTheHighestPriorityOfACoalescedCallsCallers() {
        let upstream = Upstream(on: scheduler)
        let contexts = Locked<[CallContext]>([])
        let load = stack(
            .coalesce(),
            over: { ask in
                contexts.withLock { $0.append(.current) }
                return upstream.send(ask)
            })
        let first = call(load, 1, .sheddablePlus)
        let context = contexts.withLock { $0[0] }
        #expect(context.boundPriority == .sheddablePlus)
        let second = call(load, 1, .sheddable)
        #expect(context.boundPriority == .sheddablePlus)
        let third = call(load, 1, .criticalPlus)
        #expect(context.priority == .criticalPlus && context.boundPriority == .criticalPlus)
        // Who leaves does not lower it.
        third.cancel()
        #expect(context.priority == .criticalPlus)
        // Nothing is bound to the caller of another call, until a more important one joins.
        let fourth = call(load, 2, nil)
        let other = contexts.withLock { $0[1] }
        let fifth = call(load, 2, .sheddable)
        #expect(other.priority == .critical && other.boundPriority == nil)
        let sixth = call(load, 2, .criticalPlus)
        #expect(other.boundPriority == .criticalPlus)
        for call in [first, second, fourth, fifth, sixth] { call.cancel() }
    }

    @Test func raisingAJoinedCallRaisesThoseThatItWaitsFor() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let seen = Seen()
        let inner = stack(
            .coalesce(),
            over: seen.noting(stack(.loadShedding(sharing: shedder), over: upstream.send)))
        let middle = stack(.coalesce(), over: inner)
        let outer = stack(.coalesce(), over: middle)
        let another = stack(.coalesce(), over: seen.noting(inner))
        _ = call(inner, 0, .critical)
        var calls = [
            call(outer, 1, .sheddable), call(inner, 2, .sheddable), call(inner, 3, .sheddablePlus),
        ]
        // The second joined call was begun below, and is joined by way of another.
        calls += [call(another, 2, .sheddable), call(outer, 1, .sheddablePlus)]
        calls += [call(outer, 1, .critical), call(another, 2, .criticalPlus)]
        for number in 0..<4 { upstream.settle(number, .success(number)) }
        #expect(upstream.arrivals.map(\.ask.number) == [0, 2, 1, 3])
        #expect(calls.allSatisfy { $0.valueNow != nil })
        #expect(seen.all.count == 5 && seen.all.allSatisfy { $0.listenerCount == 0 })
    }

    @Test func aPriorityBoundBelowACoalescedCallReplacesItsOwn() {
        let upstream = Upstream(on: scheduler)
        let shedded = stack(
            .loadShedding(sharing: LoadShedder(limit: 1, on: scheduler)), over: upstream.send)
        let load = stack(
            .coalesce(),
            over: { (ask: Ask) in
                CallContext.current.with(priority: .sheddable).run { shedded(ask) }
            })
        let calls = [
            call(load, 0, .critical), call(load, 1, .sheddable), call(shedded, 2, .sheddablePlus),
            call(load, 1, .critical),
        ]
        for number in 0..<3 { upstream.settle(number, .success(number)) }
        #expect(upstream.arrivals.map(\.ask.number) == [0, 2, 1])
        #expect(calls.allSatisfy { $0.valueNow != nil })
    }

    @Test func aCoalescedCallThatHasWaitedLeavesNoListenerBehind() {
        let upstream = Upstream(on: scheduler)
        let (seen, shedder) = (Seen(), LoadShedder(limit: 1, queue: 3, on: scheduler))
        let load = stack(
            .coalesce(),
            over: seen.noting(stack(.loadShedding(sharing: shedder), over: upstream.send)))
        var calls = [
            call(load, 0, .critical), call(load, 1, .critical), call(load, 2, .sheddable),
            call(load, 3, .critical),
        ]
        #expect(seen.all.map(\.listenerCount) == [0, 1, 1, 1])
        // It displaces the second.
        calls.append(call(load, 4, .sheddablePlus))
        #expect(calls[2].serviceError?.code == .shed)
        #expect(seen.all.map(\.listenerCount) == [0, 1, 0, 1, 1])
        upstream.settle(0, .success(0))
        #expect(seen.all.map(\.listenerCount) == [0, 0, 0, 1, 1])
        calls[3].cancel()
        #expect(seen.all.map(\.listenerCount) == [0, 0, 0, 0, 1])
        scheduler.run()
        #expect(calls[4].serviceError?.code == .queueTimedOut)
        #expect(seen.all.map(\.listenerCount) == [0, 0, 0, 0, 0])
        calls[1].cancel()
        #expect(shedder.inFlight == 0)
    }

    /// The call that is made for those with time left has the priority of all who have joined.
    @Test func aJoinedCallThatIsMadeAgainKeepsItsPriority() {
        let upstream = Upstream(on: scheduler)
        let contexts = Locked<[CallContext]>([])
        let load = stack(
            .coalesce(), .timeout(.seconds(90), on: scheduler),
            over: { ask in
                contexts.withLock { $0.append(.current) }
                return upstream.send(ask)
            })
        let deadline = CallDeadline(after: .seconds(1), on: scheduler)
        let first = CallContext(deadline: deadline).run { call(load, 1, .sheddable) }
        let second = CallContext(deadline: deadline).run { call(load, 1, .criticalPlus) }
        let third = call(load, 1, .sheddablePlus)
        scheduler.advance(by: .seconds(1))
        #expect(first.serviceError != nil && second.serviceError != nil)
        #expect(contexts.withLock { $0.map(\.priority) } == [.criticalPlus, .criticalPlus])
        third.cancel()
    }

    /// Many callers of many priorities join and leave while the calls wait, begin and end.
    @Test func joiningAndLeavingCoalescedCallsOnManyThreadsLeavesNothingBehind() {
        let (seen, shedder) = (Seen(), LoadShedder(limit: 1, queue: 4, on: scheduler))
        let promises = Locked<[Promise<Int>]>([])
        @Sendable func answer() -> Bool {
            promises.withLock { $0.popLast() }?.resolve(with: 1) ?? false
        }
        let shedded = stack(
            .loadShedding(sharing: shedder),
            over: { (_: Ask) -> Future<Int> in
                let promise = Promise<Int>()
                promises.withLock { $0.append(promise) }
                return promise
            })
        let inner = stack(.coalesce(), over: seen.noting(shedded))
        let outer = stack(.coalesce(), over: seen.noting(inner))
        let ended = TestLog<Int>()
        onThreads(4) { index in
            var generator = SeededGenerator(seed: UInt64(index))
            for _ in 0..<500 {
                let priority = CallPriority.allCases.randomElement(using: &generator)
                let service = Bool.random(using: &generator) ? inner : outer
                let future = call(service, Int.random(in: 0..<6, using: &generator), priority)
                future.observe { _ in ended.append(1) }
                if Bool.random(using: &generator) { future.cancel() }
                if Bool.random(using: &generator) { _ = answer() }
            }
        }
        while answer() {}
        scheduler.run()
        #expect(shedder.inFlight == 0 && shedder.queued == 0)
        #expect(ended.elements.count == 2_000)
        #expect(seen.all.allSatisfy { $0.listenerCount == 0 })
    }
}

#if os(Linux) || os(macOS)
/// In a process of its own, since the first priority that is bound changes the whole process.
@Suite(.oneAtATime) struct CoalesceWithoutPriorityTests {
    @Test func withoutAPriorityASharedCallHasNone() async {
        await #expect(processExitsWith: .success) {
            let seen = Locked<[Bool]>([])
            let load = stack(
                .coalesce(),
                over: { (_: Ask) in
                    seen.withLock { $0.append(CallContext.current.joinedPriority != nil) }
                    return Future(value: 1)
                })
            _ = load(1)
            _ = CallContext(attempt: 2).with(priority: nil).run { load(1) }
            precondition(seen.withLock { $0 } == [false, false])
            _ = CallContext.current.with(priority: .critical).run { load(1) }
            _ = load(1)
            precondition(seen.withLock { $0 } == [false, false, true, true])
        }
    }
}
#endif
