import PledgeFutures
import TestSupport
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

    @Test(arguments: batches) func mappingTheIdentityChangesNothing(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(left: future.map { $0 }, right: future)
        }
    }

    @Test(arguments: batches) func twoMapsAreTheMapOfTheComposition(seed: Int) {
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

    @Test(arguments: batches) func flatMapOfASettledFutureIsACallOfItsFunction(seed: Int) {
        check(seed) { interleaving in
            let arrow = arrow(interleaving)
            let number = interleaving.random(100)
            let right = (try? arrow(number)) ?? Future(value: number).flatMap(arrow)
            return Claim(left: Future(value: number).flatMap(arrow), right: right)
        }
    }

    @Test(arguments: batches) func flatMapToAFutureOfTheSameValueChangesNothing(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(left: future.flatMap { Future(value: $0) }, right: future)
        }
    }

    @Test(arguments: batches) func flatMapIsAssociative(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let (f, g) = (arrow(interleaving), arrow(interleaving))
            return Claim(
                left: future.flatMap(f).flatMap(g),
                right: future.flatMap { try f($0).flatMap(g) }
            )
        }
    }

    @Test(arguments: batches)
    func flatMapErrorIsAssociativeAndChangesNothingIfItReturnsTheSameError(seed: Int) {
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

    @Test(arguments: batches) func aRecoverThatThrowsTheSameErrorChangesNothing(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(left: future.recover { throw $0 }, right: future)
        }
    }

    @Test(arguments: batches) func aRecoverAfterARecoverThatReturnsAValueIsNotReached(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            let once = future.recover { _ in 7 }
            return Claim(left: once.recover { _ in 8 }, right: once)
        }
    }

    @Test(arguments: batches) func twoMapErrorsAreTheMapErrorOfTheComposition(seed: Int) {
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

    @Test(arguments: batches) func alwaysOnSuccessAndOnFailureDoNotChangeTheResult(seed: Int) {
        check(seed) { interleaving in
            let future = source(interleaving)
            return Claim(
                left: future.always {}.onSuccess { _ in }.onFailure { _ in },
                right: future
            )
        }
    }
}

/// The laws of the combinators of several futures, compared with a sequential program.
@Suite struct AggregateLawTests {
    static let batches = 0..<10
    static let cases = 100

    /// Futures, and the outcome of each.
    private struct Inputs {
        let outcomes: [Outcome]
        let futures: [Future<Int>]
        let values: [Int]
        let errors: [TestError]

        init(_ interleaving: Interleaving, atLeast least: Int = 0) {
            // Mostly successes in every other case; otherwise few aggregates would succeed.
            let isLucky = interleaving.random(2) == 0
            outcomes = (0..<least + interleaving.random(6)).map { index in
                isLucky && interleaving.random(8) > 0 ? .success(index) : interleaving.outcome()
            }
            futures = outcomes.map(interleaving.future)
            values = outcomes.compactMap { try? $0.get() }
            errors = outcomes.compactMap { outcome in
                if case .failure(let error) = outcome { error } else { nil }
            }
        }
    }

    /// Makes futures from inputs, settles the inputs, and compares each future with its inputs.
    private func check<Value>(
        _ seed: Int,
        atLeast least: Int = 0,
        _ make: (Inputs) -> Future<Value>,
        expecting: (Inputs, Result<Value, any Error>?) -> Void
    ) {
        let interleaving = Interleaving(seed: UInt64(seed))
        let claims = (0..<Self.cases).map { _ in
            let inputs = Inputs(interleaving, atLeast: least)
            return (inputs, make(inputs))
        }
        interleaving.run()
        for (inputs, future) in claims { expecting(inputs, future.result) }
    }

    private func error<Value>(_ result: Result<Value, any Error>?) -> TestError? {
        if case .failure(let error as TestError)? = result { error } else { nil }
    }

    @Test(arguments: batches) func allIsInOrderOrFailsAsOneInput(seed: Int) {
        check(seed) {
            Future.all($0.futures)
        } expecting: { inputs, result in
            if inputs.errors.isEmpty {
                #expect((try? result?.get()) == inputs.values)
            } else {
                #expect(error(result).map(inputs.errors.contains) == true)
            }
        }
    }

    @Test(arguments: batches) func allSettledIsInOrder(seed: Int) {
        check(seed) {
            Future.allSettled($0.futures)
        } expecting: { inputs, result in
            let outcomes = (try? result?.get())?.compactMap { Outcome($0) }
            #expect(outcomes == inputs.outcomes)
        }
    }

    @Test(arguments: batches) func anyIsASuccessIfThereIsOne(seed: Int) {
        check(seed, atLeast: 1) {
            Future.any($0.futures)
        } expecting: { inputs, result in
            if let value = try? result?.get() {
                #expect(inputs.values.contains(value))
            } else {
                #expect(inputs.values.isEmpty)
                guard case .failure(let error as FutureError)? = result else {
                    Issue.record("any of failures fails")
                    return
                }
                #expect(error.causes.compactMap { $0 as? TestError } == inputs.errors)
            }
        }
    }

    @Test(arguments: batches) func raceIsOneOfTheOutcomes(seed: Int) {
        check(seed, atLeast: 1) {
            Future.race($0.futures)
        } expecting: { inputs, result in
            let outcome = result.flatMap { Outcome($0) }
            #expect(outcome.map(inputs.outcomes.contains) == true)
        }
    }

    @Test(arguments: batches) func traverseIsAllOfTheMapped(seed: Int) {
        check(seed) { inputs in
            let futures = inputs.futures
            return Future.traverse(futures.indices, maxConcurrent: 1 + seed % 3) { futures[$0] }
        } expecting: { inputs, result in
            if inputs.errors.isEmpty {
                #expect((try? result?.get()) == inputs.values)
            } else {
                #expect(error(result).map(inputs.errors.contains) == true)
            }
        }
    }

    /// If inputs run one after the other, the first failure in order counts.
    @Test(arguments: batches) func traverseOneByOneIsAChainOfFlatMaps(seed: Int) {
        check(seed) { inputs in
            let futures = inputs.futures
            return Future.traverse(futures.indices, maxConcurrent: 1) { futures[$0] }
        } expecting: { inputs, result in
            #expect(error(result) == inputs.errors.first)
            if inputs.errors.isEmpty { #expect((try? result?.get()) == inputs.values) }
        }
    }

    @Test(arguments: batches) func zipIsSymmetricAndAssociative(seed: Int) {
        check(seed, atLeast: 3) { inputs in
            let (a, b, c) = (inputs.futures[0], inputs.futures[1], inputs.futures[2])
            // The test observes the inputs itself: a future that fails early must not cancel later inputs.
            for future in [a, b, c] { future.observe { _ in } }
            let flat = zip(a, b, c).map { [$0, $1, $2] }
            let left = zip(zip(a, b), c).map { [$0.0, $0.1, $1] }
            let right = zip(a, zip(b, c)).map { [$0, $1.0, $1.1] }
            let mirrored = zip(c, b, a).map { [$2, $1, $0] }
            return Future.allSettled([flat, left, right, mirrored])
        } expecting: { inputs, result in
            let errors = inputs.outcomes.prefix(3).compactMap { outcome in
                if case .failure(let error) = outcome { error } else { nil }
            }
            let results = (try? result?.get()) ?? []
            #expect(results.count == 4)
            for result in results {
                if errors.isEmpty {
                    #expect((try? result.get()) == Array(inputs.values.prefix(3)))
                } else {
                    #expect(error(result).map(errors.contains) == true)
                }
            }
        }
    }

    // MARK: - Against a sequential oracle

    /// Settles inputs one after the other in random order, some before the future is made, and computes the
    /// expected result.
    private func checkInSequence(
        _ seed: Int,
        _ make: ([Promise<Int>]) -> Future<Int>,
        oracle: (_ inArrayOrder: [Outcome], _ inTime: [Outcome]) -> Outcome?
    ) {
        let interleaving = Interleaving(seed: UInt64(seed))
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<Self.cases {
            let outcomes = (0..<1 + interleaving.random(6)).map { _ in interleaving.outcome() }
            let promises = outcomes.map { _ in Promise<Int>() }
            let order = promises.indices.shuffled(using: &generator)
            let before = Set(order.prefix(interleaving.random(2) * interleaving.random(4)))
            for index in before { promises[index].settle(outcomes[index]) }
            let future = make(promises)
            // The inputs that had settled before are processed in the order of the array.
            var inTime = before.sorted().map { outcomes[$0] }
            #expect(future.outcome == oracle(outcomes, inTime))
            for index in order where !before.contains(index) {
                promises[index].settle(outcomes[index])
                inTime.append(outcomes[index])
                #expect(future.outcome == oracle(outcomes, inTime))
            }
        }
    }

    @Test(arguments: batches) func raceAgreesWithAnOracleOverInputsSettledInSequence(seed: Int) {
        checkInSequence(seed) {
            Future.race($0)
        } oracle: { _, inTime in
            inTime.first
        }
    }

    @Test(arguments: batches) func anyAgreesWithAnOracleOverInputsSettledInSequence(seed: Int) {
        checkInSequence(seed) { promises in
            Future.any(promises).mapError { error in
                TestError(number: (error as? FutureError)?.causes.count ?? -1)
            }
        } oracle: { outcomes, inTime in
            let success = inTime.first { (try? $0.get()) != nil }
            if let success { return success }
            guard inTime.count == outcomes.count else { return nil }
            return .failure(TestError(number: outcomes.count))
        }
    }

    @Test(arguments: batches) func allAgreesWithAnOracleOverInputsSettledInSequence(seed: Int) {
        checkInSequence(seed) { promises in
            Future.all(promises).map { $0.reduce(0) { $0 &* 3 &+ $1 } }
        } oracle: { outcomes, inTime in
            let failure = inTime.first { (try? $0.get()) == nil }
            if let failure { return failure }
            guard inTime.count == outcomes.count else { return nil }
            return .success(outcomes.compactMap { try? $0.get() }.reduce(0) { $0 &* 3 &+ $1 })
        }
    }
}
