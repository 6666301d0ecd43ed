import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// Several threads may use one stack, while others move the clock and cancel.
@Suite(.oneAtATime) struct ThreadLawTests {
    @Test(arguments: PolicyRow.all)
    func everyCallOfFourThreadsSettlesOnce(_ row: PolicyRow) {
        let scheduler = ManualScheduler()
        let turn = Locked(0)
        let service = stack(
            .observed(by: ServiceObserver { _ in }, on: scheduler), row.make(scheduler),
            over: { (ask: Ask) -> Future<Int> in
                let number = turn.withLock { turn in
                    turn += 1
                    return turn
                }
                switch number % 4 {
                case 0: return Future(error: Broken())
                case 1: return Future(value: number)
                case 2: return Future(value: number).delay(.milliseconds(7), on: scheduler)
                default: return Promise().timeout(.milliseconds(60), on: scheduler)
                }
            })
        let settled = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<200 {
                let call = service(Ask(thread * 1_000 + number))
                call.observe { _ in settled.withLock { $0 += 1 } }
                if number % 5 == thread { scheduler.advance(by: .milliseconds(3)) }
                if number % 7 == thread { call.cancel() }
            }
        }
        scheduler.run()
        #expect(settled.withLock { $0 } == 800)
        #expect(scheduler.isIdle)
    }
}
