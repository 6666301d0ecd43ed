import Dispatch
import PledgeArticles
import PledgeComposition
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct ReturningFutureTests {
    struct Broken: Error, Equatable {
        var code: Int
    }

    @Test func theFirstOutputWins() throws {
        let twice: Action<Int, Int> = { input, callback in
            callback(input)
            callback(input + 1)
        }
        #expect(try asFuture(twice)(7).result?.get() == 7)
    }

    @Test func staysPendingUntilTheActionCallsBack() throws {
        let scheduler = ManualScheduler()
        let late: Action<Int, Int> = { input, callback in
            scheduler.schedule(after: .seconds(2)) { callback(input + 1) }
        }
        let future = asFuture(late)(1)
        scheduler.advance(by: .seconds(1))
        #expect(future.result == nil)
        scheduler.advance(by: .seconds(1))
        #expect(try future.result?.get() == 2)
    }

    @Test func everyCallCallsTheActionAnew() {
        let calls = TestLog<Int>()
        let load = asFuture { (input: Int, callback: @Sendable (Int) -> Void) in
            calls.append(input)
            callback(input)
        }
        #expect(calls.elements == [])
        let futures = [load(1), load(2)]
        #expect(calls.elements == [1, 2])
        #expect(futures.compactMap { try? $0.result?.get() } == [1, 2])
    }

    @Test func anActionThatLetsGoOfItsCallbackIsAbandoned() {
        let never: Action<Int, Int> = { _, _ in }
        let line: UInt = #line + 1
        let load = asFuture(never)
        let error = #expect(throws: FutureError.self) { try load(1).result?.get() }
        #expect(error?.code == .abandoned)
        #expect(error?.location?.line == line)
        #expect("\(error?.location?.fileID ?? "")" == #fileID)
    }

    @Test func isPendingAsLongAsTheActionKeepsItsCallback() {
        let kept = Locked<[@Sendable (Int) -> Void]>([])
        let keeping: Action<Int, Int> = { _, callback in kept.withLock { $0.append(callback) } }
        let future = asFuture(keeping)(1)
        #expect(future.result == nil)

        let released = kept.withLock { callbacks in
            defer { callbacks = [] }
            return callbacks
        }
        #expect(released.count == 1)
        #expect(future.result == nil, "the test itself still has the callback")
        withExtendedLifetime(released) {}
    }

    @Test func isAbandonedWhenTheActionLetsGoLater() {
        let scheduler = ManualScheduler()
        let forgetful: Action<Int, Int> = { input, callback in
            scheduler.schedule(after: .seconds(1)) {
                if input > 0 { callback(input) }
            }
        }
        let future = asFuture(forgetful)(0)
        #expect(future.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: FutureError.self) { try future.result?.get() }
        #expect(error?.code == .abandoned)
    }

    @Test func aChainIsAbandonedWhicheverPartLetsGo() {
        let never: Action<Int, Int> = { _, _ in }
        let increment: Action<Int, Int> = { input, callback in callback(input + 1) }
        for action in [never >- increment, increment >- never, never >- never] {
            let error = #expect(throws: FutureError.self) {
                try asFuture(action)(1).result?.get()
            }
            #expect(error?.code == .abandoned)
        }
    }

    @Test func aDiscardedTimerAbandons() {
        let scheduler = ManualScheduler()
        let tokens = Locked<[any ScheduledAction]>([])
        let late: Action<Int, Int> = { input, callback in
            let token = scheduler.schedule(after: .seconds(2)) { callback(input) }
            tokens.withLock { $0.append(token) }
        }
        let future = asFuture(late)(1)
        #expect(future.result == nil)
        for token in tokens.withLock({ $0 }) { token.cancel() }
        #expect(throws: FutureError.self) { try future.result?.get() }
    }

    @Test func unwrapsAResult() throws {
        let even: Action<Int, Result<Int, Broken>> = { input, callback in
            callback(input.isMultiple(of: 2) ? .success(input / 2) : .failure(Broken(code: input)))
        }
        let half = asFuture(unwrapping: even)
        #expect(try half(4).result?.get() == 2)
        #expect(throws: Broken(code: 3)) { try half(3).result?.get() }
    }

    @Test func theFirstResultWins() {
        let both: Action<Int, Result<Int, Broken>> = { input, callback in
            callback(.failure(Broken(code: input)))
            callback(.success(input))
        }
        #expect(throws: Broken(code: 9)) { try asFuture(unwrapping: both)(9).result?.get() }
    }

    @Test func anUnwrappedActionThatLetsGoIsAbandoned() {
        let never: Action<Int, Result<Int, Broken>> = { _, _ in }
        let line: UInt = #line + 1
        let future = asFuture(unwrapping: never)(1)
        let error = #expect(throws: FutureError.self) { try future.result?.get() }
        #expect(error?.code == .abandoned)
        #expect(error?.location?.line == line)
    }

    @Test func withoutUnwrappingAResultIsAValue() throws {
        let failing: Action<Int, Result<Int, Broken>> = { $1(.failure(Broken(code: $0))) }
        #expect(try asFuture(failing)(1).result?.get() == .failure(Broken(code: 1)))
    }

    @Test func cancellingSettlesTheFutureAndALaterOutputIsDropped() {
        let kept = Locked<[@Sendable (Int) -> Void]>([])
        let keeping: Action<Int, Int> = { _, callback in kept.withLock { $0.append(callback) } }
        let future = asFuture(keeping)(1)
        future.cancel()
        for callback in kept.withLock({ $0 }) { callback(5) }
        #expect(throws: CancellationError.self) { try future.result?.get() }
    }

    @Test func theResultChainsAndCombines() throws {
        let increment: Action<Int, Int> = { input, callback in callback(input + 1) }
        let load = chain({ (text: String) in text.count }, to: asFuture(increment))
        #expect(try combine("four", with: load)().result?.get() == 5)
    }

    @Test func manyThreadsCallBackAndOneWins() async throws {
        let race: Action<Int, Int> = { input, callback in
            for thread in 0..<8 {
                DispatchQueue.global().async { callback(input * 8 + thread) }
            }
        }
        let load = asFuture(race)
        for round in 0..<500 {
            let future = load(round)
            let first = try await future.value
            #expect(first / 8 == round)
            #expect(try future.result?.get() == first)
        }
    }
}

@Suite(.oneAtATime) struct CallingBackTests {
    struct Broken: Error, Equatable {}

    @Test func callsBackAtOnceWithASettledValue() throws {
        let recorder = TestLog<Result<Int, any Error>>()
        let load = asCallback { (input: Int) in Future(value: input + 1) }
        load(1) { recorder.append($0) }
        #expect(try recorder.elements.map { try $0.get() } == [2])
    }

    @Test func callsBackWhenThePromiseSettles() throws {
        let promise = Promise<Int>()
        let recorder = TestLog<Result<Int, any Error>>()
        let load: Action<String, Result<Int, any Error>> = asCallback { _ in promise }
        load("") { recorder.append($0) }
        #expect(recorder.elements.isEmpty)
        promise.resolve(with: 4)
        promise.resolve(with: 5)
        #expect(try recorder.elements.map { try $0.get() } == [4])
    }

    @Test func aFailureArrivesUnchanged() {
        let recorder = TestLog<Result<Int, any Error>>()
        let load: Action<Int, Result<Int, any Error>> = asCallback { _ in Future(error: Broken()) }
        load(1) { recorder.append($0) }
        #expect(recorder.elements.count == 1)
        #expect(throws: Broken()) { try recorder.elements.first?.get() }
    }

    @Test func abandonmentAndCancellationAreFailures() {
        let recorder = TestLog<Result<Int, any Error>>()
        let abandoned = asCallback { (_: Int) in Future<Int>.make { _ in } }
        abandoned(1) { recorder.append($0) }
        let cancelled = asCallback { (_: Int) in
            let promise = Promise<Int>()
            promise.cancel()
            return promise as Future<Int>
        }
        cancelled(1) { recorder.append($0) }
        #expect(recorder.elements.count == 2)
        #expect(throws: FutureError.self) { try recorder.elements[0].get() }
        #expect(throws: CancellationError.self) { try recorder.elements[1].get() }
    }

    @Test func thereAndBackIsTheSame() throws {
        let load = asCallback { (input: Int) in
            input < 0 ? Future<Int>(error: Broken()) : Future(value: input)
        }
        let back = asFuture(unwrapping: load)
        #expect(try back(3).result?.get() == 3)
        #expect(throws: Broken()) { try back(-3).result?.get() }
    }

    @Test func composesWithOtherActions() throws {
        let load = asCallback { (input: Int) in Future(value: input * 2) }
        let describe: Action<Result<Int, any Error>, String> = { result, callback in
            switch result {
            case .success(let value): callback("value \(value)")
            case .failure(let error): callback("error \(error)")
            }
        }
        let recorder = TestLog<String>()
        let request = load >- describe <- { recorder.append($0) }
        request(4)
        #expect(recorder.elements == ["value 8"])
    }

    @Test func callsBackOnTheSettlingThread() async {
        let queue = DispatchQueue(label: "settling")
        queue.setSpecific(key: here, value: true)
        let load = asCallback { (_: Int) in
            let promise = Promise<Int>()
            queue.async { promise.resolve(with: 1) }
            return promise as Future<Int>
        }
        let wasThere = await withCheckedContinuation { continuation in
            // Blocks the queue until the observer is registered, so that the observer does not run at once.
            queue.suspend()
            load(1) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: here) == true)
            }
            queue.resume()
        }
        #expect(wasThere)
    }

    @Test func everyCallCallsTheFunctionAnew() {
        let calls = TestLog<Int>()
        let load = asCallback { (input: Int) in
            calls.append(input)
            return Future(value: input)
        }
        #expect(calls.elements == [])
        load(1) { _ in }
        load(2) { _ in }
        #expect(calls.elements == [1, 2])
    }
}

private let here = DispatchSpecificKey<Bool>()
