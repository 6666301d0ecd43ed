import PledgeFutures
import Testing

/// The laws of the combinators, over random outcomes, functions and interleavings.
///
/// The seed of a batch is the argument of its test, so that a failing batch can be repeated.
@Suite struct LawTests {
    static let batches = 0..<10
    static let cases = 100

    /// Two futures that must have the same outcome, or one whose outcome is known.
    private struct Claim {
        let left: Future<Int>
        let right: Future<Int>
    }

    /// Makes claims, settles their futures, and checks them.
    private func check(_ seed: Int, _ make: (Interleaving) -> Claim) {
        let interleaving = Interleaving(seed: UInt64(seed))
        let claims = (0..<Self.cases).map { _ in make(interleaving) }
        interleaving.run()
        for claim in claims {
            #expect(claim.left.outcome != nil)
            #expect(claim.left.outcome == claim.right.outcome)
        }
    }

    /// A function from a number to a future that settles at a random moment; it may also throw.
    private func arrow(
        _ interleaving: Interleaving,
        mayThrow: Bool = true
    ) -> @Sendable (Int) throws -> Future<Int> {
        let function = RandomFunction(interleaving)
        let throwing = mayThrow && interleaving.random(2) == 0
        return { number in
            if throwing { _ = try function(number) }
            return interleaving.future(function.outcome(number))
        }
    }

    /// A function from an error to a future.
    ///
    /// It does not throw: inside another closure, the error would leave the closure before the recovery under
    /// test.
    private func recovery(
        _ interleaving: Interleaving
    ) -> @Sendable (any Error) throws -> Future<Int> {
        let arrow = arrow(interleaving, mayThrow: false)
        return { error in try arrow((error as? TestError)?.number ?? -1) }
    }

    private func source(_ interleaving: Interleaving) -> Future<Int> {
        interleaving.future(interleaving.outcome())
    }

    @Test(arguments: batches) func mapIdentity(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(left: future.map { $0 }, right: future)
        }
    }

    @Test(arguments: batches) func mapComposition(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let (f, g) = (RandomFunction(interleaving), RandomFunction(interleaving))
            return Claim(
                left: future.map { try f($0) }.map { try g($0) },
                right: future.map { try g(f($0)) }
            )
        }
    }

    @Test(arguments: batches) func mapIsFlatMapToASettledFuture(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let function = RandomFunction(interleaving)
            return Claim(
                left: future.map { try function($0) },
                right: future.flatMap { Future(value: try function($0)) }
            )
        }
    }

    @Test(arguments: batches) func flatMapLeftIdentity(seed: Int) {
        check(seed) { interleaving in
            let arrow = arrow(interleaving)
            let number = interleaving.random(100)
            let right = (try? arrow(number)) ?? Future(value: number).flatMap(arrow)
            return Claim(left: Future(value: number).flatMap(arrow), right: right)
        }
    }

    @Test(arguments: batches) func flatMapRightIdentity(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(left: future.flatMap { Future(value: $0) }, right: future)
        }
    }

    @Test(arguments: batches) func flatMapAssociativity(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let (f, g) = (arrow(interleaving), arrow(interleaving))
            return Claim(
                left: future.flatMap(f).flatMap(g),
                right: future.flatMap { try f($0).flatMap(g) }
            )
        }
    }

    @Test(arguments: batches) func flatMapErrorIdentitiesAndAssociativity(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(left: future.flatMapError { Future(error: $0) }, right: future)
        }
        check(seed) { interleaving in
            let future = source(interleaving)
            let (f, g) = (recovery(interleaving), recovery(interleaving))
            return Claim(
                left: future.flatMapError(f).flatMapError(g),
                right: future.flatMapError { try f($0).flatMapError(g) }
            )
        }
    }

    @Test(arguments: batches) func recoverIsFlatMapErrorToASettledFuture(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let function = RandomFunction(interleaving)
            let recover: @Sendable (any Error) throws -> Int = {
                try function(($0 as? TestError)?.number ?? -1)
            }
            return Claim(
                left: future.recover(recover),
                right: future.flatMapError { Future(value: try recover($0)) }
            )
        }
    }

    @Test(arguments: batches) func recoverByThrowingIsIdentity(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(left: future.recover { throw $0 }, right: future)
        }
    }

    @Test(arguments: batches) func recoverAfterRecoverIsNotReached(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let once = future.recover { _ in 7 }
            return Claim(left: once.recover { _ in 8 }, right: once)
        }
    }

    @Test(arguments: batches) func mapErrorIdentityAndComposition(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let f: @Sendable (any Error) -> TestError = {
                TestError(number: (($0 as? TestError)?.number ?? 0) * 3)
            }
            let g: @Sendable (any Error) -> TestError = {
                TestError(number: (($0 as? TestError)?.number ?? 0) + 1)
            }
            return Claim(
                left: future.mapError { $0 }.mapError { f($0) }.mapError { g($0) },
                right: future.mapError { g(f($0)) }
            )
        }
    }

    @Test(arguments: batches) func ensureIsAMapThatMayThrow(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(
                left: future.filter { $0 % 3 > 0 }.mapError { $0 as? TestError ?? TestError() },
                right: future.map { value in
                    if value % 3 == 0 { throw TestError() }
                    return value
                }
            )
        }
    }

    @Test(arguments: batches) func effectsChangeNothing(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(
                left: future.always {}.onSuccess { _ in }.onFailure { _ in },
                right: future
            )
        }
    }
}
