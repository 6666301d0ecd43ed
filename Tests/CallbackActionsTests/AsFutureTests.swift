import Dispatch
import PledgeCallbackActions
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
