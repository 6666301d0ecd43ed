import Dispatch
import Foundation
import TestSupport
import Testing

@testable import PledgeFutures

/// No thread waits for an operation whose time grows with the number of inputs.
@Suite(.oneAtATime) struct ShortWaitTests {
    /// An aggregate of one input that does something while it makes its value.
    private final class Copy: Aggregate<Int>, @unchecked Sendable {
        private let meanwhile: @Sendable () -> Void

        init(_ meanwhile: @escaping @Sendable () -> Void) {
            self.meanwhile = meanwhile
            super.init(count: 1, rule: .firstFailure)
        }

        override func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
            storage = inputs[0].value(of: Int.self)
            meanwhile()
            return nil
        }
    }

    @Test(
        "F8: while the value of an aggregate is made, others observe it, go on with it and cancel")
    func theValueIsMadeOutsideTheLock() {
        let (isMaking, othersAreDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wasHeldUp = Locked(false)
        let input = Promise<Int>()
        let aggregate = Copy {
            isMaking.signal()
            if othersAreDone.wait(timeout: .watchdog) == .timedOut {
                wasHeldUp.withLock { $0 = true }
            }
        }
        aggregate.start([input])
        let results = TestLog<Int?>()
        let followers = Locked<[Future<Int>]>([])
        onThreads(2) { thread in
            guard thread == 1 else {
                input.resolve(with: 7)
                return
            }
            isMaking.wait()
            aggregate.observe { results.append(try? $0.get()) }
            let follower = Future(value: 1).flatMap { _ in aggregate }
            followers.withLock { $0.append(follower) }
            aggregate.map { $0 }.cancel()
            othersAreDone.signal()
        }
        #expect(!wasHeldUp.withLock { $0 })
        #expect(results.elements == [7])
        #expect(followers.withLock { $0.map(\.valueNow) } == [7])
    }

    @Test("F8: an aggregate that is cancelled while its value is made stays cancelled")
    func cancelledWhileTheValueIsMade() {
        let input = Promise<Int>()
        let own = Locked<Future<Int>?>(nil)
        let aggregate = Copy { own.withLock { $0 }?.cancel() }
        own.withLock { $0 = aggregate }
        aggregate.start([input])
        input.resolve(with: 7)
        #expect(aggregate.isCancelled)
        #expect(aggregate.storage == nil)
        own.withLock { $0 = nil }
    }

    #if os(Linux)
    /// A thread that only yields would keep a holder of a lower priority from running.
    @Test func aThreadThatWaitsForALockSleeps() async throws {
        let promise = Promise<Int>()
        let (own, isDone) = (Locked<String?>(nil), Locked(false))
        try #require(promise.lockIfPending())
        Thread {
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
            own.withLock { $0 = path }
            promise.observe { _ in }
            isDone.withLock { $0 = true }
        }.start()
        // Voluntary switches: a yield is none.
        func switches() -> Int? {
            guard let own = own.withLock({ $0 }),
                let status = try? String(contentsOfFile: "/proc/\(own)/status", encoding: .utf8)
            else { return nil }
            return status.firstMatch(of: /\nvoluntary_ctxt_switches:\s*(\d+)/).flatMap {
                Int($0.output.1)
            }
        }
        _ = await comesTrue { switches() != nil }
        let before = switches() ?? 0
        let sleeps = await comesTrue { switches() ?? 0 > before + 20 }
        promise.unlock()
        #expect(sleeps)
        #expect(await comesTrue { isDone.withLock { $0 } })
    }
    #endif
}
