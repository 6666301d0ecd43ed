import Futures
import TestSupport
import Testing

@Suite struct FutureAsCompletedTests {
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
}
