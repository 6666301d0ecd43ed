import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// The context of a call reaches the service through every policy, however late the service is called.
@Suite(.oneAtATime) struct ContextLawTests {
    let scheduler = ManualScheduler()

    @Test(arguments: PolicyRow.all)
    func theRemainingTimeIsSeenThroughEveryPolicy(_ row: PolicyRow) throws {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        let context = CallContext(deadline: CallDeadline(after: .seconds(60), on: scheduler))
        let future = context.run { service(1) }
        scheduler.run()
        #expect(future.valueNow == row.value)
        #expect(future.result != nil)
        #expect(upstream.count == row.calls)
        for arrival in upstream.arrivals {
            let deadline = try #require(arrival.deadline)
            // A policy may set a nearer deadline, never a later one.
            #expect(deadline.offset <= .seconds(60))
            #expect(arrival.remaining == deadline.offset - arrival.instant)
            if row.name != "deadline passing" { #expect(deadline.offset == .seconds(60)) }
        }
    }

    @Test(arguments: PolicyRow.all)
    func aCallWithoutAContextDoesNotTakeThatOfTheThread(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        let future = service(1)
        let other = CallContext(deadline: CallDeadline(after: .seconds(1), on: scheduler))
        // The thread that moves the clock is inside another call.
        other.run { scheduler.run() }
        #expect(future.valueNow == row.value)
        #expect(upstream.count == row.calls)
        for arrival in upstream.arrivals {
            #expect(arrival.deadline?.offset != .seconds(1))
        }
    }

    @Test(arguments: PolicyRow.all)
    func theContextEndsWithTheCall(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        _ = service(1)
        #expect(CallContext.current.deadline == nil)
        #expect(!CallContext.current.isObserved)
        scheduler.run()
        #expect(CallContext.current.deadline == nil)
        #expect(CallContext.current.attempt == 1)
    }
}
