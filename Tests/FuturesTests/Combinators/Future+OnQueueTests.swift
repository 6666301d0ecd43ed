import Dispatch
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureOnQueueTests {
    private static let key = DispatchSpecificKey<Int>()

    @Test func transformsOfAQueueRunThereAndNowhereElse() async throws {
        let queue = DispatchQueue(label: "transforms")
        queue.setSpecific(key: Self.key, value: 1)
        let isThere = TestLog<Bool>()
        @Sendable func note() { isThere.append(DispatchQueue.getSpecific(key: Self.key) == 1) }
        let promise = Promise<Int>()
        for future in [promise, Future(value: 1)] {
            let chain = future.map(on: queue) { value in
                note(); return value
            }
            .flatMap(on: queue) { value in
                note(); return Future(value: value)
            }
            .filter(on: queue) { _ in
                note(); return false
            }
            .flatMapError(on: queue) { error in
                note(); return Future(error: error)
            }
            .recover(on: queue) { _ in
                note(); return 9
            }
            .flatMapResult(on: queue) { result in
                note(); return Future(result: result)
            }
            promise.resolve(with: 1)
            #expect(try await chain.value == 9)
        }
        #expect(isThere.elements == Array(repeating: true, count: 12))
    }

    @MainActor
    @Test func mapOnTheMainActorRunsThereAndKeepsTheOrigin() async throws {
        var shown: [Int] = []
        let promise = Promise<Int>()
        let futures = [promise, Future(value: 1)].map { future in
            future.map(on: MainActor.shared) { value in shown.append(value) }
        }
        onThreads(1) { _ in promise.resolve(with: 2) }
        #expect(shown.isEmpty, "it is called asynchronously")
        for future in futures { try await future.value }
        #expect(shown.sorted() == [1, 2])
        let line: UInt = #line + 1
        let failed = Future(value: 1).map(on: MainActor.shared) { _ in throw TestError() }
        await #expect(throws: TestError.self) { try await failed.value }
        #expect(failed.failureOrigin?.line == line)
        let givenUp = Future(value: 3).map(on: MainActor.shared) { value in shown.append(value) }
        givenUp.cancel()
        try await Future(value: 4).map(on: MainActor.shared) { value in shown.append(value) }.value
        #expect(!shown.contains(3) && shown.contains(4))
    }

    @Test func aTransformOfAQueueThatIsGivenUpDoesNotRun() async {
        let queue = DispatchQueue(label: "transforms")
        let calls = TestLog<Int>()
        queue.suspend()
        let mapped = Future(value: 1).map(on: queue) { value in calls.append(value) }
        mapped.cancel()
        queue.resume()
        queue.sync {}
        #expect(calls.elements.isEmpty)
        let failure = Future<Int>(error: TestError()).map(on: queue) { $0 }
        #expect(failure.errorNow is TestError)
        #expect(failure.failureOrigin == nil)
    }
}
