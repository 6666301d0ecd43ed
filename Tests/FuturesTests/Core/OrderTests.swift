import Dispatch
import PledgeFutures
import TestSupport
import Testing

/// The order of observers that are registered before a future settles, and of those that they add.
@Suite(.oneAtATime) struct OrderTests {
    @Test("F4: an observer added within an observer comes after those registered before")
    func addedWithinAnObserver() {
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

    @Test("F4: on the same queue as well")
    func addedWithinAnObserverOnAQueue() {
        let promise = Promise<Int>()
        let order = TestLog<String>()
        let queue = DispatchQueue(label: "order")
        promise.observe { _ in
            promise.observe(on: queue) { _ in order.append("added") }
        }
        promise.observe(on: queue) { _ in order.append("registered") }
        promise.resolve(with: 1)
        queue.sync {}
        #expect(order.elements == ["registered", "added"])
    }

    @Test("F4: the last observer's own is called at once")
    func addedWithinTheLast() {
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

    @Test("F4: nor does one overtake where deliveries are nested too deep")
    func addedWhereNestedTooDeep() {
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

    @Test(
        "F2: a failed traversal gives its losers up before it notifies", arguments: [true, false])
    func losersAreGivenUpFirst(byTraversal: Bool) {
        let order = TestLog<String>()
        let (failing, loser) = (Promise<Int>(), Promise<Int>())
        loser.onCancel { order.append("loser") }
        let whole: Future<[Int]> =
            byTraversal ? .traverse([failing, loser]) { $0 } : .all([failing, loser])
        whole.observe { _ in order.append("observer") }
        failing.reject(with: TestError())
        #expect(order.elements == ["loser", "observer"])
    }

    @Test("F2: also where the closure throws") func losersOfAThrowingTraversal() {
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
