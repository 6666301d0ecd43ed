import Dispatch
import PledgeFutures
import TestSupport
import Testing

/// The clauses of Promises/A+ 1.1 (https://promisesaplus.com), by number, for a typed future.
///
/// `then` is several methods here: `map` takes a function from value to value, `flatMap` one to a future,
/// `recover` and `flatMapError` take the reason. These clauses have no meaning here:
///
/// - 2.2.1.1, 2.2.1.2 (an argument that is not a function is ignored) and 2.2.5 (no `this`): the compiler
///   ensures both. That a handler may be left out is tested as 2.2.7.3 and 2.2.7.4.
/// - 2.2.4 (no handler before the stack contains platform code only): a handler without a place runs at once,
///   on purpose. A handler with a place follows the clause, and is tested.
/// - 2.3.3 (objects with a `then`): a future takes no value of another type, and `map` does not unwrap a
///   future. The rules of 2.3.3.3 for the two functions that are passed to a `then` are tested for a
///   resolver.
@Suite(.oneAtATime) struct PromisesAPlusTests {
    /// When a promise settles: before a handler is registered, afterwards, or on another thread.
    enum Moment: CaseIterable, Sendable { case before, after, elsewhere }

    /// Calls a body with a promise that settles at the given moment.
    private func settle(
        with result: Result<Int, any Error>, _ moment: Moment, _ body: (Future<Int>) -> Void
    ) {
        let promise = Promise<Int>()
        if moment == .before { promise.settle(with: result) }
        body(promise)
        if moment == .elsewhere { onThreads(1) { _ in promise.settle(with: result) } }
        promise.settle(with: result)
    }

    private let reason = TestError(number: 1)

    // MARK: - 2.1 States

    @Test("Promises/A+ 2.1.1: a pending promise becomes fulfilled or rejected")
    func aPendingPromiseIsFulfilledOrRejected() {
        for result in [Result<Int, any Error>.success(1), .failure(reason)] {
            let promise = Promise<Int>()
            #expect(!promise.isSettled && promise.result == nil)
            #expect(promise.settle(with: result))
            #expect(promise.isSettled)
        }
    }

    @Test("Promises/A+ 2.1.2, 2.1.3: a settled promise keeps its state and its value or reason")
    func aSettledPromiseKeepsItsValueOrReason() {
        let (fulfilled, rejected) = (Promise<Int>(), Promise<Int>())
        fulfilled.resolve(with: 1)
        rejected.reject(with: reason)
        for promise in [fulfilled, rejected] {
            #expect(!promise.resolve(with: 2))
            #expect(!promise.reject(with: TestError(number: 2)))
            promise.cancel()
        }
        #expect(fulfilled.valueNow == 1)
        #expect(rejected.errorNow as? TestError == reason)
    }

    // MARK: - 2.2 The methods that stand for `then`

    @Test("Promises/A+ 2.2.2: a handler of values is called once, once fulfilled, with the value")
    func aHandlerOfValuesIsCalledOnceWithTheValue() {
        let promise = Promise<Int>()
        let calls = TestLog<Int>()
        let mapped = promise.map { calls.append($0) }
        #expect(calls.elements.isEmpty)
        promise.resolve(with: 1)
        promise.resolve(with: 2)
        promise.reject(with: reason)
        #expect(calls.elements == [1])
        #expect(mapped.isSettled)
    }

    @Test("Promises/A+ 2.2.3: a handler of reasons is called once, once rejected, with the reason")
    func aHandlerOfReasonsIsCalledOnceWithTheReason() {
        let promise = Promise<Int>()
        let calls = TestLog<TestError?>()
        let recovered = promise.recover { error in
            calls.append(error as? TestError)
            return 3
        }
        #expect(calls.elements.isEmpty)
        promise.reject(with: reason)
        promise.reject(with: TestError(number: 2))
        promise.resolve(with: 2)
        #expect(calls.elements == [reason])
        #expect(recovered.valueNow == 3)
    }

    @Test("Promises/A+ 2.2.2.3, 2.2.3.3: no handler is called for the other kind of result")
    func aHandlerOfValuesIsNotCalledForReasonsNorTheOtherWayRound() {
        let calls = TestLog<String>()
        for moment in Moment.allCases {
            settle(with: .success(1), moment) { future in
                _ = future.recover { _ in
                    calls.append("a reason")
                    return 0
                }
            }
            settle(with: .failure(reason), moment) { future in
                _ = future.map { _ in calls.append("a value") }
            }
        }
        #expect(calls.elements.isEmpty)
    }

    @Test("Promises/A+ 2.2.4: a handler on a queue is called after the code that settles")
    func aHandlerOnAQueueIsCalledAfterTheCodeThatRegistersOrSettles() async {
        let queue = DispatchQueue(label: "2.2.4")
        for moment in [Moment.before, .after] {
            let order = TestLog<String>()
            queue.suspend()
            settle(with: .success(1), moment) { future in
                _ = future.map(on: queue) { _ in order.append("handler") }
                order.append("registered")
            }
            order.append("settled")
            queue.resume()
            queue.sync {}
            #expect(order.elements == ["registered", "settled", "handler"])
        }
    }

    @Test(
        "Promises/A+ 2.2.6: several handlers are called in order of registration",
        arguments: Moment.allCases)
    func severalHandlersAreCalledInOrderOfRegistration(moment: Moment) {
        for result in [Result<Int, any Error>.success(1), .failure(reason)] {
            let order = TestLog<Int>()
            settle(with: result, moment) { future in
                _ = future.flatMapResult { _ in
                    order.append(0)
                    return Future(value: ())
                }
                // A handler that throws does not stop the others.
                _ = future.flatMapResult { _ -> Future<Void> in
                    order.append(1)
                    throw TestError()
                }
                future.observe { _ in order.append(2) }
            }
            #expect(order.elements == [0, 1, 2])
        }
    }

    @Test(
        "Promises/A+ 2.2.7.1: what a handler returns settles the new future",
        arguments: Moment.allCases)
    func whatAHandlerReturnsSettlesTheNewFuture(moment: Moment) {
        settleBoth(moment) { fulfilled, rejected in
            [
                (fulfilled.map { $0 + 1 }, .success(2)),
                (rejected.recover { _ in 3 }, .success(3)),
                (fulfilled.flatMap { Future(value: $0 + 3) }, .success(4)),
                (rejected.flatMapError { _ in Future(value: 5) }, .success(5)),
            ]
        }
    }

    @Test(
        "Promises/A+ 2.2.7.2: what a handler throws rejects the new future",
        arguments: Moment.allCases)
    func whatAHandlerThrowsRejectsTheNewFuture(moment: Moment) {
        let thrown = TestError(number: 2)
        settleBoth(moment) { fulfilled, rejected in
            [
                (fulfilled.map { _ in throw thrown }, .failure(thrown)),
                (rejected.recover { _ in throw thrown }, .failure(thrown)),
                (fulfilled.flatMap { _ in throw thrown }, .failure(thrown)),
                (rejected.flatMapError { _ in throw thrown }, .failure(thrown)),
            ]
        }
    }

    @Test(
        "Promises/A+ 2.2.7.3, 2.2.7.4: without a handler the result passes on",
        arguments: Moment.allCases)
    func withoutAHandlerTheResultPassesOn(moment: Moment) {
        settleBoth(moment) { fulfilled, rejected in
            [
                (fulfilled.recover { _ in 2 }, .success(1)),
                (fulfilled.flatMapError { _ in Future(value: 2) }, .success(1)),
                (rejected.map { $0 + 1 }, .failure(reason)),
                (rejected.flatMap { Future(value: $0 + 1) }, .failure(reason)),
            ]
        }
    }

    /// Calls a body with a future of 1, and with a future that fails for `reason`.
    private func settleBoth(
        _ moment: Moment,
        _ derive: (Future<Int>, Future<Int>) -> [(Future<Int>, Result<Int, TestError>)]
    ) {
        var derived: [(Future<Int>, Result<Int, TestError>)] = []
        settle(with: .success(1), moment) { fulfilled in
            settle(with: .failure(reason), moment) { derived = derive(fulfilled, $0) }
        }
        for (index, (future, expected)) in derived.enumerated() {
            let result = future.result?.mapError { $0 as? TestError ?? TestError(number: -1) }
            #expect(result == expected, "the future at \(index)")
        }
    }

    // MARK: - 2.3 The resolution procedure

    @Test("Promises/A+ 2.3.1: a future that a handler makes wait for itself is rejected")
    func aFutureThatAHandlerMakesWaitForItselfIsRejected() {
        let own = Locked<Future<Int>?>(nil)
        let promise = Promise<Int>()
        let future = promise.flatMap { _ in own.withLock { $0.take() } ?? Future(value: 0) }
        own.withLock { $0 = future }
        promise.resolve(with: 1)
        #expect(future.codeNow == .cycle)
    }

    @Test("Promises/A+ 2.3.2.1: a pending future that a handler returns keeps the new one pending")
    func aPendingFutureThatAHandlerReturnsKeepsTheNewOnePending() {
        let inner = Promise<Int>()
        let future = Future(value: 1).flatMap { _ in inner }
        #expect(!future.isSettled)
        inner.resolve(with: 2)
        #expect(future.valueNow == 2)
    }

    @Test(
        "2.3.2.2, 2.3.2.3: settled, the future that a handler returns settles the new one alike",
        arguments: Moment.allCases)
    func aSettledFutureThatAHandlerReturnsSettlesTheNewOne(moment: Moment) {
        settleBoth(moment) { fulfilled, rejected in
            [
                (Future(value: 1).flatMap { _ in fulfilled }.map { $0 + 1 }, .success(2)),
                (Future(value: 1).flatMap { _ in rejected }, .failure(reason)),
                (Future(error: TestError()).flatMapError { _ in fulfilled }, .success(1)),
                (Future(error: TestError()).flatMapError { _ in rejected }, .failure(reason)),
            ]
        }
    }

    @Test("Promises/A+ 2.3.3.3: of the calls to a resolver the first counts")
    func theFirstCallOfAResolverCounts() {
        let fulfilled = Future<Int>.make { resolver in
            resolver.resolve(with: 1)
            resolver.reject(with: reason)
            resolver.resolve(with: 2)
        }
        let rejected = Future<Int>.make { resolver in
            resolver.reject(with: reason)
            resolver.reject(with: TestError(number: 2))
            resolver.resolve(with: 1)
        }
        #expect(fulfilled.valueNow == 1)
        #expect(rejected.errorNow as? TestError == reason)
    }

    @Test("Promises/A+ 2.3.4: any other value fulfils the new future, a future among them")
    func anyOtherValueThatAHandlerReturnsFulfilsTheNewFuture() {
        let inner = Promise<Int>()
        let nested = Future(value: 1).map { _ in inner }
        #expect((try? nested.result?.get()) === inner)
        let optional = Future(value: 1).map { _ in Int?.none }
        #expect(optional.isSettled)
        #expect(optional.valueNow == .some(nil))
    }
}
