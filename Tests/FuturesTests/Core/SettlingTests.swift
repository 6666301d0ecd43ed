import CTestSupport
import Dispatch
import PledgeFutures
import TestSupport
import Testing

/// The order of observers that are registered before a future settles, and of those that they add.
@Suite(.oneAtATime) struct OrderTests {
    @Test func anObserverAddedWithinAnObserverComesAfterThoseRegisteredBefore() {
        let promise = Promise<Int>()
        let order = TestLog<String>()
        promise.observe { _ in
            order.append("1")
            promise.observe { _ in
                order.append("added")
                promise.observe { _ in order.append("added by that") }
            }
            promise.map { $0 }.observe { _ in order.append("mapped") }
        }
        promise.observe { _ in order.append("2") }
        promise.observe { _ in order.append("3") }
        promise.resolve(with: 1)
        #expect(order.elements == ["1", "2", "3", "added", "mapped", "added by that"])
    }

    @Test func aMapOnAQueueAddedByAnObserverComesAfterThoseRegisteredBefore() {
        let promise = Promise<Int>()
        let order = TestLog<String>()
        let queue = DispatchQueue(label: "order")
        promise.observe { _ in
            _ = promise.map(on: queue) { _ in order.append("added") }
        }
        _ = promise.map(on: queue) { _ in order.append("registered") }
        promise.resolve(with: 1)
        queue.sync {}
        #expect(order.elements == ["registered", "added"])
    }

    @Test func aLongChainOfTransformsTakesNoMoreStackThanAShortOne() {
        /// The address of the last observer's frame, which is the lower, the more the links nest.
        func depth(links: Int, failing: Bool) -> UInt {
            let promise = Promise<Int>()
            var end: Future<Int> = promise
            for link in 0..<links {
                end =
                    switch link % 3 {
                    case 0: end.map { $0 + 1 }
                    case 1: end.flatMap { Future(value: $0) }
                    default: end.mapError { $0 }
                    }
            }
            let address = Locked<UInt>(0)
            end.observe { _ in
                let here = UInt(stack_address())
                address.withLock { $0 = here }
            }
            if failing { promise.reject(with: TestError()) } else { promise.resolve(with: 0) }
            return address.withLock { $0 }
        }
        for failing in [false, true] {
            let (short, long) = (
                depth(links: 3, failing: failing), depth(links: 3_000, failing: failing)
            )
            // Nested, each link would take more than this.
            #expect(short > 0 && max(short, long) - min(short, long) < 64)
        }
    }

    @Test func observersOfAMapComeBeforeTheNextObserverOfItsSource() {
        let promise = Promise<Int>()
        let order = TestLog<String>()
        let mapped = promise.map { $0 }
        let first = mapped.map { $0 }
        first.observe { _ in order.append("first of the chain") }
        first.observe { _ in order.append("second of the chain") }
        mapped.observe { _ in order.append("beside the chain") }
        promise.observe { _ in order.append("beside the promise") }
        promise.resolve(with: 1)
        #expect(
            order.elements == [
                "first of the chain", "second of the chain", "beside the chain",
                "beside the promise",
            ])
    }

    @Test func anObserverThatTheLastObserverAddsIsCalledAtOnce() {
        let promise = Promise<Int>()
        let order = TestLog<String>()
        promise.observe { _ in order.append("1") }
        promise.observe { _ in
            promise.observe { _ in order.append("added") }
            order.append("2")
        }
        promise.resolve(with: 1)
        #expect(order.elements == ["1", "added", "2"])
    }

    @Test func noObserverOvertakesAnotherWhereDeliveriesAreNestedTooDeep() {
        let order = TestLog<Int>()
        let promises = (0..<40).map { _ in Promise<Int>() }
        for (index, promise) in promises.enumerated() {
            promise.observe { _ in
                order.append(10 * index)
                promise.observe { _ in order.append(10 * index + 2) }
                if index + 1 < promises.count { promises[index + 1].resolve(with: 1) }
            }
            promise.observe { _ in order.append(10 * index + 1) }
        }
        promises[0].resolve(with: 1)
        for index in promises.indices {
            let own = order.elements.filter { $0 / 10 == index }.map { $0 % 10 }
            #expect(own == [0, 1, 2], "promise \(index)")
        }
    }

    @Test(arguments: [true, false])
    func aFailedTraversalGivesItsLosersUpBeforeItNotifies(byTraversal: Bool) {
        let order = TestLog<String>()
        let (failing, loser) = (Promise<Int>(), Promise<Int>())
        loser.onCancel { order.append("loser") }
        let whole: Future<[Int]> =
            byTraversal ? .traverse([failing, loser]) { $0 } : .all([failing, loser])
        whole.observe { _ in order.append("observer") }
        failing.reject(with: TestError())
        #expect(order.elements == ["loser", "observer"])
    }

    @Test func aTraversalWhoseClosureThrowsGivesItsLosersUpBeforeItNotifies() {
        let order = TestLog<String>()
        let (first, loser) = (Promise<Int>(), Promise<Int>())
        loser.onCancel { order.append("loser") }
        let whole = Future.traverse(0..<3, maxConcurrent: 2) { index in
            if index == 2 { throw TestError() }
            return index == 0 ? first : loser
        }
        whole.observe { _ in order.append("observer") }
        first.resolve(with: 1)
        #expect(order.elements == ["loser", "observer"])
    }
}

/// Calls that may nest without limit go through the queue of deliveries that are put off: stacks of 512 KB,
/// 100,000 links.
@Suite(.oneAtATime) struct NestingTests {
    private static let links = min(depth(), 100_000)

    /// As a loop of events would, which an observer runs.
    @Test func anObserverThatSettlesPromisesSeesTheirObserversCalled() {
        let links = (0...100).map { _ in Promise<Int>() }
        let (outer, other, seen) = (Promise<Int>(), Promise<Int>(), TestLog<String>())
        for number in 0..<100 {
            links[number].observe { _ in links[number + 1].resolve(with: number) }
        }
        links[100].observe { _ in seen.append("the end of a long chain") }
        other.observe { _ in seen.append("another") }
        outer.observe { _ in
            links[0].resolve(with: 0)
            other.resolve(with: 0)
            seen.append("the observer")
        }
        outer.resolve(with: 0)
        #expect(seen.elements == ["the end of a long chain", "another", "the observer"])
    }

    @Test func alwaysClosuresThatCancelTheNextFutureNeedNoDeepStack() {
        let calls = Locked(0)
        onSmallThread {
            var next: Future<Int>?
            var promises: [Promise<Int>] = []
            for _ in 0..<Self.links {
                let promise = Promise<Int>()
                promises.append(promise)
                let following = next
                next = promise.always {
                    calls.withLock { $0 += 1 }
                    following?.cancel()
                }
            }
            next?.cancel()
            next = nil
        }
        #expect(calls.withLock { $0 } == Self.links)
    }

    private enum End: CaseIterable { case dropped, resolved, cancelled }

    @Test(arguments: End.allCases)
    private func cancelHandlersThatCancelThePromiseBeforeNeedNoDeepStack(end: End) {
        let calls = Locked(0)
        onSmallThread {
            var head: Promise<Int>?
            for _ in 0..<Self.links {
                let (promise, before) = (Promise<Int>(), head)
                promise.onCancel {
                    calls.withLock { $0 += 1 }
                    before?.cancel()
                }
                head = promise
            }
            switch end {
            case .dropped: break
            case .resolved: head?.resolve(with: 1)
            case .cancelled: head?.cancel()
            }
            head = nil
        }
        #expect(calls.withLock { $0 } == (end == .cancelled ? Self.links : 0))
    }

    /// A cancelled future releases its handlers, and so abandons all promises that they captured.
    @Test func cancelHandlersThatHoldThePromiseBeforeNeedNoDeepStack() {
        let first = onSmallThread {
            var head = Promise<Int>()
            let first = head.map { $0 }
            for _ in 0..<Self.links {
                let (promise, before) = (Promise<Int>(), head)
                promise.onCancel { _ = before }
                head = promise
            }
            head.cancel()
            return first
        }
        #expect(first.codeNow == .abandoned)
    }

    @Test(arguments: [false, true])
    func releasingAChainOfUnsettledResolversNeedsNoDeepStack(byHandlers: Bool) {
        let last = onSmallThread {
            var head: Resolver<Int>?
            let first = Future<Int>.make { head = $0 }
            var future = first
            for _ in 0..<Self.links {
                future = Future.make { resolver in
                    let before = head
                    head = resolver
                    if byHandlers {
                        resolver.onCancel { _ = before }
                    } else {
                        future.observe { _ in _ = resolver }
                        head = before
                    }
                }
            }
            head = nil
            return (first, future)
        }
        #expect(last.0.codeNow == .abandoned)
        #expect(last.1.codeNow == .abandoned)
    }

    @Test func cancellingTransformsThatHoldTheNextResolverNeedsNoDeepStack() {
        let (first, last) = onSmallThread {
            let first = Promise<Int>()
            var future: Future<Int> = first
            var branch: Future<Int>?
            for _ in 0..<Self.links {
                future = Future.make { resolver in
                    let mapped = future.map { value in
                        resolver.resolve(with: value)
                        return value
                    }
                    if branch == nil { branch = mapped }
                }
            }
            branch?.cancel()
            return (first, future)
        }
        #expect(first.result == nil)
        #expect(last.codeNow == .abandoned)
    }
}

/// Any depth works: a million steps on a stack of 512 KB (each test also frees what it made).
@Suite(.oneAtATime) struct StackSafetyTests {
    static let steps = depth()

    @Test func manyMapsOfAPendingPromiseNeedNoDeepStack() {
        let value = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.map { $0 + 1 } }
            promise.resolve(with: 0)
            return future.valueNow
        }
        #expect(value == Self.steps)
    }

    @Test func manyMapsResolvedOnAnotherThreadNeedNoDeepStack() {
        let promise = Promise<Int>()
        let last = onSmallThread {
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.map { $0 + 1 } }
            return future
        }
        onSmallThread { _ = promise.resolve(with: 0) }
        #expect(last.valueNow == Self.steps)
    }

    @Test func manyMapsOfASettledFutureNeedNoDeepStack() {
        let value = onSmallThread {
            var future = Future(value: 0)
            for _ in 0..<Self.steps { future = future.map { $0 + 1 } }
            return future.valueNow
        }
        #expect(value == Self.steps)
    }

    @Test func leftNestedFlatMapsNeedNoDeepStack() {
        let value = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.flatMap { Future(value: $0 + 1) } }
            promise.resolve(with: 0)
            return future.valueNow
        }
        #expect(value == Self.steps)
    }

    @Test func rightNestedFlatMapsNeedNoDeepStack() {
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

    @Test func rightNestedFlatMapsResolvedFromTheInsideNeedNoDeepStack() {
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

    @Test func manyRecoveriesAndEffectsNeedNoDeepStack() {
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

    @Test func cancellingALongChainMidwayNeedsNoDeepStack() {
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

    @Test func cancellingALongChainAtItsEndNeedsNoDeepStack() {
        let results = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps { future = future.flatMap { Future(value: $0) } }
            future.cancel()
            return [future.isCancelled, promise.result == nil, promise.resolve(with: 1)]
        }
        #expect(results == [true, true, true])
    }

    @Test func releasingALongUnsettledChainNeedsNoDeepStack() {
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
    @Test func releasesThatCauseTheNextReleaseNeedNoDeepStack() {
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

    @Test func nestedAggregatesNeedNoDeepStack() {
        let value = onSmallThread {
            let promise = Promise<Int>()
            var future: Future<Int> = promise
            for _ in 0..<Self.steps / 10 { future = Future.all([future]).map { $0[0] + 1 } }
            promise.resolve(with: 0)
            return future.valueNow
        }
        #expect(value == Self.steps / 10)
    }

    @Test func cancellingNestedAggregatesNeedsNoDeepStack() {
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

    @Test func aTraversalOfSettledFuturesNeedsNoDeepStack() {
        let count = onSmallThread {
            Future.traverse(0..<Self.steps, maxConcurrent: 1) { Future(value: $0) }.valueNow?.count
        }
        #expect(count == Self.steps)
    }
}
