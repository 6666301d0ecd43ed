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
    @Test func releasingARootThatAForwardingFutureWasLinkedTo() {
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
    @Test func releasingDeepWithinDeliveriesAgainstCancelling() {
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
    private final class KeepingScheduler: Scheduler {
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
