import Dispatch
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct PromiseTests {
    @Test func theFirstToSettleAPromiseWins() {
        let promise = Promise<Int>()
        #expect(promise.result == nil)
        #expect(promise.resolve(with: 1))
        #expect(!promise.resolve(with: 2))
        #expect(!promise.reject(with: TestError()))
        promise.cancel()
        #expect(promise.valueNow == 1)
    }

    @Test func aRejectedPromiseCannotBeSettledAgain() {
        let promise = Promise<Int>()
        #expect(promise.reject(with: TestError(number: 1)))
        #expect(!promise.reject(with: TestError(number: 2)))
        #expect(!promise.resolve(with: 2))
        #expect(promise.errorNow as? TestError == TestError(number: 1))
    }

    @Test func aCancelledPromiseCannotBeSettledAgain() {
        let promise = Promise<Int>()
        promise.cancel()
        #expect(!promise.resolve(with: 2))
        #expect(!promise.reject(with: TestError()))
        #expect(promise.isCancelled)
    }

    @Test func aPromiseMayBeMadeSettled() {
        let value = Promise(value: 3)
        let error = Promise<Int>(error: TestError(number: 4))
        #expect(value.valueNow == 3)
        #expect(error.errorNow as? TestError == TestError(number: 4))
        #expect(!value.resolve(with: 1))
        #expect(!error.reject(with: TestError()))
        let future: Future<Int> = Promise(value: 5)
        #expect(future.valueNow == 5)
    }

    @Test func aPromiseReleasedUnsettledNamesItsPlace() {
        let line: UInt = #line + 1
        var promise: Promise<Int>? = Promise()
        let results = TestLog<String>()
        promise?.observe { result in
            if case .failure(let error) = result { results.append("\(error)") }
        }
        let mapped = promise?.map { $0 + 1 }
        promise = nil
        #expect(mapped?.codeNow == .abandoned)
        #expect(results.elements.count == 1)
        #expect(results.elements.first?.contains("\(#fileID):\(line)") == true)
    }

    @Test func observersOfAnAbandonedPromiseRunInOrderOnce() {
        var promise: Promise<Int>? = Promise()
        let order = TestLog<Int>()
        for index in 0..<50 {
            if index.isMultiple(of: 2) {
                promise?.observe { _ in order.append(index) }
            } else {
                promise?.map { $0 }.observe { _ in order.append(index) }
            }
        }
        promise = nil
        #expect(order.elements == Array(0..<50))
    }

    @Test func aPromiseOfNothingIsResolvedWithoutAValue() {
        let promise = Promise<Void>()
        #expect(promise.resolve())
        #expect(!promise.resolve())
        let made = Future<Void>.make { $0.resolve() }
        #expect((try? made.result?.get()) != nil)
    }

    @Test func aClosureMakesAFutureOfItsResult() async throws {
        let plain = Future { 1 }
        let throwing = Future { if plain.result == nil { throw TestError() } else { return 1 } }
        let typed: Future<Int> = Future { 3 }
        #expect(try await plain.value + typed.value == 4)
        _ = await throwing.resultWhenSettled
    }

    @Test func aResultSettlesAPromiseOnce() {
        let (promise, failing) = (Promise<Int>(), Promise<Int>())
        #expect(promise.settle(with: .success(1)))
        #expect(!promise.settle(with: .success(2)))
        #expect(failing.settle(with: .failure(TestError())))
        #expect(promise.valueNow == 1)
        #expect(failing.errorNow is TestError)
        #expect(Future(result: .success(3)).valueNow == 3)
        #expect(Future<Int>.make { $0.settle(with: .success(4)) }.valueNow == 4)
        #expect(promise.isSettled && !Promise<Int>().isSettled)
    }

    @Test func aPromiseFollowsAFuture() {
        let (source, follower, cancelled) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
        let calls = TestLog<Int>()
        source.onCancel { calls.append(1) }
        follower.follow(source)
        cancelled.follow(source)
        cancelled.cancel()
        #expect(calls.elements.isEmpty)
        source.resolve(with: 7)
        #expect(follower.valueNow == 7)
        #expect(cancelled.isCancelled)
        let (alone, last) = (Promise<Int>(), Promise<Int>())
        alone.onCancel { calls.append(2) }
        last.follow(alone)
        last.cancel()
        #expect(calls.elements == [2])
    }

    @Test(arguments: [0, 1])
    func promisesThatFollowEachOtherSettleTogether(first: Int) {
        let promises = [Promise<Int>(), Promise<Int>()]
        promises[0].follow(promises[1])
        promises[1].follow(promises[0])
        promises[first].resolve(with: 7)
        #expect(promises.allSatisfy { $0.valueNow == 7 })
    }

    @Test func noFutureThatTheFrameworkHandsOutCastsToAPromise() {
        let queue = DispatchQueue(label: "casts")
        let futures = [
            InternalPromise<Int>(), Future.make { _ in }, Promise<Int>().map { $0 },
            Promise<Int>().shielded(), Future(value: 1).map(on: queue) { $0 },
        ]
        for future in futures { #expect(!(future is Promise<Int>)) }
    }

    // MARK: - Following

    @Test func aPromiseThatItsFirstObserverHasLeftFollowsForTheNext() {
        let shown = Promise<Int>()
        shown.observe { _ in }.cancel()
        let (load, stopped) = (Promise<Int>(), TestLog<Int>())
        load.onCancel { stopped.append(1) }
        shown.follow(load)
        #expect(stopped.elements.isEmpty && shown.result == nil)
        load.resolve(with: 7)
        #expect(shown.valueNow == 7)
    }

    @Test func aFollowerThatItsNextObserverLeavesGivesUp() {
        let shown = Promise<Int>()
        shown.observe { _ in }.cancel()
        let (load, stopped) = (Promise<Int>(), TestLog<Int>())
        load.onCancel { stopped.append(1) }
        shown.follow(load)
        shown.observe { _ in }.cancel()
        #expect(stopped.elements == [1])
        #expect(shown.isCancelled)
    }

    @Test func aPromiseThatIsSettledOtherwiseGivesUpWhatItFollows() {
        let (shown, first, second) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
        let stopped = TestLog<Int>()
        first.onCancel { stopped.append(1) }
        second.onCancel { stopped.append(2) }
        shown.follow(first)
        shown.follow(second)
        second.resolve(with: 2)
        #expect(shown.valueNow == 2)
        #expect(stopped.elements == [1])
        let (other, load) = (Promise<Int>(), Promise<Int>())
        load.onCancel { stopped.append(3) }
        other.follow(load)
        other.resolve(with: 1)
        #expect(stopped.elements == [1, 3])
    }

    @Test(arguments: ["follow", "settle", "reject", "resolver", "cancel"])
    func cancellingWhatAPromiseFollowsCallsNoHandlerOfThePromise(way: String) {
        let (followed, promise, calls) = (Promise<Int>(), Promise<Int>(), TestLog<String>())
        promise.onCancel { calls.append("early") }
        switch way {
        case "follow":
            promise.follow(followed)
            followed.cancel()
        case "settle": promise.settle(with: .failure(CancellationError()))
        case "reject": promise.reject(with: CancellationError())
        case "resolver":
            promise.follow(.make { $0.reject(with: CancellationError()) })
        default: promise.cancel()
        }
        promise.onCancel { calls.append("late") }
        #expect(promise.isCancelled)
        #expect(calls.elements == (way == "cancel" ? ["early", "late"] : []))
    }

    @Test func aPromiseThatFollowsWhatWaitsForItFails() {
        let own = Promise<Int>()
        own.follow(own)
        #expect((own.errorNow as? FutureError)?.code == .cycle)
        let promise = Promise<Int>()
        let derived = promise.map { $0 }.map { $0 }
        promise.follow(derived)
        #expect((promise.errorNow as? FutureError)?.code == .cycle)
        #expect((derived.errorNow as? FutureError)?.code == .cycle)
    }
}
