import Foundation
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureTraverseTests {
    /// The test plays the server: it sees the calls, and answers them at any time.
    private final class Server: Sendable {
        let started = TestLog<Int>()
        let cancelled = TestLog<Int>()
        private let pending = Locked<[Int: Promise<String>]>([:])

        func load(_ item: Int) -> Future<String> {
            let promise = Promise<String>()
            promise.onCancel { [cancelled] in cancelled.append(item) }
            started.append(item)
            pending.withLock { $0[item] = promise }
            return promise
        }

        func answer(_ item: Int) {
            pending.withLock { $0.removeValue(forKey: item) }?.resolve(with: "item \(item)")
        }

        func fail(_ item: Int) {
            pending.withLock { $0.removeValue(forKey: item) }?.reject(with: TestError(number: item))
        }
    }

    private let server = Server()

    @Test func aTraversalOfNothingSucceedsAtOnceWithNothing() {
        let calls = TestLog<Int>()
        let future = Future.traverse([Int](), maxConcurrent: 2) { item in
            calls.append(item)
            return Future(value: item)
        }
        #expect(future.valueNow == [])
        #expect(calls.elements.isEmpty)
    }

    @Test func traverseInfersItsTypesAsAUserWritesIt() async throws {
        @Sendable func load(_ id: Int) -> Future<String> { Future(value: "item \(id)") }
        let values = try await Future.traverse([1, 2], maxConcurrent: 4) { id in load(id) }.value
        #expect(values == ["item 1", "item 2"])
        #expect(Future.traverse(1...3, load).map(\.count).valueNow == 3)
        #expect(Future.traverse(Set([7]), maxConcurrent: 1, load).valueNow == ["item 7"])
        let mixed = Future.traverse([1, 2]) { $0 > 1 ? Promise(value: $0) : Future(value: $0) }
        #expect(mixed.valueNow == [1, 2])
    }

    @Test func theLimitIsMetExactlyAndItemsStartInOrder() {
        let server = server
        let future = Future.traverse(0..<6, maxConcurrent: 2) { server.load($0) }
        #expect(server.started.elements == [0, 1])
        server.answer(1)
        #expect(server.started.elements == [0, 1, 2])
        server.answer(2)
        #expect(server.started.elements == [0, 1, 2, 3])
        server.answer(0)
        #expect(server.started.elements == [0, 1, 2, 3, 4])
        server.answer(3)
        server.answer(4)
        #expect(server.started.elements == [0, 1, 2, 3, 4, 5])
        #expect(future.result == nil)
        server.answer(5)
        #expect(future.valueNow == (0..<6).map { "item \($0)" })
    }

    @Test func aTraversalWithALimitOfOneRunsOneItemAtATime() {
        let server = server
        let future = Future.traverse(0..<3, maxConcurrent: 1) { server.load($0) }
        for item in 0..<3 {
            #expect(server.started.elements == Array(0...item))
            server.answer(item)
        }
        #expect(future.valueNow?.count == 3)
    }

    @Test func allItemsOfATraversalWithoutALimitStartAtOnce() {
        let server = server
        let future = Future.traverse(0..<100) { server.load($0) }
        #expect(server.started.elements.count == 100)
        for item in (0..<100).reversed() { server.answer(item) }
        #expect(future.valueNow == (0..<100).map { "item \($0)" })
    }

    @Test(arguments: [1, 2, 7])
    func itemsThatSettleAtOnceDoNotUseUpTheLimit(limit: Int) {
        let server = server
        let future = Future.traverse(0..<100, maxConcurrent: limit) { item in
            item == 50 ? server.load(item) : Future(value: "item \(item)")
        }
        if limit == 1 {
            #expect(future.result == nil)
        }
        server.answer(50)
        #expect(future.valueNow == (0..<100).map { "item \($0)" })
    }

    @Test func aFailureStopsATraversalAndGivesUpWhatIsPending() {
        let server = server
        let future = Future.traverse(0..<10, maxConcurrent: 3) { server.load($0) }
        server.fail(1)
        #expect(future.errorNow as? TestError == TestError(number: 1))
        #expect(server.started.elements == [0, 1, 2])
        #expect(server.cancelled.elements.sorted() == [0, 2])
        server.answer(0)
        #expect(server.started.elements == [0, 1, 2])
    }

    @Test func aSettledFailureStopsATraversalAtOnce() {
        let server = server
        let future = Future.traverse(0..<10) { item in
            item == 2 ? Future(error: TestError(number: item)) : server.load(item)
        }
        #expect(future.errorNow as? TestError == TestError(number: 2))
        #expect(server.started.elements == [0, 1])
        #expect(server.cancelled.elements.sorted() == [0, 1])
    }

    @Test func aTransformThatThrowsStopsATraversalAndNamesItsLine() {
        let server = server
        let line: UInt = #line + 1
        let future = Future.traverse(0..<10, maxConcurrent: 2) { item in
            if item == 2 { throw TestError(number: item) }
            return server.load(item)
        }
        #expect(server.started.elements == [0, 1])
        server.answer(0)
        #expect(future.errorNow as? TestError == TestError(number: 2))
        #expect(server.cancelled.elements == [1])
        #expect(server.started.elements == [0, 1])
        #expect(future.failureOrigin?.line == line)
    }

    @Test func aCancelledTraversalStartsNothingMore() {
        let server = server
        let future = Future.traverse(0..<10, maxConcurrent: 2) { server.load($0) }
        server.answer(0)
        future.cancel()
        #expect(future.isCancelled)
        #expect(server.cancelled.elements.sorted() == [1, 2])
        server.answer(1)
        server.answer(2)
        #expect(server.started.elements == [0, 1, 2])
    }

    @Test func cancellingFromTheTransformGivesUpWhatItReturns() {
        let server = server
        let own = Locked<Future<[String]>?>(nil)
        let future = Future.traverse(0..<10, maxConcurrent: 1) { item in
            if item == 1 { own.withLock { $0 }?.cancel() }
            return server.load(item)
        }
        own.withLock { $0 = future }
        server.answer(0)
        #expect(future.isCancelled)
        #expect(server.started.elements == [0, 1])
        #expect(server.cancelled.elements == [1])
        own.withLock { $0 = nil }
    }

    @Test func aLostLastInterestStopsATraversal() {
        let server = server
        let future = Future.traverse(0..<10, maxConcurrent: 2) { server.load($0) }
        let (a, b) = (future.map(\.count), future.map(\.first))
        a.cancel()
        #expect(server.cancelled.elements.isEmpty)
        b.cancel()
        #expect(server.cancelled.elements.sorted() == [0, 1])
        #expect(future.isCancelled)
    }

    @Test func abandonedItemsFailATraversal() {
        let future = Future.traverse(0..<3) { _ -> Future<Int> in Promise<Int>() }
        #expect(future.codeNow == .abandoned)
    }

    @Test func theLimitHoldsWhenManyThreadsAnswer() async throws {
        let (running, most) = (Locked(0), Locked(0))
        let queue = DispatchQueue(label: "answers", attributes: .concurrent)
        let future = Future.traverse(0..<500, maxConcurrent: 4) { item in
            let now = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, now) }
            let promise = Promise<Int>()
            queue.async {
                running.withLock { $0 -= 1 }
                promise.resolve(with: item)
            }
            return promise
        }
        #expect(try await future.value == Array(0..<500))
        #expect(most.withLock { $0 } <= 4)
    }

    @Test func aPromiseHeldOnlyByTheClosureIsAbandonedOnceAllIsStarted() {
        func start() -> Future<[Int]> {
            let promise = Promise<Int>()
            return Future.traverse([1, 2]) { _ in promise }
        }
        #expect(start().codeNow == .abandoned)
    }

    @Test func aTraversalReadsAnEndlessSequenceOnlyAsThereIsRoom() {
        let started = TestLog<Int>()
        let promises = Locked<[Promise<Int>]>([])
        let whole = Future.traverse(1..., maxConcurrent: 4) { number in
            started.append(number)
            let promise = Promise<Int>()
            promises.withLock { $0.append(promise) }
            return promise
        }
        #expect(started.elements == [1, 2, 3, 4])
        promises.withLock { $0 }[2].resolve(with: 1)
        #expect(started.elements == [1, 2, 3, 4, 5])
        whole.cancel()
        #expect(started.elements.count == 5)
    }
}
