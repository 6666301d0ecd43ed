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

    @Test(arguments: 0..<20) func settlesAsASequentialProgramSays(seed: Int) {
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
