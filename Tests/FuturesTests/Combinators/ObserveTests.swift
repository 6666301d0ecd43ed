import Dispatch
import Foundation
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureObserveTests {
    @Test func observersRunInOrderOfRegistration() {
        let promise = Promise<Int>()
        let order = TestLog<Int>()
        for index in 0..<100 { promise.observe { _ in order.append(index) } }
        #expect(order.elements.isEmpty)
        promise.resolve(with: 1)
        #expect(order.elements == Array(0..<100))
    }

    @Test func anObserverOfASettledFutureRunsAtOnce() {
        let calls = TestLog<Result<Int, TestError>>()
        Future(value: 1).observe { calls.append($0.mapError { $0 as? TestError ?? TestError() }) }
        #expect(calls.elements == [.success(1)])
        Future<Int>(error: TestError(number: 2)).observe {
            calls.append($0.mapError { $0 as? TestError ?? TestError() })
        }
        #expect(calls.elements == [.success(1), .failure(TestError(number: 2))])
    }

    @Test func observersRunOnTheThreadThatSettles() {
        let promise = Promise<Int>()
        let threads = TestLog<Bool>()
        let settling = Locked<Thread?>(nil)
        promise.observe { _ in
            threads.append(settling.withLock { $0 } === Thread.current)
        }
        onThreads(1) { _ in
            settling.withLock { $0 = Thread.current }
            promise.resolve(with: 1)
        }
        #expect(threads.elements == [true])
        // A thread keeps its closure, which captures `settling`: without this they would keep each other.
        settling.withLock { $0 = nil }
    }

    @Test func anObserverAddedByAnObserverRunsAtOnce() {
        let promise = Promise<Int>()
        let order = TestLog<String>()
        promise.observe { _ in
            order.append("a")
            promise.observe { _ in order.append("nested") }
            order.append("b")
        }
        promise.resolve(with: 1)
        #expect(order.elements == ["a", "nested", "b"])
    }

    /// Chains of every depth around the limit of nested deliveries, observed at each step.
    @Test(arguments: [1, 16, 30, 31, 32, 33, 34, 40, 63, 64, 65, 100, 1_000])
    func observersRunInOrderAtEveryNestingDepth(depth: Int) {
        let order = TestLog<[Int]>()
        let promises = (0..<depth).map { _ in Promise<Int>() }
        for index in 0..<depth {
            for place in 0..<3 { promises[index].observe { _ in order.append([index, place]) } }
            if index + 1 < depth {
                promises[index].observe { _ in promises[index + 1].resolve(with: 0) }
            }
            for place in 3..<6 { promises[index].observe { _ in order.append([index, place]) } }
        }
        promises[0].resolve(with: 0)
        #expect(order.elements.count == depth * 6)
        for index in 0..<depth {
            let places = order.elements.filter { $0[0] == index }.map { $0[1] }
            #expect(places == Array(0..<6))
        }
    }

    @Test @MainActor func anObserverOnTheMainActorNeverRunsAtOnce() async {
        let done = Promise<Void>()
        let calls = TestLog<Int>()
        Future(value: 1).observe(on: MainActor.shared) { _ in
            calls.append(1)
            done.resolve()
        }
        #expect(calls.elements.isEmpty)
        _ = await done.resultWhenSettled
        #expect(calls.elements == [1])
    }

    @MainActor private final class Screen {
        var texts: [Int] = []
    }

    @Test @MainActor func anObserverRunsOnTheMainActorIfAsked() async {
        let screen = Screen()
        let promise = Promise<Int>()
        let done = Promise<Void>()
        for index in 0..<20 {
            promise.observe(on: MainActor.shared) { result in
                MainActor.preconditionIsolated()
                screen.texts.append(((try? result.get()) ?? 0) + index)
                if index == 19 { done.resolve(with: ()) }
            }
        }
        onThreads(1) { _ in promise.resolve(with: 100) }
        #expect(screen.texts.isEmpty)
        _ = await done.resultWhenSettled
        #expect(screen.texts == Array(100..<120))
    }

    @Test(arguments: [false, true])
    @MainActor func anObserverOnTheMainActorIsReleasedBeforeItsToken(isCancelled: Bool) async {
        let promise = Promise<Int>()
        promise.onCancel {}
        var screen: Screen? = Screen()
        weak let shown = screen
        let token = promise.observe(on: MainActor.shared) { [screen] _ in
            screen?.texts.append(1)
        }
        screen = nil
        #expect(shown != nil)
        if isCancelled { token.cancel() } else { promise.resolve(with: 1) }
        // The main queue keeps its order.
        await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
        #expect(shown == nil)
        withExtendedLifetime(token) {}
    }

    @Test func anObserverThatIsTakenBackDoesNotRun() {
        let (promise, calls) = (Promise<Int>(), TestLog<Int>())
        promise.onCancel { calls.append(0) }
        let tokens = (1...3).map { number in promise.observe { _ in calls.append(number) } }
        tokens[1].cancel()
        tokens[1].cancel()
        promise.resolve(with: 1)
        tokens[0].cancel()
        #expect(calls.elements == [1, 3])
        let last = Promise<Int>()
        last.onCancel { calls.append(4) }
        last.observe { _ in calls.append(5) }.cancel()
        #expect(calls.elements == [1, 3, 4])
    }
}

extension FutureObserveTests {
    @Test(arguments: [false, true]) func anObserverEndsWithItsScopeNotItsToken(isScoped: Bool) {
        let (promise, calls) = (Promise<Int>(), TestLog<Int>())
        promise.onCancel { calls.append(0) }
        var token: ObserverToken? = promise.observe { _ in calls.append(1) }
        var scope = isScoped ? token?.scoped() : nil
        #expect((scope != nil) == isScoped && calls.elements.isEmpty)
        (token, scope) = (nil, nil)
        #expect(token == nil)
        promise.resolve(with: 1)
        #expect(calls.elements == [isScoped ? 0 : 1])
    }

    @Test func aScopeCancelledBeforeTakesItsObserversBack() {
        let (promise, calls) = (Promise<Int>(), TestLog<Int>())
        let scope = promise.observe { _ in calls.append(1) }.scoped()
        scope.cancel()
        promise.resolve(with: 1)
        #expect(calls.elements.isEmpty)
        withExtendedLifetime(scope) {}
    }

    @Test func theTokenOfASettledFutureDoesNothing() {
        let calls = TestLog<Int>()
        let token = Future(value: 1).observe { _ in calls.append(1) }
        token.cancel()
        withExtendedLifetime(token.scoped()) {}
        #expect(calls.elements == [1])
    }

    @Test @MainActor func anObserverOnTheMainActorIsTakenBackBefore() {
        let calls = TestLog<Int>()
        let promise = Promise<Int>()
        promise.onCancel { calls.append(0) }
        promise.observe(on: MainActor.shared) { _ in calls.append(1) }.cancel()
        #expect(calls.elements == [0])
    }

    @Test @MainActor func anObserverOnTheMainActorIsTakenBackAfterTheFutureHasSettled() async {
        let calls = TestLog<Int>()
        let promise = Promise<Int>()
        promise.observe(on: MainActor.shared) { _ in
            MainActor.assertIsolated()
            calls.append(1)
        }
        let second = promise.observe(on: MainActor.shared) { _ in calls.append(2) }
        promise.resolve(with: 1)
        second.cancel()
        let turn = Promise<Void>()
        DispatchQueue.main.async { turn.resolve(with: ()) }
        try! await turn.value
        #expect(calls.elements == [1])
    }

    private enum End: CaseIterable { case settled, cancelled, cancelledLate }

    @Test func anObserverLetsItsClosureGoAlsoIfThatHoldsTheToken() {
        for end in End.allCases {
            let (promise, census) = (Promise<Int>(), Census())
            do {
                let (token, own) = (Tracked(census), Locked<ObserverToken?>(nil))
                let observer = promise.observe { [token, own] _ in
                    token.use()
                    if end == .cancelledLate { own.withLock { $0 }?.cancel() }
                }
                own.withLock { $0 = observer }
                if end == .cancelled { observer.cancel() } else { promise.resolve(with: 1) }
            }
            #expect(census.living == 0, "\(end)")
        }
    }
}
