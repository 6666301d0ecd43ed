import CTestSupport
import PledgeFutures
import Synchronization
import TestSupport
import Testing

/// Four threads on a few futures at a time, with random delays at every step of the protocol.
///
/// The model in Tests/Model checks every interleaving of a few small scenes; this checks many interleavings
/// of large ones, with the code itself. It finds most where `disturb` has an effect: see CTestSupport.h.
@Suite(.oneAtATime)
struct ProtocolStressTests {
    private static let threads = 4
    private static let scenes = 40

    /// Futures that continue with a promise while they are cancelled: the promise is notified of the last
    /// cancellation, at any stage of the continuation.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func thePromiseThatAFlatMapReturnsHearsWhenTheLastConsumerCancels(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let (outer, inner) = (Promise<Int>(), Promise<Int>())
            let cancellations = Atomic<Int>(0)
            inner.onCancel { cancellations.wrappingAdd(1, ordering: .relaxed) }
            let started = Atomic<Int>(0)
            let branches = (0..<6).map { number in
                let branch = outer.flatMap { _ in
                    started.wrappingAdd(1, ordering: .relaxed)
                    return number % 2 == 0 ? inner : inner.map { $0 }
                }
                return number % 3 == 0 ? branch.map { $0 } : branch
            }
            let seeds = (0..<3).map { _ in generator.next() | 1 }
            onThreads(3) { thread in
                disturb(seeds[thread])
                if thread == 0 {
                    outer.resolve(with: 1)
                } else {
                    for number in 0..<3 { branches[2 * number + thread - 1].cancel() }
                }
                disturb(0)
            }
            let expected = started.load(ordering: .relaxed) == 0 ? 0 : 1
            #expect(cancellations.load(ordering: .relaxed) == expected, "seed \(seed)")
            #expect(inner.isCancelled == (expected == 1), "seed \(seed)")
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func everyObserverIsCalledOnceWhenThreadsSettleCancelAndReleaseAtRandom(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            let census = Census()
            let scenes = (0..<Self.scenes).map { _ in Scene(census, &generator) }
            let seeds = (0..<Self.threads).map { _ in generator.next() }
            onThreads(Self.threads) { thread in
                var generator = SeededGenerator(seed: seeds[thread])
                disturb(generator.next() | 1)
                for scene in scenes { scene.act(on: thread, &generator) }
                disturb(0)
            }
            for scene in scenes { scene.end() }
            let inOrder = scenes.count { $0.isInOrder }
            #expect(inOrder == scenes.count, "seed \(seed)")
            #expect(census.living == 0, "seed \(seed)")
        }
    }
}

/// One or two promises, some derived futures, and the events.
private final class Scene: Sendable {
    private struct State {
        var promises: [Promise<Tracked>]
        var futures: [Future<Tracked>]
    }

    private let census: Census
    private let state: Locked<State>
    private let observers = Atomic<Int>(0)
    private let calls = Atomic<Int>(0)
    private let wins = Atomic<Int>(0)
    private let cancellations = Atomic<Int>(0)
    private let promiseCount: Int

    init(_ census: Census, _ generator: inout SeededGenerator) {
        self.census = census
        promiseCount = Int(generator.next() % 2) + 1
        let promises = (0..<promiseCount).map { _ in Promise<Tracked>() }
        state = Locked(State(promises: promises, futures: promises))
        for promise in promises where generator.next() % 4 != 0 {
            promise.onCancel { [unowned self] in
                cancellations.wrappingAdd(1, ordering: .relaxed)
            }
        }
    }

    /// Whether every observer was called once, and no promise was settled twice.
    var isInOrder: Bool {
        calls.load(ordering: .relaxed) == observers.load(ordering: .relaxed)
            && wins.load(ordering: .relaxed) + cancellations.load(ordering: .relaxed)
                <= promiseCount
    }

    /// Performs some actions, each of which may meet the actions of the other threads.
    func act(on thread: Int, _ generator: inout SeededGenerator) {
        for _ in 0..<4 {
            guard let future = any(&generator) else { continue }
            switch generator.next() % 16 {
            case 0: settle(&generator)
            case 1: future.cancel()
            case 2, 3: observe(future)
            case 4: add(future.map { $0 })
            case 5: add(future.map { $0 }.map { $0 })
            case 6: add(future.flatMap { Future(value: $0) })
            case 7: chain(future, &generator)
            case 8: future.map { $0 }.cancel()
            case 9: join(future, &generator)
            case 10: add(future.recover { [census] _ in Tracked(census) })
            case 11: release(&generator)
            case 12: add(future.timeout(.seconds(3_600)))
            case 13: future.flatMap { [census] _ in Promise(value: Tracked(census)) }.cancel()
            case 14: add(.race([future, future.map { $0 }]))
            default: observe(future.map { $0 }.always {})
            }
        }
    }

    /// Settles the promises that are left, and releases everything.
    func end() {
        let promises = state.withLock { state in
            state.futures = []
            return state.promises
        }
        for promise in promises where promise.resolve(with: Tracked(census)) {
            wins.wrappingAdd(1, ordering: .relaxed)
        }
        state.withLock { $0.promises = [] }
    }

    private func any(_ generator: inout SeededGenerator) -> Future<Tracked>? {
        let number = Int(truncatingIfNeeded: generator.next() >> 1)
        return state.withLock { $0.futures.isEmpty ? nil : $0.futures[number % $0.futures.count] }
    }

    private func add(_ future: Future<Tracked>) {
        state.withLock { if $0.futures.count < 8 { $0.futures.append(future) } }
    }

    private func observe(_ future: Future<Tracked>) {
        observers.wrappingAdd(1, ordering: .relaxed)
        future.observe { _ in self.calls.wrappingAdd(1, ordering: .relaxed) }
    }

    private func settle(_ generator: inout SeededGenerator) {
        let isFailure = generator.next() % 2 == 0
        guard let promise = state.withLock({ $0.promises.first }) else { return }
        let tracked = Tracked(census)
        let won = isFailure ? promise.reject(with: tracked) : promise.resolve(with: tracked)
        if won { wins.wrappingAdd(1, ordering: .relaxed) }
    }

    /// A loop of two turns, whose middle may be removed from the chain.
    private func chain(_ future: Future<Tracked>, _ generator: inout SeededGenerator) {
        let other = any(&generator) ?? future
        let looped = future.flatMap { _ in other.flatMap { _ in other.map { $0 } } }
        if generator.next() % 2 == 0 { add(looped) } else { observe(looped) }
    }

    private func join(_ future: Future<Tracked>, _ generator: inout SeededGenerator) {
        let other = any(&generator) ?? future
        let all = Future.all([future, other, future.map { $0 }]).map { $0[1] }
        switch generator.next() % 3 {
        case 0: all.cancel()
        case 1: add(all)
        default: observe(all)
        }
    }

    /// Releases a reference, perhaps the last.
    private func release(_ generator: inout SeededGenerator) {
        let number = Int(truncatingIfNeeded: generator.next() >> 1)
        let released = state.withLock { state -> Future<Tracked>? in
            guard !state.futures.isEmpty else { return nil }
            return state.futures.remove(at: number % state.futures.count)
        }
        withExtendedLifetime(released) {}
    }
}
