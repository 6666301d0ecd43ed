import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureEffectsTests {
    private let seen = TestLog<String>()

    private func note(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let value): seen.append("\(value)")
        case .failure(let error): seen.append("\(type(of: error))")
        }
    }

    private enum Ending: CaseIterable { case success, failure, cancellation, abandonment }

    /// The calls of the three effects on one future that ends in the given way, before or after they are
    /// added.
    private func effects(of ending: Ending, isSettled: Bool) -> [String] {
        let calls = TestLog<String>()
        var promise: Promise<Int>? = Promise()
        var future: Future<Int>? = promise?.map { $0 }
        func end() {
            switch ending {
            case .success: promise?.resolve(with: 1)
            case .failure: promise?.reject(with: TestError(number: 2))
            case .cancellation: promise?.cancel()
            case .abandonment: promise = nil
            }
        }
        if isSettled { end() }
        future?.always { calls.append("always") }
            .onSuccess { calls.append("success \($0)") }
            .onFailure { calls.append("failure \(type(of: $0))") }
            .always { calls.append("again") }
        if !isSettled { end() }
        future = nil
        return calls.elements
    }

    @Test(arguments: [true, false])
    func effectsThatFitTheResultAreCalledInOrder(isSettled: Bool) {
        #expect(
            effects(of: .success, isSettled: isSettled) == ["always", "success 1", "again"]
        )
        #expect(
            effects(of: .failure, isSettled: isSettled)
                == ["always", "failure TestError", "again"]
        )
        #expect(
            effects(of: .cancellation, isSettled: isSettled)
                == ["always", "failure CancellationError", "again"]
        )
        #expect(
            effects(of: .abandonment, isSettled: isSettled)
                == ["always", "failure FutureError", "again"]
        )
    }

    @Test func effectsPassTheResultUnchanged() {
        let success = Future(value: 1).always {}.onSuccess { _ in }.onFailure { _ in }
        let failure = Future<Int>(error: TestError(number: 2))
            .always {}.onSuccess { _ in }.onFailure { _ in }
        #expect(success.valueNow == 1)
        #expect(failure.errorNow as? TestError == TestError(number: 2))
    }

    @Test func anEffectComesBeforeWhatDerivesFromIt() {
        let promise = Promise<Int>()
        let order = TestLog<String>()
        let future = promise.always { order.append("effect") }
        future.observe { _ in order.append("observer") }
        promise.resolve(with: 1)
        #expect(order.elements == ["effect", "observer"])
    }

    @Test func effectsKeepTheLineThatThrew() {
        let line: UInt = #line + 1
        let thrower = Future(value: 1).map { _ -> Int in throw TestError() }
        #expect(thrower.always {}.onSuccess { _ in }.onFailure { _ in }.failureOrigin?.line == line)
    }

    @Test func alwaysRunsOnceWhenAFutureBelowIsCancelled() {
        let ran = TestLog<Int>()
        let promise = Promise<Int>()
        let future = promise.always { ran.append(1) }.map { $0 + 1 }
        future.cancel()
        #expect(ran.elements == [1])
        promise.resolve(with: 1)
        #expect(ran.elements == [1])
    }

    @Test func alwaysRunsOnceWhenItsOwnFutureIsCancelledWhileItIsDelivered() {
        let ran = TestLog<Int>()
        let promise = Promise<Int>()
        let later = Locked<Future<Int>?>(nil)
        promise.observe { _ in later.withLock { $0 }?.cancel() }
        let future = promise.always { ran.append(1) }
        later.withLock { $0 = future }
        promise.resolve(with: 1)
        #expect(ran.elements == [1])
        #expect(future.isCancelled)
        later.withLock { $0 = nil }
    }

    @Test func onSuccessAndOnFailureDoNotRunWhenCancelled() {
        let ran = TestLog<Int>()
        let promise = Promise<Int>()
        promise.onSuccess { _ in ran.append(1) }.cancel()
        promise.onFailure { _ in ran.append(2) }.cancel()
        promise.resolve(with: 1)
        #expect(ran.elements.isEmpty)
    }

    @Test func onEndHearsAValueBeforeThoseWhoWait() {
        let promise = Promise<Int>()
        let future = promise.onEnd { [self] in note($0) }
        future.observe { [seen] _ in seen.append("after") }
        promise.resolve(with: 7)
        #expect(seen.elements == ["7", "after"])
        #expect(future.valueNow == 7)
    }

    @Test func onEndHearsAnErrorAndPassesItOn() {
        let future = Future<Int>(error: TestError(number: 3)).onEnd { [self] in note($0) }
        #expect(seen.elements == ["TestError"])
        #expect(future.errorNow as? TestError == TestError(number: 3))
    }

    @Test func onEndHearsOfBeingCancelledOnce() {
        let promise = Promise<Int>()
        let future = promise.onEnd { [self] in note($0) }
        future.cancel()
        promise.resolve(with: 7)
        #expect(seen.elements == ["CancellationError"])
    }

    @Test func onEndHearsOfLosingAllInterest() {
        let promise = Promise<Int>()
        let branch = promise.onEnd { [self] in note($0) }.map { $0 }
        branch.cancel()
        #expect(seen.elements == ["CancellationError"])
    }
}
