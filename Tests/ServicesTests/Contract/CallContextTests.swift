import PledgeFutures
import ServicesTestSupport
import Testing

@testable import PledgeServices

@Suite struct CallContextTests {
    let scheduler = ManualScheduler()

    @Test func theCallContextIsEmptyOutsideOfACall() {
        let context = CallContext.current
        #expect(context.deadline == nil)
        #expect(context.remaining == nil)
        #expect(context.attempt == 1)
        #expect(!context.isObserved)
    }

    @Test func runningInACallContextBindsAndUnbindsIt() throws {
        let context = CallContext(
            deadline: CallDeadline(after: .seconds(3), on: scheduler), attempt: 2)
        let seen = context.run { CallContext.current }
        #expect(seen.attempt == 2)
        #expect(seen.deadline?.instant == SchedulerInstant(offset: .seconds(3)))
        scheduler.advance(by: .seconds(4))
        #expect(seen.remaining == .seconds(-1))
        #expect(CallContext.current.deadline == nil)
        #expect(throws: Broken.self) { try context.run { throw Broken() } }
        #expect(CallContext.current.attempt == 1)
    }

    @Test func anEmptyCallContextHidesTheOneAroundIt() {
        CallContext(attempt: 5).run {
            #expect(CallContext.current.attempt == 5)
            CallContext().run { #expect(CallContext.current.attempt == 1) }
            #expect(CallContext.current.attempt == 5)
        }
    }

    @Test func aCallContextKeepsTheRetryBudgetsThatItIsWithin() {
        let (mine, yours) = (RetryBudget(), RetryBudget())
        let context = CallContext().within(mine)
            .with(deadline: CallDeadline(after: .seconds(3), on: scheduler)).with(attempt: 2)
        #expect(context.run { CallContext.current.isWithin(mine) })
        #expect(!context.isWithin(yours))
        let both = context.within(yours)
        #expect(both.isWithin(mine) && both.isWithin(yours))
        #expect(both.attempt == 2 && both.remaining == .seconds(3))
        #expect(!CallContext.current.isWithin(mine))
    }

    /// The value is available in each attempt, including attempts that the scheduler begins, and observed
    /// ones.
    @Test func theRetryBudgetsThatACallIsWithinPassThroughPolicies() {
        let mine = RetryBudget()
        let seen = Locked<[Bool]>([])
        let load = stack(
            .observed(by: ServiceObserver { _ in }, on: scheduler), .deadline(.seconds(9)),
            .retry(Retry(backoff: .constant(.seconds(1))), on: scheduler),
            over: { (_: Int) -> Future<Int> in
                seen.withLock { $0.append(CallContext.current.isWithin(mine)) }
                return Future(error: Broken())
            })
        let future = CallContext().within(mine).run { load(1) }
        scheduler.run()
        #expect(future.isSettled)
        #expect(seen.withLock { $0 } == [true, true, true])
    }

    /// The policies' own function for calling a service does the same as `run`.
    @Test func callingAServiceInACallContextBindsItLikeRun() {
        let service: Service<Int, Int> = { _ in Future(value: CallContext.current.attempt) }
        #expect(CallContext(attempt: 4).call(service, 1).valueNow == 4)
        CallContext(attempt: 5).run {
            #expect(CallContext.current.call(service, 1).valueNow == 5)
            #expect(CallContext().call(service, 1).valueNow == 1)
            #expect(CallContext(attempt: 6).call(service, 1).valueNow == 6)
        }
        #expect(CallContext.current.attempt == 1)
    }

    @Test func changingACallContextMakesAnother() {
        let context = CallContext(attempt: 2)
        let deadline = CallDeadline(after: .seconds(3), on: scheduler)
        #expect(context.with(deadline: deadline).attempt == 2)
        #expect(context.with(deadline: deadline).remaining == .seconds(3))
        #expect(context.with(deadline: deadline).with(attempt: 4).remaining == .seconds(3))
        #expect(context.with(deadline: deadline).with(attempt: 4).attempt == 4)
        #expect(context.with(deadline: deadline).with(deadline: nil).deadline == nil)
        #expect(context.deadline == nil)
    }

    @Test func aCallContextKeepsItsTraceContextWhenOtherPartsChange() {
        let trace = TraceContext.newTrace()
        let context = CallContext(traceContext: trace)
            .with(deadline: CallDeadline(after: .seconds(3), on: scheduler)).with(attempt: 2)
        #expect(context.run { CallContext.current.traceContext } == trace)
        #expect(context.with(traceContext: nil).traceContext == nil)
        #expect(context.with(traceContext: nil).remaining == .seconds(3))
        let child = trace.child()
        #expect(context.with(traceContext: child).traceContext == child)
        #expect(CallContext.current.traceContext == nil)
    }

    @Test func tasksInheritTheCallContext() async throws {
        let context = CallContext(attempt: 3)
        let future = context.run { Future { CallContext.current.attempt } }
        #expect(try await future.value == 3)
        #expect(CallContext.current.attempt == 1)
    }

    /// The way for a middleware of your own; see the guide.
    @Test func aLaterCallIsMadeInTheCallContextThatWasKept() {
        let scheduler = scheduler
        let upstream = Upstream(on: scheduler, [.value(7)])
        let waiting = Middleware<Ask, Int> { next in
            { input in
                let context = CallContext.current
                return Future(value: ()).delay(.seconds(1), on: scheduler)
                    .flatMap { context.run { next(input) } }
            }
        }
        let call = stack(.deadline(.seconds(10), on: scheduler), waiting, over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(upstream.arrivals.first?.remaining == .seconds(9))
    }
}
