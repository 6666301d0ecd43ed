import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite struct PriorityTests {
    let scheduler = ManualScheduler()

    /// A service that returns the priority with which it is called.
    private let told: Service<Ask, CallPriority> = { _ in
        Future(value: CallContext.current.priority)
    }

    @Test func theLevelsAreOrderedByImportance() {
        #expect(
            CallPriority.allCases.sorted()
                == [.sheddable, .sheddablePlus, .critical, .criticalPlus])
    }

    @Test func aCallIsCriticalUnlessSomethingElseIsBound() {
        #expect(CallContext.current.priority == .critical)
        #expect(CallContext.current.boundPriority == nil)
        #expect(told(1).valueNow == .critical)
    }

    @Test func aStackGivesItsCallsAPriority() {
        let load = stack(.priority(.sheddable), over: told)
        #expect(load(1).valueNow == .sheddable)
        #expect(CallContext.current.boundPriority == nil)
    }

    @Test func nestedCallsInheritIt() {
        let inner = stack(.priority(.sheddable), over: told)
        let outer = stack(.priority(.criticalPlus), over: inner)
        #expect(outer(1).valueNow == .criticalPlus)
        let prefetching = stack(
            .priority(.criticalPlus),
            over: { (ask: Ask) in
                CallContext.current.with(priority: .sheddablePlus).run { inner(ask) }
            })
        #expect(prefetching(1).valueNow == .sheddablePlus)
        let fresh = CallContext.current.with(priority: .critical).with(priority: nil)
        #expect(fresh.run { inner(1) }.valueNow == .sheddable)
    }

    /// The other parts of a context stay, in any order.
    @Test func itStandsBesideTheOtherPartsOfTheContext() {
        let deadline = CallDeadline(after: .seconds(3), on: scheduler)
        let context = CallContext(deadline: deadline, attempt: 2).with(priority: .sheddable)
        #expect(context.remaining == .seconds(3) && context.attempt == 2)
        #expect(context.with(attempt: 5).with(deadline: nil).priority == .sheddable)
        #expect(context.with(traceContext: nil).with(record: nil).priority == .sheddable)
    }

    /// Attempts that the scheduler begins, hedges and observed calls have it.
    @Test func itGoesThroughPolicies() {
        let seen = Locked<[CallPriority]>([])
        let load = stack(
            .observed(by: ServiceObserver { _ in }, on: scheduler), .priority(.sheddablePlus),
            .deadline(.seconds(90), on: scheduler),
            .retry(attempts: 2, backoff: .constant(.seconds(1)), on: scheduler),
            .hedge(after: .milliseconds(10), maxExtraLoad: 1, on: scheduler),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 9, on: scheduler)),
            over: { [scheduler] (_: Ask) -> Future<Int> in
                seen.withLock { $0.append(CallContext.current.priority) }
                return Future(value: ()).delay(.milliseconds(20), on: scheduler)
                    .flatMap { Future(error: Broken()) }
            })
        let call = load(1)
        scheduler.run()
        #expect(call.errorNow is Broken)
        let priorities = seen.withLock { $0 }
        #expect(priorities.count == 4 && Set(priorities) == [.sheddablePlus])
    }
}
