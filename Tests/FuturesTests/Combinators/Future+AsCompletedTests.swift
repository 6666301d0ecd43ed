import Foundation
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureAsCompletedTests {
    @Test func resultsComeAsTheyAreCompleted() async {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let stream = Future.asCompleted(promises)
        promises[2].resolve(with: 2)
        promises[0].reject(with: TestError())
        promises[1].resolve(with: 1)
        var seen: [Int?] = []
        for await result in stream { seen.append(try? result.get()) }
        #expect(seen == [2, nil, 1])
    }

    @Test func whoLeavesTheResultsGivesUpTheRest() async {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        let isCancelled = Locked(false)
        second.onCancel { isCancelled.withLock { $0 = true } }
        first.resolve(with: 1)
        for await _ in Future.asCompleted([first, second]) { break }
        #expect(await comesTrue { isCancelled.withLock { $0 } })
    }

    @Test("F3: what leaving leads to runs on another thread than that of the canceller")
    func producersHearOnAnotherThread() async {
        let promise = Promise<Int>()
        let (handler, canceller) = (Locked<Thread?>(nil), Locked<Thread?>(nil))
        let isAwaiting = Locked(false)
        promise.onCancel { handler.withLock { $0 = Thread.current } }
        let task = Task {
            isAwaiting.withLock { $0 = true }
            for await _ in Future.asCompleted([promise]) {}
        }
        #expect(await comesTrue { isAwaiting.withLock { $0 } })
        await withCheckedContinuation { continuation in
            Thread {
                canceller.withLock { $0 = Thread.current }
                task.cancel()
                continuation.resume()
            }.start()
        }
        await task.value
        #expect(await comesTrue { handler.withLock { $0 } != nil })
        #expect(handler.withLock { $0 } !== canceller.withLock { $0 })
        canceller.withLock { $0 = nil }
    }
}
