import PledgeFutures
import PledgeServices
import Testing

/// A cancelled call ends everything that belongs to it, and no object of it is alive afterwards.
@Suite struct LifetimeLawTests {
    let scheduler = ManualScheduler()

    @Test(arguments: PolicyRow.all)
    func nothingIsAliveOnceTheSchedulerHasDrained(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        weak var luggage: Luggage?
        weak var future: Future<Int>?
        do {
            let service = stack(row.make(scheduler), over: upstream.send)
            let held = Luggage()
            let call = service(Ask(1, luggage: held))
            (luggage, future) = (held, call)
            scheduler.run()
            #expect(call.result != nil)
        }
        #expect(scheduler.isIdle)
        #expect(upstream.inFlight == 0)
        #expect(upstream.living == 0)
        #expect(future == nil)
        upstream.forget()
        #expect(luggage == nil)
    }

    /// Whenever the caller cancels, including during a call or a wait.
    @Test(arguments: PolicyRow.all, [0, 5, 10, 15, 20, 25, 30, 45, 75, 115, 155])
    func aCancelledCallerFreesEverything(_ row: PolicyRow, _ milliseconds: Int) {
        let upstream = Upstream(on: scheduler, row.script)
        weak var luggage: Luggage?
        do {
            let service = stack(row.make(scheduler), over: upstream.send)
            let held = Luggage()
            luggage = held
            let call = service(Ask(1, luggage: held))
            scheduler.advance(by: .milliseconds(milliseconds))
            call.cancel()
            #expect(call.result != nil)
            #expect(scheduler.isIdle)
            #expect(upstream.inFlight == 0)
        }
        let count = upstream.count
        scheduler.run()
        #expect(upstream.count == count)
        #expect(upstream.living == 0)
        upstream.forget()
        #expect(luggage == nil)
    }

    /// A caller that releases the future without cancelling gets no result, but the call ends nevertheless.
    @Test(arguments: PolicyRow.all)
    func aCallThatNobodyWaitsForEndsByItself(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        _ = stack(row.make(scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(upstream.count == row.calls)
        #expect(upstream.inFlight == 0)
        #expect(upstream.living == 0)
    }

    @Test(arguments: PolicyRow.all)
    func eachCallSettlesOnce(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, row.script)
        let service = stack(row.make(scheduler), over: upstream.send)
        let results = Locked(0)
        service(1).observe { _ in results.withLock { $0 += 1 } }
        scheduler.run()
        #expect(results.withLock { $0 } == 1)
    }

    /// An answer that is there at once does not wait for a timer.
    @Test(arguments: PolicyRow.all.filter(\.passesAtOnce))
    func aValueThatIsThereAtOnceNeedsNoTimer(_ row: PolicyRow) {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(3))])
        let service = stack(row.make(scheduler), over: upstream.send)
        #expect(service(1).valueNow == 3)
        #expect(scheduler.isIdle)
    }
}
