import Dispatch
import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureMapTests {
    private struct Product: Sendable { let name: String }

    @Test func mapTransformsTheValueOfASettledFutureAtOnce() {
        #expect(Future(value: 20).map { $0 + 1 }.valueNow == 21)
    }

    @Test func mapTransformsTheValueOnceItIsThere() {
        let promise = Promise<Int>()
        let calls = TestLog<Int>()
        let text = promise.map { value in
            calls.append(value)
            return "\(value)"
        }
        #expect(text.result == nil)
        #expect(calls.elements.isEmpty)
        promise.resolve(with: 7)
        #expect(text.valueNow == "7")
        #expect(calls.elements == [7])
    }

    @Test func mapInfersFromAKeyPathAndFromAFunction() {
        let promise = Promise<Product>()
        let name = promise.map(\.name)
        let length = name.map(\.count)
        let letters = name.map(Array.init)
        promise.resolve(with: Product(name: "chair"))
        #expect(name.valueNow == "chair")
        #expect(length.valueNow == 5)
        #expect(letters.valueNow == ["c", "h", "a", "i", "r"])
    }

    @Test(arguments: [true, false])
    func aFailurePassesAMapWithoutACall(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 3)) }
        let calls = TestLog<Int>()
        let mapped = promise.map { calls.append($0) }
        promise.reject(with: TestError(number: 3))
        #expect(mapped.errorNow as? TestError == TestError(number: 3))
        #expect(mapped.failureOrigin == nil)
        #expect(calls.elements.isEmpty)
    }

    @Test(arguments: [true, false])
    func aMapThatThrowsRejectsWithItsErrorAndNamesItsLine(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 1) }
        let line: UInt = #line + 1
        let failed = promise.map { throw TestError(number: $0) }
        let below = failed.map { $0 }.flatMap { Future(value: $0) }.always {}
        promise.resolve(with: 1)
        #expect(failed.errorNow as? TestError == TestError(number: 1))
        #expect(failed.failureOrigin?.line == line)
        #expect("\(failed.failureOrigin?.fileID ?? "")" == #fileID)
        #expect(below.errorNow as? TestError == TestError(number: 1))
        #expect(below.failureOrigin?.line == line)
        #expect("\(failed)".contains("\(#fileID):\(line)"))
    }

    @Test func manyMapsOfOneFutureRunInOrderOfRegistration() {
        let promise = Promise<Int>()
        let order = TestLog<Int>()
        for index in 0..<10 {
            promise.map { _ in order.append(index) }.map { order.append(index + 100) }.observe {
                _ in
                order.append(index + 200)
            }
        }
        promise.resolve(with: 0)
        #expect(order.elements == (0..<10).flatMap { [$0, $0 + 100, $0 + 200] })
    }

    @Test func aTransformThatCancelsItsOwnFutureIsNotUndone() {
        let promise = Promise<Int>()
        let own = Locked<Future<Int>?>(nil)
        let mapped = promise.map { value in
            own.withLock { $0 }?.cancel()
            return value
        }
        own.withLock { $0 = mapped }
        promise.resolve(with: 1)
        #expect(mapped.isCancelled)
        #expect(promise.valueNow == 1)
        own.withLock { $0 = nil }
    }
}

@Suite struct FutureFlatMapTests {
    @Test(arguments: [true, false], [true, false])
    func aFlatMapSettlesAsTheInnerFuture(outerFirst: Bool, succeeds: Bool) {
        let outer = Promise<Int>()
        let inner = Promise<String>()
        let future = outer.flatMap { _ in inner }
        let settleInner = {
            succeeds ? inner.resolve(with: "a") : inner.reject(with: TestError(number: 2))
        }
        if outerFirst {
            outer.resolve(with: 1)
            #expect(future.result == nil)
            #expect(settleInner())
        } else {
            #expect(settleInner())
            #expect(future.result == nil)
            outer.resolve(with: 1)
        }
        if succeeds {
            #expect(future.valueNow == "a")
        } else {
            #expect(future.errorNow as? TestError == TestError(number: 2))
        }
    }

    @Test func flatMapTakesAFunctionByItsName() {
        @Sendable func load(_ number: Int) -> Future<[Int]> { Future(value: [number]) }
        #expect(Future(value: 7).flatMap(load).map(\.count).valueNow == 1)
    }

    @Test(arguments: [true, false])
    func aFailurePassesAFlatMapWithoutACall(isSettled: Bool) {
        let outer = Promise<Int>()
        if isSettled { outer.reject(with: TestError(number: 4)) }
        let calls = TestLog<Int>()
        let future = outer.flatMap { value -> Future<Int> in
            calls.append(value)
            return Future(value: value)
        }
        outer.reject(with: TestError(number: 4))
        #expect(future.errorNow as? TestError == TestError(number: 4))
        #expect(calls.elements.isEmpty)
    }

    @Test(arguments: [true, false])
    func aFlatMapThatThrowsRejectsWithItsErrorAndNamesItsLine(isSettled: Bool) {
        let outer = Promise<Int>()
        if isSettled { outer.resolve(with: 1) }
        let line: UInt = #line + 1
        let future = outer.flatMap { value -> Future<Int> in throw TestError(number: value) }
        outer.resolve(with: 1)
        #expect(future.errorNow as? TestError == TestError(number: 1))
        #expect(future.failureOrigin?.line == line)
    }

    @Test func anErrorOfTheInnerFutureKeepsTheLineThatThrewIt() {
        let inner = Promise<Int>()
        let line: UInt = #line + 1
        let thrower = inner.map { _ -> Int in throw TestError() }
        let future = Future(value: 0).flatMap { _ in thrower }
        inner.resolve(with: 0)
        #expect(future.failureOrigin?.line == line)
    }

    @Test func anInnerPromiseThatNobodyHoldsIsAbandoned() {
        let line: UInt = #line + 1
        let future = Future(value: 1).flatMap { _ -> Future<Int> in Promise<Int>() }
        #expect(future.codeNow == .abandoned)
        #expect((future.errorNow as? FutureError)?.location?.line == line)
    }

    @Test func observersOfTheInnerFutureKeepTheirPlaceBeforeThoseOfTheOuter() {
        let inner = Promise<Int>()
        let order = TestLog<String>()
        inner.observe { _ in order.append("first") }
        Future(value: 1).flatMap { _ in inner }.observe { _ in order.append("flatMap") }
        inner.observe { _ in order.append("last") }
        inner.resolve(with: 1)
        #expect(order.elements == ["first", "flatMap", "last"])
    }

    @Test func aFlatMapMayReturnTheFutureItIsMadeOf() {
        let promise = Promise<Int>()
        let future = promise.flatMap { _ in promise }
        promise.resolve(with: 5)
        #expect(future.valueNow == 5)
    }
}

@Suite struct FutureFilterTests {
    @Test(arguments: [true, false])
    func aFilterKeepsAValueThatFulfilsTheCondition(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 4) }
        let ensured = promise.filter { $0.isMultiple(of: 2) }
        promise.resolve(with: 4)
        #expect(ensured.valueNow == 4)
    }

    @Test(arguments: [true, false])
    func aFilterFailsForAnyOtherValueAndNamesTheLine(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 3) }
        let line: UInt = #line + 1
        let ensured = promise.filter { $0.isMultiple(of: 2) }
        promise.resolve(with: 3)
        #expect(ensured.codeNow == .notEnsured)
        let error = ensured.errorNow as? FutureError
        #expect(error?.location?.line == line)
        #expect(error?.description.contains("\(#fileID):\(line)") == true)
        #expect(ensured.failureOrigin?.line == line)
    }

    @Test func aPredicateThatThrowsRejectsWithItsError() {
        let line: UInt = #line + 1
        let ensured = Future(value: 3).filter { throw TestError(number: $0) }
        #expect(ensured.errorNow as? TestError == TestError(number: 3))
        #expect(ensured.failureOrigin?.line == line)
    }

    @Test func aFailurePassesAFilterWithoutACall() {
        let calls = TestLog<Int>()
        let ensured = Future<Int>(error: TestError(number: 1)).filter { value in
            calls.append(value)
            return true
        }
        #expect(ensured.errorNow as? TestError == TestError(number: 1))
        #expect(calls.elements.isEmpty)
    }

    @Test func theErrorOfAFilterCanBeReplaced() {
        let future = Future(value: 1).filter { $0 > 1 }.mapError { _ in TestError(number: 9) }
        #expect(future.errorNow as? TestError == TestError(number: 9))
    }
}

@Suite struct FutureRecoverTests {
    @Test(arguments: [true, false])
    func recoverMakesAValueOfTheError(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 6)) }
        let recovered = promise.recover { ($0 as? TestError)?.number ?? -1 }
        promise.reject(with: TestError(number: 6))
        #expect(recovered.valueNow == 6)
        #expect(recovered.failureOrigin == nil)
    }

    @Test(arguments: [true, false])
    func aSuccessPassesEveryErrorStepWithoutACall(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 1) }
        let calls = TestLog<String>()
        let future = promise.recover { _ in
            calls.append("recover")
            return 0
        }.flatMapError { _ in
            calls.append("flatMapError")
            return Future(value: 0)
        }.mapError { error in
            calls.append("mapError")
            return error
        }
        promise.resolve(with: 1)
        #expect(future.valueNow == 1)
        #expect(calls.elements.isEmpty)
    }

    @Test func whatAnErrorStepThrowsReplacesTheErrorAndNamesTheLine() {
        let failed = Future<Int>(error: TestError(number: 1))
        let line: UInt = #line
        let recovered = failed.recover { _ in throw TestError(number: 2) }
        let continued = failed.flatMapError { _ in throw TestError(number: 3) }
        let mapped = failed.mapError { _ in throw TestError(number: 4) }
        #expect(recovered.errorNow as? TestError == TestError(number: 2))
        #expect(recovered.failureOrigin?.line == line + 1)
        #expect(continued.errorNow as? TestError == TestError(number: 3))
        #expect(continued.failureOrigin?.line == line + 2)
        #expect(mapped.errorNow as? TestError == TestError(number: 4))
        #expect(mapped.failureOrigin?.line == line + 3)
    }

    @Test func recoverSeesCancellationAsAnError() {
        let promise = Promise<Int>()
        let recovered = promise.recover { $0 is CancellationError ? 9 : 0 }
        promise.cancel()
        #expect(recovered.valueNow == 9)
    }

    @Test func recoverSeesAbandonment() {
        var promise: Promise<Int>? = Promise()
        let recovered = promise?.recover { ($0 as? FutureError)?.code == .abandoned ? 8 : 0 }
        promise = nil
        #expect(recovered?.valueNow == 8)
    }

    @Test(arguments: [true, false])
    func flatMapErrorGoesOnWithTheSecondSource(isSettled: Bool) {
        let first = Promise<Int>()
        if isSettled { first.reject(with: TestError()) }
        let second = Promise<Int>()
        let future = first.flatMapError { _ in second }
        first.reject(with: TestError())
        #expect(future.result == nil)
        second.resolve(with: 2)
        #expect(future.valueNow == 2)
    }

    @Test func flatMapErrorFailsAsTheSecondSource() {
        let future = Future<Int>(error: TestError(number: 1))
            .flatMapError { _ in Future(error: TestError(number: 2)) }
        #expect(future.errorNow as? TestError == TestError(number: 2))
    }

    @Test(arguments: [true, false])
    func mapErrorTransformsTheError(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 1)) }
        let mapped = promise.mapError { TestError(number: (($0 as? TestError)?.number ?? 0) + 1) }
        promise.reject(with: TestError(number: 1))
        #expect(mapped.errorNow as? TestError == TestError(number: 2))
    }

    /// A transform that wraps an error has not thrown it: the origin must be the step that threw.
    @Test func mapErrorKeepsTheLineThatThrew() {
        let line: UInt = #line + 1
        let thrower = Future(value: 1).map { _ -> Int in throw TestError() }
        let mapped = thrower.mapError { _ in TestError(number: 5) }
        #expect(mapped.failureOrigin?.line == line)
    }

    @Test func mapErrorInventsNoLineWhereNoTransformThrew() {
        let mapped = Future<Int>(error: TestError()).mapError { _ in TestError(number: 5) }
        #expect(mapped.failureOrigin == nil)
    }
}

@Suite(.oneAtATime) struct FutureResultTests {
    @Test func flatMapResultTransformsValuesAndErrorsAlike() {
        let failed = Future<Int>(error: TestError(number: 1))
        let text = failed.flatMapResult { Future(value: "\((try? $0.get()) ?? 0)") }
        #expect(text.valueNow == "0")
        #expect(Future(value: 2).flatMapResult { Future(value: try $0.get() + 1) }.valueNow == 3)
        let thrown = failed.flatMapResult { _ -> Future<Int> in throw TestError(number: 2) }
        #expect(thrown.errorNow as? TestError == TestError(number: 2))
    }

    @Test func continuedGoesOnAfterAnyResult() {
        let inner = Promise<Int>()
        let futures = [
            Future(value: 1).flatMapSomeResults { _ in inner },
            Future<Int>(error: TestError()).flatMapSomeResults { _ in inner },
        ]
        #expect(futures.allSatisfy { $0.result == nil })
        inner.resolve(with: 5)
        #expect(futures.allSatisfy { $0.valueNow == 5 })
    }

    @Test func continuedWithoutAnotherKeepsTheResultAndItsOrigin() {
        let value = Future(value: 1).flatMapSomeResults { _ in nil }
        #expect(value.valueNow == 1)
        let failed = Future(value: 1).map { _ -> Int in throw TestError(number: 2) }
        let kept = failed.flatMapSomeResults { _ in nil }
        #expect(kept.errorNow as? TestError == TestError(number: 2))
        #expect(kept.failureOrigin?.line == failed.failureOrigin?.line)
        #expect(kept.failureOrigin != nil)
    }

    @Test func cancellingContinuedCancelsWhatItWaitsFor() {
        let cancelled = TestLog<String>()
        let outer = Promise<Int>(), inner = Promise<Int>()
        outer.onCancel { cancelled.append("outer") }
        inner.onCancel { cancelled.append("inner") }
        outer.flatMapSomeResults { _ in inner }.cancel()
        #expect(cancelled.elements == ["outer"])
        let future = Future(value: 1).flatMapSomeResults { _ in inner }
        future.cancel()
        #expect(cancelled.elements == ["outer", "inner"])
    }

    @Test func replacingAtEndReplacesSomeResultsAndKeepsTheOthers() {
        let replaced = Promise<Int>()
        let positive = replaced.replacingAtEnd { result in
            switch result {
            case .success(let value): value < 0 ? .failure(TestError(number: value)) : nil
            case .failure: .success(0)
            }
        }
        replaced.resolve(with: -3)
        #expect(positive.errorNow as? TestError == TestError(number: -3))
        #expect(Future(value: 4).replacingAtEnd { _ in nil }.valueNow == 4)
        #expect(Future<Int>(error: TestError()).replacingAtEnd { _ in .success(0) }.valueNow == 0)
    }

    @Test func flatMapAtEndIsToldWhenItsFutureIsCancelled() {
        let ends = TestLog<String>()
        let promise = Promise<Int>()
        promise.replacingAtEnd { result in
            ends.append("\((try? result.get()) ?? 0)")
            return nil
        }.cancel()
        let next = Promise<Int>()
        let kept = next.flatMapAtEnd { result in
            ends.append(result == nil ? "given up" : "ended")
            return nil
        }
        kept.cancel()
        #expect(ends.elements == ["0", "given up"])
        let other = Promise<Int>()
        let continued = other.flatMapAtEnd { result in result.map { _ in Future(value: 7) } }
        other.reject(with: TestError())
        #expect(continued.valueNow == 7)
    }

    @Test func continuedInATurnOfItsOwnNeedsNoStack() {
        @Sendable func turn(_ rest: Int) -> Future<Int> {
            Future(value: rest).flatMapSomeResults { _ in rest == 0 ? nil : turn(rest - 1) }
        }
        #expect(onSmallThread { turn(100_000).valueNow } == 0)
    }
}

@Suite(.oneAtATime) struct FutureOnQueueTests {
    private static let key = DispatchSpecificKey<Int>()

    @Test func aTransformOfAQueueRunsThereAndKeepsTheOrigin() async throws {
        let queue = DispatchQueue(label: "transforms")
        queue.setSpecific(key: Self.key, value: 1)
        let isThere = TestLog<Bool>()
        @Sendable func note() { isThere.append(DispatchQueue.getSpecific(key: Self.key) == 1) }
        let promise = Promise<Int>()
        for future in [promise, Future(value: 1)] {
            let mapped = future.map(on: queue) { value in
                note(); return value + 1
            }
            let flattened = future.map(on: queue) { value in
                note(); return Future(value: value + 2)
            }
            .flatMap { $0 }
            promise.resolve(with: 1)
            #expect(try await mapped.value == 2)
            #expect(try await flattened.value == 3)
        }
        #expect(isThere.elements == Array(repeating: true, count: 4))
        let line: UInt = #line + 1
        let failed = Future(value: 1).map(on: queue) { _ in throw TestError() }
        await #expect(throws: TestError.self) { try await failed.value }
        #expect(failed.failureOrigin?.line == line)
    }

    @MainActor
    @Test func anAsyncTransformMayRunOnTheMainActor() async throws {
        var shown: [Int] = []
        let promise = Promise<Int>()
        let futures = [promise, Future(value: 1)].map { future in
            future.then { @MainActor value in shown.append(value) }
        }
        onThreads(1) { _ in promise.resolve(with: 2) }
        #expect(shown.isEmpty, "it is called asynchronously")
        for future in futures { try await future.value }
        #expect(shown.sorted() == [1, 2])
    }

    @Test func aTransformOfAQueueThatIsGivenUpDoesNotRun() async {
        let queue = DispatchQueue(label: "transforms")
        let calls = TestLog<Int>()
        queue.suspend()
        let mapped = Future(value: 1).map(on: queue) { value in calls.append(value) }
        mapped.cancel()
        queue.resume()
        queue.sync {}
        #expect(calls.elements.isEmpty)
        let failure = Future<Int>(error: TestError()).map(on: queue) { $0 }
        #expect(failure.errorNow is TestError)
        #expect(failure.failureOrigin == nil)
    }
}
