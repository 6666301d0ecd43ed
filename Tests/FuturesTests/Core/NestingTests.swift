import PledgeFutures
import TestSupport
import Testing

/// Calls that may nest without limit go through the queue of deliveries that are put off: stacks of 512 KB,
/// 100,000 links.
@Suite(.oneAtATime) struct NestingTests {
    private static let links = min(depth(), 100_000)

    /// As a loop of events would, which an observer runs.
    @Test func anObserverThatGoesOnSeesWhatItHasSettled() {
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

    @Test("F1: always closures that cancel the next future")
    func alwaysClosuresThatCancel() {
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

    @Test("F1: cancel handlers that hold the promise before", arguments: End.allCases)
    private func cancelHandlersThatHoldAPromise(end: End) {
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
    @Test("F1: cancel handlers that only hold the promise before, cancelled")
    func cancelHandlersThatOnlyHold() {
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

    @Test("F1: chains of resolvers, released unsettled", arguments: [false, true])
    func chainsOfResolvers(byHandlers: Bool) {
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

    @Test("F1: transforms that hold the resolver of the next, cancelled")
    func transformsThatHoldAResolver() {
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
