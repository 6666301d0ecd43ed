import Dispatch
import PledgeCallbackActions
import PledgeFutures
import TestSupport
import Testing

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
