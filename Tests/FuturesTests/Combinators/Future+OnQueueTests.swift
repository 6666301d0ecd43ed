import Dispatch
import Futures
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
