import PledgeFutures
import TestSupport

/// The outcome of a future of the laws.
typealias Outcome = Result<Int, TestError>

extension Future where Value == Int {
    /// The outcome; nil while pending, and for any error that is not a test's own.
    var outcome: Outcome? { result.flatMap(Outcome.init) }
}

extension Result where Success == Int, Failure == TestError {
    /// The outcome for a result of the laws.
    init?(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error as TestError): self = .failure(error)
        case .failure: return nil
        }
    }
}

/// Makes futures with given outcomes that settle at random moments: before they are returned, or later, on
/// one of two threads, in random order.
final class Interleaving: Sendable {
    static let threads = 2

    private struct State {
        var generator: SeededGenerator
        /// The actions that are left, a list for each thread.
        var actions: [[@Sendable () -> Void]] = Array(repeating: [], count: threads)
    }

    private let state: Locked<State>

    init(seed: UInt64) {
        state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    /// A random number below a bound.
    func random(_ bound: Int) -> Int {
        state.withLock { Int($0.generator.next() % UInt64(bound)) }
    }

    /// A random outcome.
    func outcome() -> Outcome {
        random(3) == 0 ? .failure(TestError(number: random(10))) : .success(random(100))
    }

    /// A future with the outcome, settled already or later.
    func future(_ outcome: Outcome) -> Future<Int> {
        if random(4) == 0 { return Self.settled(outcome) }
        let promise = Promise<Int>()
        perform { promise.settle(outcome) }
        return random(4) == 0 ? promise.map { $0 } : promise
    }

    /// Runs something later, on one of the threads, in random order.
    func perform(_ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let thread = Int(state.generator.next() % UInt64(Self.threads))
            state.actions[thread].append(action)
        }
    }

    /// Settles all futures that were made, including those made meanwhile.
    func run() {
        onThreads(Self.threads) { thread in
            while let action = self.next(thread) { action() }
        }
        // A thread may have ended before the other one added an action for it.
        for thread in 0..<Self.threads {
            while let action = next(thread) { action() }
        }
        for thread in 0..<Self.threads {
            while let action = next(thread) { action() }
        }
    }

    private func next(_ thread: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let count = state.actions[thread].count
            guard count > 0 else { return nil }
            let index = Int(state.generator.next() % UInt64(count))
            state.actions[thread].swapAt(index, count - 1)
            return state.actions[thread].removeLast()
        }
    }

    private static func settled(_ outcome: Outcome) -> Future<Int> {
        switch outcome {
        case .success(let value): Future(value: value)
        case .failure(let error): Future(error: error)
        }
    }
}

extension Promise where Value == Int {
    func settle(_ outcome: Outcome) {
        switch outcome {
        case .success(let value): resolve(with: value)
        case .failure(let error): reject(with: error)
        }
    }
}

/// A random function of a number, which throws for some.
struct RandomFunction: Sendable {
    private let factor: Int
    private let offset: Int
    private let period: Int

    init(_ interleaving: Interleaving) {
        factor = interleaving.random(9) - 4
        offset = interleaving.random(20)
        period = interleaving.random(5)
    }

    func outcome(_ number: Int) -> Outcome {
        let result = (number &* factor &+ offset) % 1_000
        return period > 1 && abs(number) % period == 0
            ? .failure(TestError(number: result)) : .success(result)
    }

    func callAsFunction(_ number: Int) throws -> Int { try outcome(number).get() }
}
