import PledgeFutures
import TestSupport
import Testing

/// Random trees of derived futures over one producer, cancelled in random order, compared with a count of
/// interest: the producer is notified once, after the last interest is given up, and never before.
@Suite struct InterestTests {
    /// One derived future, and its part of the count.
    private final class Node {
        let future: Future<Int>
        var children: [Node] = []
        var hasLostAChild = false
        weak var parent: Node?
        var isGone = false

        init(_ future: Future<Int>, below parent: Node?) {
            self.future = future
            self.parent = parent
            parent?.children.append(self)
        }

        /// Gives this future up, all futures below it, and those above it that have no interest left.
        func cancel() {
            if isGone { return }
            leave()
            if let parent, !parent.isGone, parent.children.allSatisfy(\.isGone) {
                parent.cancel()
            }
        }

        private func leave() {
            isGone = true
            for child in children where !child.isGone { child.leave() }
        }
    }

    private func derive(_ future: Future<Int>, _ kind: UInt64) -> Future<Int> {
        switch kind % 9 {
        case 0: future.map { $0 }
        case 1: future.flatMap { Future(value: $0) }
        case 2: future.mapError { $0 }
        case 3: Future(value: 0).flatMap { _ in future }
        case 4: Future.all([future, future]).map { $0[0] }
        case 5: zip(future, Future(value: 0)).map { $0 + $1 }
        case 6: Future.race([future])
        case 7: Future.traverse(0..<3) { _ in future }.map { $0[0] }
        default: future.always {}
        }
    }

    private func makeTree(
        _ promise: Promise<Int>,
        _ generator: inout SeededGenerator
    ) -> [Node] {
        var nodes = [Node(promise, below: nil)]
        for _ in 0..<1 + Int(generator.next() % 12) {
            let parent = nodes[Int(generator.next() % UInt64(nodes.count))]
            nodes.append(Node(derive(parent.future, generator.next()), below: parent))
        }
        return nodes
    }

    @Test(arguments: 0..<10)
    func aProducerHearsOnlyWhenTheLastConsumerOfItsFutureHasGone(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<100 {
            let promise = Promise<Int>()
            let heard = TestLog<Int>()
            promise.onCancel { heard.append(1) }
            let nodes = makeTree(promise, &generator)
            for node in nodes.dropFirst().shuffled(using: &generator) {
                node.future.cancel()
                node.cancel()
                for other in nodes { #expect(other.future.isCancelled == other.isGone) }
                #expect(heard.elements == (nodes[0].isGone ? [1] : []))
            }
            #expect(nodes[0].isGone)
        }
    }

    /// The remaining waiters get the value, whatever the others do.
    @Test(arguments: 0..<10) func consumersThatStayGetTheValueWhenOthersCancel(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<100 {
            let promise = Promise<Int>()
            promise.onCancel {}
            let nodes = makeTree(promise, &generator)
            let order = nodes.dropFirst().shuffled(using: &generator)
            for node in order.prefix(order.count / 2) {
                node.future.cancel()
                node.cancel()
            }
            #expect(promise.resolve(with: 5) == !nodes[0].isGone)
            for node in nodes {
                #expect(node.future.isCancelled == node.isGone)
                #expect(node.future.valueNow == (node.isGone ? nil : 5))
            }
        }
    }
}

/// Five everyday programs, each as it is and with `shielded()`; see
/// Docs/Decisions/Futures/why-a-future-stops-when-its-last-consumer-leaves.md.
@Suite(.oneAtATime) struct EverydayInterestTests {
    /// A server that notes which calls were stopped.
    private final class Server: Sendable {
        let stopped = TestLog<String>()
        private let calls = Locked<[String: Promise<String>]>([:])

        func load(_ name: String) -> Future<String> {
            let promise = Promise<String>()
            promise.onCancel { [stopped] in stopped.append(name) }
            calls.withLock { $0[name] = promise }
            return promise.map { $0 }
        }

        @discardableResult
        func answer(_ name: String) -> Bool {
            calls.withLock { $0[name] }?.resolve(with: name) ?? false
        }

        func fail(_ name: String) { calls.withLock { $0[name] }?.reject(with: TestError()) }
    }

    private let server = Server()

    private func stored(_ name: String, _ isShielded: Bool) -> Future<String> {
        isShielded ? server.load(name).shielded() : server.load(name)
    }

    @Test(arguments: [false, true]) func aNewSearchStopsTheOldUnlessItIsShielded(isShielded: Bool) {
        stored("sw", isShielded).observe { _ in }.cancel()
        stored("swift", isShielded).observe { _ in }
        #expect(server.stopped.elements == (isShielded ? [] : ["sw"]))
        #expect(server.answer("swift"))
    }

    @Test(arguments: [false, true]) func aLateCallIsReplacedByItsFallback(isShielded: Bool) {
        let scheduler = ManualScheduler()
        let shown = stored("rates", isShielded).timeout(.seconds(1), on: scheduler)
            .recover { _ in "yesterday's" }
        scheduler.advance(by: .seconds(1))
        #expect(shown.valueNow == "yesterday's")
        #expect(server.stopped.elements == (isShielded ? [] : ["rates"]))
    }

    @Test(arguments: [false, true]) func aFailedPartOfAPageStopsTheOthersUnlessTheyAreShielded(
        isShielded: Bool
    ) {
        let page = Future.all(["head", "list", "foot"].map { stored($0, isShielded) })
        server.fail("list")
        #expect(page.errorNow is TestError)
        #expect(server.stopped.elements.sorted() == (isShielded ? [] : ["foot", "head"]))
    }

    @Test(arguments: [false, true]) func rowsMayComeAndGoOverATableOfImages(isShielded: Bool) {
        let images = ["7": stored("7", isShielded)]
        images["7"]?.observe { _ in }.cancel()
        let row = images["7"]?.map { $0 }
        server.answer("7")
        #expect(row?.valueNow == (isShielded ? "7" : nil))
        #expect(row?.isCancelled == !isShielded)
    }

    @Test(arguments: [false, true]) func aScreenMayOpenTwiceOverAPrefetchedPage(isShielded: Bool) {
        let prefetched = stored("page 2", isShielded)
        let first = prefetched.map(\.count)
        first.cancel()
        server.answer("page 2")
        let second = prefetched.map(\.count)
        #expect(second.valueNow == (isShielded ? 6 : nil))
        #expect(second.isCancelled == !isShielded)
    }
}
