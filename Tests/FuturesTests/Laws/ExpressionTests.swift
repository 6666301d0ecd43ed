import PledgeFutures
import TestSupport
import Testing

/// Random expressions of all combinators, compared with a sequential program without time, which computes the
/// possible outcomes of an expression.
@Suite struct ExpressionTests {
    /// A future, and its possible outcomes.
    private struct Expression {
        let future: Future<Int>
        let possible: Set<Possible>

        func stepping(
            _ future: Future<Int>,
            _ step: (Possible) -> Set<Possible>
        ) -> Expression {
            Expression(future: future, possible: Set(possible.flatMap(step)))
        }
    }

    private enum Possible: Hashable {
        case success(Int)
        case failure(Int)

        init(_ outcome: Outcome) {
            switch outcome {
            case .success(let value): self = .success(value)
            case .failure(let error): self = .failure(error.number)
            }
        }
    }

    private static func number(_ error: any Error) -> Int { (error as? TestError)?.number ?? -1 }

    private func make(_ depth: Int, _ interleaving: Interleaving) -> Expression {
        if depth == 0 { return leaf(interleaving) }
        let operand = make(depth - 1, interleaving)
        let kind = interleaving.random(11)
        return kind < 7
            ? unary(kind, operand, interleaving)
            : nary(kind, operand, make(depth - 1 - interleaving.random(depth), interleaving))
    }

    private func leaf(_ interleaving: Interleaving) -> Expression {
        let outcome = interleaving.outcome()
        return Expression(future: interleaving.future(outcome), possible: [Possible(outcome)])
    }

    private func unary(
        _ kind: Int,
        _ operand: Expression,
        _ interleaving: Interleaving
    ) -> Expression {
        let function = RandomFunction(interleaving)
        let future = operand.future
        let onValue: (Possible) -> Set<Possible> = { possible in
            guard case .success(let value) = possible else { return [possible] }
            return [Possible(function.outcome(value))]
        }
        let onError: (Possible) -> Set<Possible> = { possible in
            guard case .failure(let number) = possible else { return [possible] }
            return [Possible(function.outcome(number))]
        }
        switch kind {
        case 0: return operand.stepping(future.map { try function($0) }, onValue)
        case 1:
            return operand.stepping(
                future.flatMap { interleaving.future(function.outcome($0)) },
                onValue
            )
        case 2:
            return operand.stepping(future.recover { try function(Self.number($0)) }, onError)
        case 3:
            return operand.stepping(
                future.flatMapError { interleaving.future(function.outcome(Self.number($0))) },
                onError
            )
        case 4:
            let mapped = future.mapError { TestError(number: Self.number($0) + 1) }
            return operand.stepping(mapped) { possible in
                guard case .failure(let number) = possible else { return [possible] }
                return [.failure(number + 1)]
            }
        case 5: return operand.stepping(future.always {}.filter { _ in true }) { [$0] }
        default: return operand.stepping(zip(future, future).map { $0 - $1 }, Self.difference)
        }
    }

    private static func difference(_ possible: Possible) -> Set<Possible> {
        if case .success = possible { [.success(0)] } else { [possible] }
    }

    private func nary(_ kind: Int, _ left: Expression, _ right: Expression) -> Expression {
        let futures = [left.future, right.future]
        switch kind {
        case 7:
            return Expression(
                future: zip(left.future, right.future).map { $0 &+ $1 },
                possible: Self.sums(left, right)
            )
        case 8:
            return Expression(
                future: Future.all(futures).map { $0[0] &+ $0[1] },
                possible: Self.sums(left, right)
            )
        case 9:
            return Expression(
                future: Future.race(futures),
                possible: left.possible.union(right.possible)
            )
        default:
            return Expression(
                future: Future.any(futures).mapError { _ in TestError(number: -7) },
                possible: Self.firstSuccesses(left, right)
            )
        }
    }

    private static func sums(_ left: Expression, _ right: Expression) -> Set<Possible> {
        var possible: Set<Possible> = []
        for a in left.possible {
            for b in right.possible {
                if case .success(let x) = a, case .success(let y) = b {
                    possible.insert(.success(x &+ y))
                }
                if case .failure = a { possible.insert(a) }
                if case .failure = b { possible.insert(b) }
            }
        }
        return possible
    }

    private static func firstSuccesses(
        _ left: Expression,
        _ right: Expression
    ) -> Set<Possible> {
        let all = left.possible.union(right.possible)
        var possible = all.filter { if case .success = $0 { true } else { false } }
        let mayFail = [left, right].allSatisfy { expression in
            expression.possible.contains { if case .failure = $0 { true } else { false } }
        }
        if mayFail { possible.insert(.failure(-7)) }
        return possible
    }

    @Test(arguments: 0..<20) func aRandomExpressionSettlesAsASequentialProgramSays(seed: Int) {
        let interleaving = Interleaving(seed: UInt64(seed))
        let calls = TestLog<Int>()
        let expressions = (0..<100).map { index in
            let expression = make(1 + interleaving.random(6), interleaving)
            expression.future.observe { _ in calls.append(index) }
            return expression
        }
        interleaving.run()
        #expect(calls.elements.sorted() == Array(0..<100))
        for expression in expressions {
            let outcome = expression.future.outcome.map(Possible.init)
            #expect(outcome.map(expression.possible.contains) == true)
        }
    }
}

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
