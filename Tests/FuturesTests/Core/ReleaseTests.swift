import Foundation
import PledgeFutures
import Synchronization
import TestSupport
import Testing

/// The last reference to a promise or a scheduler is released while futures still wait.
@Suite(.oneAtATime) struct ReleaseTests {
    private static let batch = 500
    private static let rounds = 20

    /// One thread releases the promises, the other cancels the futures that wait for them.
    private func release(
        _ promises: [Promise<Int>], _ prepare: @escaping @Sendable (@escaping () -> Void) -> Void,
        whileCancelling futures: [Future<Int>]
    ) {
        let references = Locked<[Promise<Int>?]>(promises)
        onThreads(2) { index in
            if index == 0 {
                prepare {
                    for round in 0..<Self.batch {
                        _ = references.withLock { promises in
                            defer { promises[round] = nil }
                            return promises[round]
                        }
                    }
                }
            } else {
                for future in futures { future.cancel() }
            }
        }
    }

    /// A future that was linked to a root must treat it as a root.
    @Test func aRootThatAForwardingFutureWasLinkedToMayBeReleased() {
        for _ in 0..<Self.rounds {
            let calls = Atomic<Int>(0)
            var ends: [Future<Int>] = []
            func makeRoots() -> [Promise<Int>] {
                (0..<Self.batch).map { _ in
                    let (first, second, root) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
                    let slot = Locked<Promise<Int>?>(root)
                    let end = first.flatMap { _ in
                        second.flatMap { _ in
                            slot.withLock { slot in
                                defer { slot = nil }
                                return slot ?? Promise()
                            }
                        }
                    }
                    end.observe { _ in calls.add(1, ordering: .relaxed) }
                    first.resolve(with: 1)
                    second.resolve(with: 2)
                    ends.append(end)
                    return root
                }
            }
            release(makeRoots(), { $0() }, whileCancelling: ends)
            #expect(calls.load(ordering: .relaxed) == Self.batch)
        }
    }

    /// The futures that wait for the promises are put off, and given up at the same time.
    @Test func oneThreadMayReleaseDeepWithinDeliveriesWhatAnotherCancels() {
        @Sendable func nest(_ depth: Int, _ body: @escaping () -> Void) {
            nonisolated(unsafe) let body = body
            if depth == 0 { return body() }
            let promise = Promise<Int>()
            promise.observe { _ in nest(depth - 1, body) }
            promise.resolve(with: 0)
        }
        for _ in 0..<Self.rounds {
            let calls = Atomic<Int>(0)
            var ends: [Future<Int>] = []
            func makePromises() -> [Promise<Int>] {
                (0..<Self.batch).map { _ in
                    let promise = Promise<Int>()
                    for _ in 0..<2 {
                        let end = promise.map { $0 }
                        end.observe { _ in calls.add(1, ordering: .relaxed) }
                        ends.append(end)
                    }
                    return promise
                }
            }
            release(makePromises(), { nest(32, $0) }, whileCancelling: ends)
            #expect(calls.load(ordering: .relaxed) == 2 * Self.batch)
        }
    }

    @Test func aDelayIsAbandonedWhenItsSchedulerGoes() {
        var scheduler: ManualScheduler? = ManualScheduler()
        weak let gone = scheduler
        let future = scheduler.map { Future(value: 1).delay(.seconds(1), on: $0).map { $0 } }
        scheduler = nil
        #expect(gone == nil)
        #expect(future?.codeNow == .abandoned)
    }

    /// A scheduler whose tokens keep their actions for ever, as a `DispatchWorkItem` does.
    private final class KeepingScheduler: FutureScheduler {
        final class Token: ScheduledAction {
            let action: @Sendable () -> Void
            init(_ action: @escaping @Sendable () -> Void) { self.action = action }
            func cancel() {}
        }
        private let tokens = Locked<[Token]>([])
        var now: SchedulerInstant { SchedulerInstant(offset: .zero) }
        func schedule(
            after delay: Duration, _ action: @escaping @Sendable () -> Void
        ) -> any ScheduledAction {
            let token = Token(action)
            tokens.withLock { $0.append(token) }
            return token
        }
        func run() {
            let due = tokens.withLock { tokens in
                defer { tokens = [] }
                return tokens
            }
            for token in due { token.action() }
        }
    }

    @Test func aDelayThatIsOverLetsGoOfItsTimer() {
        let scheduler = KeepingScheduler()
        var future: Future<Int>? = Future(value: 1).delay(.seconds(1), on: scheduler)
        weak let gone = future
        scheduler.run()
        #expect(future?.valueNow == 1)
        future = nil
        #expect(gone == nil)
    }
}

/// The core releases objects of the user while no lock is held: their deinit may call the core again.
@Suite(.oneAtATime) struct ReleaseUnlockedTests {
    /// Calls a closure in its deinit.
    private final class Last: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        deinit { body() }
        func use() {}
    }

    private static var schedulers: [any FutureScheduler] {
        [LiveScheduler.shared, ManualScheduler(), ClockScheduler(ContinuousClock())]
    }

    @Test(arguments: 0..<3)
    func whatACancelledActionHeldMayScheduleAsItGoes(index: Int) {
        let scheduler = Self.schedulers[index]
        let calls = TestLog<Int>()
        do {
            let last = Last {
                scheduler.schedule(after: .seconds(3_600)) {}.cancel()
                calls.append(1)
            }
            scheduler.schedule(after: .seconds(3_600)) { [last] in last.use() }.cancel()
        }
        #expect(calls.elements == [1])
    }

    /// A value that contains a promise, which has a timeout.
    private struct Job { let result: Promise<Int> }

    @Test(arguments: 0..<3)
    func aCancelledDelayMayReleaseAPromiseThatHasATimeout(index: Int) {
        let scheduler = Self.schedulers[index]
        var job: Job? = Job(result: Promise())
        let result = job?.result.timeout(.seconds(3_600), on: scheduler)
        let delayed = job.map { Future(value: $0).delay(.seconds(3_600), on: scheduler) }
        job = nil
        delayed?.cancel()
        #expect((result?.errorNow as? FutureError)?.code == .abandoned)
    }

    @Test func whatATraversalLetGoMayCancelItAsItGoes() {
        let traversal = Locked<Future<[Int]>?>(nil)
        let pending = Promise<Int>()
        let calls = TestLog<Int>()
        do {
            let last = Last {
                traversal.withLock { $0 }?.cancel()
                calls.append(1)
            }
            let future = Future.traverse([1]) { [last] _ in
                last.use()
                return pending
            }
            traversal.withLock { $0 = future }
        }
        pending.resolve(with: 1)
        traversal.withLock { $0 }?.cancel()
        #expect(calls.elements == [1])
    }

    @Test func aValueThatAnAggregateDropsMayObserveTheAggregate() {
        let aggregate = Locked<Future<[Last]>?>(nil)
        let calls = TestLog<Bool>()
        var first: Promise<Last>? = Promise()
        let second = Promise<Last>()
        if let first {
            let all = Future.all([first, second], others: .keptGoing)
            aggregate.withLock { $0 = all }
        }
        first?.resolve(
            with: Last {
                aggregate.withLock { $0 }?.observe { calls.append((try? $0.get()) == nil) }
            })
        first = nil
        second.reject(with: FutureError(.timedOut))
        #expect(calls.elements == [true])
    }

    #if os(Linux) || os(macOS)
    @Test func aFormerReportHandlerMayReportAsItGoes() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            do {
                let last = Last {
                    FutureDiagnostics.reportsUnobservedPromises = true
                    _ = Promise<Int>()
                }
                FutureDiagnostics.send { [last] _ in last.use() }
            }
            FutureDiagnostics.send { reports.append($0) }
            precondition(reports.elements.count == 1, "the report of the deinit came")
        }
    }
    #endif

    /// What a closure returns while another thread releases the promise behind it.
    private static let derived: [@Sendable (Promise<Int>) -> Future<Int>] = [
        { $0 },
        { $0.map { $0 } },
        { Future.race([$0]) },
        { promise in Future(value: ()).flatMap { promise } },
    ]

    /// In a debug build, the second operand of `&&` retains what it captures: here the upstream of a locked
    /// future, whose last release would then wait for the thread's own lock.
    @Test(
        "a promise is released while the future of a closure adopts what derives from it",
        arguments: 0..<4)
    func aPromiseMayBeReleasedWhileAClosuresFutureAdoptsFromIt(shape: Int) {
        let rounds = raceCount()
        let turn = Atomic<Int>(0)
        let done = Atomic<Int>(0)
        let slot = Locked<Promise<Int>?>(nil)
        onThreads(2) { index in
            for round in 1...rounds {
                if index == 0 {
                    while turn.load(ordering: .acquiring) < round { sched_yield() }
                    for _ in 0..<(round % 400) { _ = done.load(ordering: .relaxed) }
                    slot.withLockThenRelease { $0.take() }
                    done.store(round, ordering: .releasing)
                } else {
                    let outer = Promise<Int>()
                    let inner = Locked<Future<Int>?>(nil)
                    do {
                        let promise = Promise<Int>()
                        slot.withLock { $0 = promise }
                        inner.withLock { $0 = Self.derived[shape](promise) }
                    }
                    let future = outer.flatMap { _ in inner.withLock { $0.take() } ?? Promise() }
                    turn.store(round, ordering: .releasing)
                    outer.resolve(with: 1)
                    while done.load(ordering: .acquiring) < round { sched_yield() }
                    precondition(future.isSettled)
                }
            }
        }
    }
}
