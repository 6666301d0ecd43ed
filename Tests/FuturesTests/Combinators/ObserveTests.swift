import Dispatch
import Foundation
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureObserveTests {
    @Test func inOrderOfRegistration() {
        let promise = Promise<Int>()
        let order = TestLog<Int>()
        for index in 0..<100 { promise.observe { _ in order.append(index) } }
        #expect(order.elements.isEmpty)
        promise.resolve(with: 1)
        #expect(order.elements == Array(0..<100))
    }

    @Test func atOnceWhenSettled() {
        let calls = TestLog<Result<Int, TestError>>()
        Future(value: 1).observe { calls.append($0.mapError { $0 as? TestError ?? TestError() }) }
        #expect(calls.elements == [.success(1)])
        Future<Int>(error: TestError(number: 2)).observe {
            calls.append($0.mapError { $0 as? TestError ?? TestError() })
        }
        #expect(calls.elements == [.success(1), .failure(TestError(number: 2))])
    }

    @Test func onTheThreadThatSettles() {
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
    func inOrderAtEveryNestingDepth(depth: Int) {
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

    @Test func onAQueue() async {
        let queue = DispatchQueue(label: "observe")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 7)
        let done = Promise<Void>()
        let places = TestLog<Int?>()
        let order = TestLog<Int>()
        let promise = Promise<Int>()
        for index in 0..<20 {
            promise.observe(on: queue) { _ in
                places.append(DispatchQueue.getSpecific(key: key))
                order.append(index)
                if index == 19 { done.resolve(with: ()) }
            }
        }
        promise.resolve(with: 1)
        _ = await done.resultWhenSettled
        #expect(places.elements == Array(repeating: 7, count: 20))
        #expect(order.elements == Array(0..<20))
    }

    @Test func onAQueueEvenWhenSettledNeverAtOnce() async {
        let queue = DispatchQueue(label: "observe", attributes: .initiallyInactive)
        let done = Promise<Int>()
        let calls = TestLog<Int>()
        Future(value: 1).observe(on: queue) { _ in
            calls.append(1)
            done.resolve(with: 1)
        }
        #expect(calls.elements.isEmpty)
        queue.activate()
        _ = await done.resultWhenSettled
        #expect(calls.elements == [1])
    }

    @MainActor private final class Screen {
        var texts: [Int] = []
    }

    @Test @MainActor func onTheMainActor() async {
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

    @Test func onATaskExecutor() async {
        let executor = QueueExecutor()
        let promise = Promise<Int>()
        let done = Promise<Int>()
        let places = TestLog<Bool>()
        promise.observe(on: executor) { result in
            places.append(executor.isCurrent)
            done.resolve(with: (try? result.get()) ?? 0)
        }
        promise.resolve(with: 5)
        #expect(try! await done.value == 5)
        #expect(places.elements == [true])
    }

    @Test func anObservationIsTakenBack() {
        let (promise, calls) = (Promise<Int>(), TestLog<Int>())
        promise.onCancel { calls.append(0) }
        let observations = (1...3).map { number in promise.observation { _ in calls.append(number) }
        }
        observations[1].cancel()
        observations[1].cancel()
        promise.resolve(with: 1)
        observations[0].cancel()
        #expect(calls.elements == [1, 3])
        let last = Promise<Int>()
        last.onCancel { calls.append(4) }
        last.observation { _ in calls.append(5) }.cancel()
        #expect(calls.elements == [1, 3, 4])
    }
}

extension FutureObserveTests {
    @Test(arguments: [false, true]) func anObservationEndsWithItsTokenUnlessItIsKept(isKept: Bool) {
        let (promise, calls) = (Promise<Int>(), TestLog<Int>())
        promise.onCancel { calls.append(0) }
        var token: FutureObservation? = promise.observation { _ in calls.append(1) }
        #expect(token != nil && calls.elements.isEmpty)
        if isKept { token?.kept() }
        token = nil
        promise.resolve(with: 1)
        #expect(calls.elements == [isKept ? 1 : 0])
    }

    @Test func aKeptObservationCanStillBeTakenBack() {
        let (promise, calls) = (Promise<Int>(), TestLog<Int>())
        let token = promise.observation { _ in calls.append(1) }
        token.kept()
        token.cancel()
        promise.resolve(with: 1)
        #expect(calls.elements.isEmpty)
    }

    @Test func anObservationOnAQueueIsTakenBackAfterTheFutureHasSettled() {
        let (queue, calls) = (DispatchQueue(label: "screen"), TestLog<Int>())
        let promise = Promise<Int>()
        queue.sync {
            let first = promise.observation(on: queue) { _ in calls.append(1) }
            promise.observation(on: queue) { _ in calls.append(2) }.kept()
            // Both closures wait for the queue now.
            promise.resolve(with: 1)
            first.cancel()
        }
        queue.sync {}
        #expect(calls.elements == [2])
    }

    @Test func anObservationOnAQueueIsTakenBackBefore() {
        let (queue, calls) = (DispatchQueue(label: "screen"), TestLog<Int>())
        let promise = Promise<Int>()
        promise.onCancel { calls.append(0) }
        promise.observation(on: queue) { _ in calls.append(1) }.cancel()
        queue.sync {}
        #expect(calls.elements == [0])
    }

    @Test @MainActor func anObservationOnTheMainActorIsTakenBack() async {
        let calls = TestLog<Int>()
        let promise = Promise<Int>()
        let first = promise.observation(on: MainActor.shared) { _ in
            MainActor.assertIsolated()
            calls.append(1)
        }
        let second = promise.observation(on: MainActor.shared) { _ in calls.append(2) }
        promise.resolve(with: 1)
        second.cancel()
        let turn = Promise<Void>()
        DispatchQueue.main.async { turn.resolve(with: ()) }
        try! await turn.value
        #expect(calls.elements == [1])
        first.cancel()
    }

    private enum End: CaseIterable { case settled, cancelled, cancelledLate }

    @Test("an observation lets its closure go, also where that holds the observation")
    func anObservationIsFreed() {
        for end in End.allCases {
            let (promise, census) = (Promise<Int>(), Census())
            do {
                let (token, own) = (Tracked(census), Locked<FutureObservation?>(nil))
                let observation = promise.observation { [token, own] _ in
                    token.use()
                    if end == .cancelledLate { own.withLock { $0 }?.cancel() }
                }
                own.withLock { $0 = observation }
                if end == .cancelled { observation.cancel() } else { promise.resolve(with: 1) }
            }
            #expect(census.living == 0, "\(end)")
        }
    }
}

/// A user's own executor.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "executor")
    private let key = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: key, value: true) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
