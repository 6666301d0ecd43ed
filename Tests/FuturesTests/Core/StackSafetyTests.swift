import Dispatch
import PledgeFutures
import TestSupport
import Testing

/// Any depth works: a million steps on a stack of 512 KB (each test also frees what it made).
@Suite(.oneAtATime) struct StackSafetyTests {
    static let steps = depth()

    @Test func mapsOfAPendingPromise() {
        let value = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.map { $0 + 1 } }
            promise.resolve(with: 0)
            return future.valueNow
        }
        #expect(value == Self.steps)
    }

    @Test func mapsResolvedOnAnotherThread() {
        let promise = Promise<Int>()
        let last = onSmallThread {
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.map { $0 + 1 } }
            return future
        }
        onSmallThread { _ = promise.resolve(with: 0) }
        #expect(last.valueNow == Self.steps)
    }

    @Test func mapsOfASettledFuture() {
        let value = onSmallThread {
            var future = Future(value: 0)
            for _ in 0..<Self.steps { future = future.map { $0 + 1 } }
            return future.valueNow
        }
        #expect(value == Self.steps)
    }

    @Test func leftNestedFlatMaps() {
        let value = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.flatMap { Future(value: $0 + 1) } }
            promise.resolve(with: 0)
            return future.valueNow
        }
        #expect(value == Self.steps)
    }

    @Test func rightNestedFlatMaps() {
        let value = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise.map { $0 }
            for _ in 0..<Self.steps {
                let inner = future
                future = promise.flatMap { step in inner.map { $0 + step } }
            }
            promise.resolve(with: 1)
            return future.valueNow
        }
        #expect(value == Self.steps + 1)
    }

    @Test func rightNestedFlatMapsResolvedFromTheInside() {
        let value = onSmallThread {
            let root = Promise<Int>()
            var future: Future<Int> = root
            for _ in 0..<Self.steps {
                let inner = future
                future = Future(value: ()).flatMap { inner }
            }
            root.resolve(with: 7)
            return future.valueNow
        }
        #expect(value == 7)
    }

    @Test func recoveriesAndEffects() {
        let error = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for step in 0..<Self.steps / 4 {
                future = future.mapError { _ in TestError(number: step) }
                    .always {}.onFailure { _ in }.flatMapError { Future(error: $0) }
            }
            promise.reject(with: TestError())
            return future.errorNow as? TestError
        }
        #expect(error == TestError(number: Self.steps / 4 - 1))
    }

    @Test func cancelledMidway() {
        let results = onSmallThread {
            let promise = Promise<Int>()
            let cancelled = TestLog<Int>()
            promise.onCancel { cancelled.append(1) }
            var future: Future<Int> = promise
            var middle = future
            for step in 0..<Self.steps {
                future = future.map { $0 + 1 }
                if step == Self.steps / 2 { middle = future }
            }
            middle.cancel()
            return [future.isCancelled, promise.isCancelled, cancelled.elements == [1]]
        }
        #expect(results == [true, true, true])
    }

    @Test func cancelledAtTheEnd() {
        let results = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.flatMap { Future(value: $0) } }
            future.cancel()
            return [future.isCancelled, promise.result == nil, promise.resolve(with: 1)]
        }
        #expect(results == [true, true, true])
    }

    @Test func releasedUnsettled() {
        let code = onSmallThread {
            var promise: Promise<Int>? = Promise()
            var future: Future<Int> = promise!.map { $0 }
            for _ in 0..<Self.steps { future = future.map { $0 + 1 } }
            promise = nil
            return future.codeNow
        }
        #expect(code == .abandoned)
    }

    /// The closure that waits for one promise captures the next promise, so that each release causes the
    /// next.
    @Test func releaseThatCausesTheNextRelease() {
        let code = onSmallThread {
            var promise = Promise<Int>()
            let future = promise.map { $0 }
            for _ in 0..<Self.steps {
                let held = promise
                promise = Promise()
                promise.observe { _ in withExtendedLifetime(held) {} }
            }
            promise = Promise()
            return future.codeNow
        }
        #expect(code == .abandoned)
    }

    @Test func nestedAggregates() {
        let value = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps / 10 { future = Future.all([future]).map { $0[0] + 1 } }
            promise.resolve(with: 0)
            return future.valueNow
        }
        #expect(value == Self.steps / 10)
    }

    @Test func nestedAggregatesCancelled() {
        let isCancelled = onSmallThread {
            let promise = Promise<Int>()
            promise.onCancel {}
            var future: Future<Int> = promise
            for _ in 0..<Self.steps / 10 { future = zip(future, Future(value: 1)).map { $0 + $1 } }
            future.cancel()
            return promise.isCancelled
        }
        #expect(isCancelled)
    }

    @Test func traversalOfSettledFutures() {
        let count = onSmallThread {
            Future.traverse(0..<Self.steps, maxConcurrent: 1) { Future(value: $0) }.valueNow?.count
        }
        #expect(count == Self.steps)
    }
}
