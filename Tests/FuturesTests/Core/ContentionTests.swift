import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PledgeFutures

/// Eight threads on the same futures.
///
/// Run under ThreadSanitizer too (see .ci/run).
@Suite(.oneAtATime) struct ContentionTests {
    static let threads = 8
    static let rounds = depth() / 5
    static let batch = 2_000

    /// What one round counts.
    private final class Tally: Sendable {
        let wins = Atomic<Int>(0)
        let observers = Atomic<Int>(0)
        let calls = Atomic<Int>(0)
        let cancellations = Atomic<Int>(0)

        func observe(_ future: Future<Int>) {
            observers.add(1, ordering: .relaxed)
            future.observe { _ in self.calls.add(1, ordering: .relaxed) }
        }
    }

    /// The references of one thread to the promises of a batch, which it releases one by one.
    private typealias References = Locked<[Promise<Int>?]>

    @Test func threadsMayResolveRejectObserveCancelAndReleaseAtOnce() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<Self.rounds / Self.batch {
            let tallies = (0..<Self.batch).map { _ in Tally() }
            let references = makePromises(tallies)
            let seed = generator.next()
            onThreads(Self.threads) { index in
                var generator = SeededGenerator(seed: seed &+ UInt64(index))
                for round in 0..<Self.batch {
                    guard let promise = references[index].withLock({ $0[round] }) else { continue }
                    Self.act(on: promise, tallies[round], &generator)
                    references[index].withLock { $0[round] = nil }
                }
            }
            for tally in tallies {
                let wins = tally.wins.load(ordering: .relaxed)
                let cancellations = tally.cancellations.load(ordering: .relaxed)
                let calls = tally.calls.load(ordering: .relaxed)
                #expect(wins + cancellations <= 1)
                #expect(calls == tally.observers.load(ordering: .relaxed))
            }
        }
    }

    /// One reference for each thread and promise, and no others.
    private func makePromises(_ tallies: [Tally]) -> [References] {
        let promises = tallies.map { tally in
            let promise = Promise<Int>()
            promise.onCancel { tally.cancellations.add(1, ordering: .relaxed) }
            return promise
        }
        return (0..<Self.threads).map { _ in References(promises) }
    }

    private static func act(
        on promise: Promise<Int>, _ tally: Tally, _ generator: inout SeededGenerator
    ) {
        switch generator.next() % 16 {
        case 0: if promise.resolve(with: 1) { tally.wins.add(1, ordering: .relaxed) }
        case 1:
            if promise.reject(with: TestError()) { tally.wins.add(1, ordering: .relaxed) }
        case 2: promise.cancel()
        case 3, 4: tally.observe(promise)
        case 5: tally.observe(promise.map { $0 + 1 })
        case 6: tally.observe(promise.flatMap { Future(value: $0 + 1) }.recover { _ in 0 })
        case 7, 8, 9: promise.map { $0 + 1 }.cancel()
        case 10:
            let branch = promise.map { $0 }.flatMap { Future(value: $0) }
            tally.observe(branch)
            branch.cancel()
        case 11: tally.observe(Future.race([promise.map { $0 }, promise.map { $0 }]))
        case 12: Future.all([promise, promise]).cancel()
        case 13: tally.observe(zip(promise, promise).map { $0 + $1 })
        default: break
        }
    }

    /// Another thread cancels each branch; the last cancellation must reach the producer.
    @Test func theProducerHearsOnceWhenManyThreadsCancelAllDerivedFutures() {
        for _ in 0..<Self.rounds / Self.batch {
            let rounds = (0..<Self.batch).map { _ in Branches(Self.threads) }
            onThreads(Self.threads) { index in
                for round in rounds { round.branches[index].cancel() }
            }
            for round in rounds {
                #expect(round.cancellations.load(ordering: .relaxed) == 1)
                #expect(round.promise.isCancelled)
            }
        }
    }

    /// A promise, and as many branches of different shapes as there are threads.
    private final class Branches: Sendable {
        let promise = Promise<Int>()
        let branches: [Future<Int>]
        let cancellations = Atomic<Int>(0)

        init(_ count: Int) {
            let promise = promise
            let shared = promise.map { $0 }
            branches = (0..<count).map { index in
                switch index % 4 {
                case 0: promise.map { $0 }
                case 1: shared.flatMap { Future(value: $0) }
                case 2: Future.all([shared, promise.map { $0 }]).map { $0[0] }
                default: promise.recover { _ in 0 }.map { $0 }
                }
            }
            promise.onCancel { [unowned self] in cancellations.add(1, ordering: .relaxed) }
        }
    }

    /// The last reference to a promise is released while other threads cancel derived futures: a canceller
    /// finds a promise that is in its deinit.
    @Test func oneThreadMayReleaseAPromiseWhileAnotherCancelsItsDerivedFutures() {
        for _ in 0..<Self.rounds / Self.batch {
            let calls = Atomic<Int>(0)
            let branches = References([])
            let kept = Locked<[[Future<Int>]]>([])
            for index in 0..<Self.batch {
                let promise = Promise<Int>()
                if index % 2 == 0 { promise.onCancel {} }
                let futures = [promise.map { $0 }, promise.map { $0 }, promise.recover { _ in 1 }]
                for future in futures { future.observe { _ in calls.add(1, ordering: .relaxed) } }
                branches.withLock { $0.append(promise) }
                kept.withLock { $0.append(futures) }
            }
            let futures = kept.withLock { $0 }
            onThreads(4) { index in
                for round in 0..<Self.batch {
                    if index == 3 {
                        _ = branches.withLock { promises in
                            defer { promises[round] = nil }
                            return promises[round]
                        }
                    } else {
                        futures[round][index].cancel()
                    }
                }
            }
            #expect(calls.load(ordering: .relaxed) == 3 * Self.batch)
        }
    }

    /// Threads that resolve and threads that cancel the inner future of a `flatMap`.
    @Test func oneThreadMayForwardWhatAnotherCancels() {
        for _ in 0..<Self.rounds / Self.batch / 2 {
            let rounds = (0..<Self.batch).map { _ in Chain() }
            onThreads(4) { index in
                for round in rounds { round.act(index) }
            }
            for round in rounds {
                #expect(round.calls.load(ordering: .relaxed) == 1)
                if round.end.isCancelled, round.inner.errorNow != nil {
                    #expect(round.inner.isCancelled)
                }
            }
        }
    }

    /// One thread links to a future while another thread settles it.
    ///
    /// The waiter has no other references, and must live until the link is made.
    @Test func aFlatMapMayReturnAPromiseThatAnotherThreadSettles() {
        let outer = Future(value: 1)
        for _ in 0..<Self.rounds / Self.batch / 2 {
            let promises = (0..<Self.batch).map { _ in Promise<Int>() }
            let calls = Atomic<Int>(0)
            onThreads(4) { index in
                for promise in promises {
                    switch index {
                    case 0: promise.resolve(with: 1)
                    case 1:
                        outer.flatMap { _ in promise }.observe { _ in
                            calls.add(1, ordering: .relaxed)
                        }
                    default: _ = outer.flatMap { _ in promise }
                    }
                }
            }
            #expect(calls.load(ordering: .relaxed) == Self.batch)
        }
    }

    /// A chain of forwarding futures, whose links are all contended.
    private final class Chain: Sendable {
        let outer = Promise<Int>()
        let middle = Promise<Int>()
        let inner = Promise<Int>()
        let end: Future<Int>
        let calls = Atomic<Int>(0)

        init() {
            let (middle, inner) = (middle, inner)
            inner.onCancel {}
            end = outer.flatMap { _ in middle.flatMap { _ in inner.flatMap { Future(value: $0) } } }
            end.observe { [unowned self] _ in calls.add(1, ordering: .relaxed) }
        }

        func act(_ index: Int) {
            switch index {
            case 0: outer.resolve(with: 0)
            case 1: middle.resolve(with: 1)
            case 2: inner.resolve(with: 2)
            default: end.cancel()
            }
        }
    }

    /// Tasks that await and are cancelled, while threads resolve.
    @Test func aTaskMayAwaitAPromiseThatAnotherThreadCancels() async {
        for _ in 0..<200 {
            let promises = (0..<20).map { _ in Promise<Int>() }
            let tasks = promises.flatMap { promise in
                [
                    Task { try await promise.value }, Task { try await promise.map { $0 }.value },
                ]
            }
            onThreads(4) { index in
                switch index {
                case 0: for promise in promises { promise.resolve(with: 3) }
                case 1: for task in tasks { task.cancel() }
                case 2: for promise in promises.reversed() { promise.map { $0 }.cancel() }
                default: for task in tasks.reversed() { task.cancel() }
                }
            }
            for task in tasks {
                let result = await task.result
                switch result {
                case .success(let value): #expect(value == 3)
                case .failure(let error): #expect(error is CancellationError)
                }
            }
        }
    }
}

/// No thread waits for an operation whose time grows with the number of inputs.
@Suite(.oneAtATime) struct ShortWaitTests {
    /// An aggregate of one input that does something while it makes its value.
    private final class Copy: Aggregate<Int>, @unchecked Sendable {
        private let meanwhile: @Sendable () -> Void

        init(_ meanwhile: @escaping @Sendable () -> Void) {
            self.meanwhile = meanwhile
            super.init(count: 1, rule: .firstFailure)
        }

        override func makeValue(of inputs: [AggregateInput]) -> (any Error)? {
            storage = inputs[0].value(of: Int.self)
            meanwhile()
            return nil
        }
    }

    @Test func whileTheValueOfAnAggregateIsMadeOthersMayObserveItAndCancel() {
        let (isMaking, othersAreDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wasHeldUp = Locked(false)
        let input = Promise<Int>()
        let aggregate = Copy {
            isMaking.signal()
            if othersAreDone.wait(timeout: .watchdog) == .timedOut {
                wasHeldUp.withLock { $0 = true }
            }
        }
        aggregate.start([input])
        let results = TestLog<Int?>()
        let followers = Locked<[Future<Int>]>([])
        onThreads(2) { thread in
            guard thread == 1 else {
                input.resolve(with: 7)
                return
            }
            isMaking.wait()
            aggregate.observe { results.append(try? $0.get()) }
            let follower = Future(value: 1).flatMap { _ in aggregate }
            followers.withLock { $0.append(follower) }
            aggregate.map { $0 }.cancel()
            othersAreDone.signal()
        }
        #expect(!wasHeldUp.withLock { $0 })
        #expect(results.elements == [7])
        #expect(followers.withLock { $0.map(\.valueNow) } == [7])
    }

    @Test func anAggregateThatIsCancelledWhileItsValueIsMadeStaysCancelled() {
        let input = Promise<Int>()
        let own = Locked<Future<Int>?>(nil)
        let aggregate = Copy { own.withLock { $0 }?.cancel() }
        own.withLock { $0 = aggregate }
        aggregate.start([input])
        input.resolve(with: 7)
        #expect(aggregate.isCancelled)
        #expect(aggregate.storage == nil)
        own.withLock { $0 = nil }
    }

    #if os(Linux)
    /// A thread that only yields would keep a holder of a lower priority from running.
    @Test func aThreadThatWaitsForTheLockOfAPromiseSleeps() async throws {
        let promise = Promise<Int>()
        let (own, isDone) = (Locked<String?>(nil), Locked(false))
        try #require(promise.lockIfPending())
        Thread {
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
            own.withLock { $0 = path }
            promise.observe { _ in }
            isDone.withLock { $0 = true }
        }.start()
        // Voluntary switches: a yield is none.
        func switches() -> Int? {
            guard let own = own.withLock({ $0 }),
                let status = try? String(contentsOfFile: "/proc/\(own)/status", encoding: .utf8)
            else { return nil }
            return status.firstMatch(of: /\nvoluntary_ctxt_switches:\s*(\d+)/).flatMap {
                Int($0.output.1)
            }
        }
        _ = await comesTrue { switches() != nil }
        let before = switches() ?? 0
        let sleeps = await comesTrue { switches() ?? 0 > before + 20 }
        promise.unlock()
        #expect(sleeps)
        #expect(await comesTrue { isDone.withLock { $0 } })
    }
    #endif
}
