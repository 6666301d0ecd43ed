import Foundation
import PledgeFutures
import TestSupport
import Testing

/// An observer runs an event loop, as a modal dialog or a test's wait does: deliveries go on within it, however deep the
/// observer's own call is nested.
@Suite(.oneAtATime) struct EventLoopTests {
    static let depths = [
        0, 1, 10, 29, 30, 31, 32, 33, 34, 40, 62, 63, 64, 65, 100, 1_000, 10_000,
    ]

    /// Runs this thread's run loop until a condition holds, for a limited number of turns.
    @Sendable private static func runLoop(
        until condition: () -> Bool, _ first: @escaping @Sendable () -> Void
    ) {
        RunLoop.current.perform { first() }
        for _ in 0..<10 where !condition() {
            _ = RunLoop.current.run(mode: .default, before: .distantPast)
        }
    }

    /// The first of many promises, each of which settles the next, and the last of which calls a closure.
    private static func chain(_ depth: Int, _ end: @escaping @Sendable () -> Void) -> Promise<Int> {
        let first = Promise<Int>()
        var last = first
        for _ in 0..<depth {
            let next = Promise<Int>()
            last.observe { _ in next.resolve(with: 1) }
            last = next
        }
        last.observe { _ in end() }
        return first
    }

    /// The same chain, with steps that take different amounts of stack.
    private static func mixedChain(
        _ depth: Int, _ end: @escaping @Sendable () -> Void
    ) -> Promise<Int> {
        let first = Promise<Int>()
        var last = first
        for number in 0..<depth {
            let next = Promise<Int>()
            switch number % 4 {
            case 0: last.map { $0 + 1 }.observe { next.settle(with: $0) }
            case 1:
                last.flatMapResult { Future(result: $0) }.onSuccess { next.resolve(with: $0) }
                    .observe { _ in }
            case 2: Future.all([last]).observe { _ in next.resolve(with: 1) }
            default:
                last.observe { _ in
                    withUnsafeTemporaryAllocation(byteCount: 900, alignment: 8) { _ in
                        _ = next.resolve(with: 1)
                    }
                }
            }
            last = next
        }
        last.observe { _ in end() }
        return first
    }

    /// Runs a closure on a thread with as much stack as a main thread has, and returns after the thread has ended.
    private static func onLargeThread(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = 8 * 1024 * 1024
        thread.start()
        done.wait()
    }

    @Test(arguments: depths)
    func anEventLoopRunsAtAnyDepthOfAChainOfObservers(depth: Int) {
        let log = TestLog<String>()
        onSmallThread { _ = Self.chain(depth) { Self.loop(log) }.resolve(with: 1) }
        #expect(log.elements == ["enter", "inner", "deep inner", "leave"])
    }

    @Test(arguments: depths.filter { $0 <= 1_000 })
    func anEventLoopRunsAtAnyDepthOfAChainOfUnequalSteps(depth: Int) {
        let log = TestLog<String>()
        Self.onLargeThread { _ = Self.mixedChain(depth) { Self.loop(log) }.resolve(with: 1) }
        #expect(log.elements == ["enter", "inner", "deep inner", "leave"])
    }

    @Test(
        arguments: [63, 64, 100, 1_000],
        [450, 700, 1_000, 3_000])
    func anEventLoopRunsAtAnyDepthOfAChainOfLargeSteps(depth: Int, bytes: Int) {
        let log = TestLog<String>()
        Self.onLargeThread {
            let first = Promise<Int>()
            var last = first
            for _ in 0..<depth {
                let next = Promise<Int>()
                last.observe { _ in
                    withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 8) { _ in
                        _ = next.resolve(with: 1)
                    }
                }
                last = next
            }
            last.observe { _ in Self.loop(log) }
            first.resolve(with: 1)
        }
        #expect(log.elements == ["enter", "inner", "deep inner", "leave"])
    }

    /// An event loop that settles one promise that is observed, and one at the head of a long chain.
    @Sendable private static func loop(_ log: TestLog<String>) {
        log.append("enter")
        let inner = Promise<Int>()
        inner.observe { _ in log.append("inner") }
        let deep = chain(100) { log.append("deep inner") }
        runLoop(until: { log.elements.count == 3 }) {
            inner.resolve(with: 1)
            deep.resolve(with: 1)
        }
        log.append("leave")
    }

    @Test(arguments: [0, 31, 32, 33, 100])
    func anEventLoopRunsWithinAnEventLoop(depth: Int) {
        let log = TestLog<String>()
        Self.onLargeThread {
            _ = Self.chain(depth) {
                log.append("outer")
                Self.runLoop(until: { log.elements.last == "leave" }) {
                    Self.chain(depth + 50) { Self.loop(log) }.resolve(with: 1)
                }
                log.append("end")
            }
            .resolve(with: 1)
        }
        #expect(log.elements == ["outer", "enter", "inner", "deep inner", "leave", "end"])
    }

    @Test(
        "an event loop delivers calls of all kinds, and what was settled before it",
        arguments: [10, 31, 32, 63, 64, 100, 1_000])
    func anEventLoopDeliversCallsOfAllKinds(depth: Int) {
        let log = TestLog<String>()
        Self.onLargeThread {
            let (before, after, cancelled) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
            let settled = Future(value: 1)
            before.observe { _ in
                settled.observe { _ in log.append("settled, before") }
                log.append("before")
            }
            after.observe { _ in log.append("after") }
            cancelled.onCancel { log.append("handler") }
            _ = Self.chain(depth) {
                before.resolve(with: 1)
                after.resolve(with: 1)
                Self.runLoop(until: { log.elements.last == "map" }) {
                    settled.observe { _ in log.append("settled") }
                    cancelled.map { $0 }.cancel()
                    _ = settled.map { _ in log.append("map") }
                }
                log.append("leave")
            }
            .resolve(with: 1)
        }
        let expected = ["before", "settled, before", "after", "settled", "handler", "map", "leave"]
        #expect(log.elements.count == expected.count && Set(log.elements) == Set(expected))
        #expect(log.elements.last == "leave")
        #expect(log.elements.filter { !$0.hasSuffix("before") } == Array(expected[2...]))
    }

    /// After the event loop, the thread counts on where it was.
    @Test func aChainGoesOnAfterAnEventLoopInTheMiddle() {
        let log = TestLog<String>()
        onSmallThread {
            let rest = Self.chain(100_000) { log.append("rest") }
            _ = Self.chain(40) {
                Self.loop(log)
                rest.resolve(with: 1)
            }
            .resolve(with: 1)
        }
        #expect(log.elements == ["enter", "inner", "deep inner", "leave", "rest"])
    }
}
