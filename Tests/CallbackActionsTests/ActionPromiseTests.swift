import PledgeArticles
import PledgeCallbackActions
import PledgeComposition
import PledgeFutures
import TestSupport
import Testing

@Suite struct ActionPromiseTests {
    @Test func theArticlesOneTwoThreeFour() {
        let scheduler = ManualScheduler()
        let recorder = TestLog<String>()
        ActionPromise<String, String> { input, callback in
            scheduler.schedule(after: .seconds(2)) {
                callback(input + " Two")
            }
        }.then { input, callback in
            scheduler.schedule(after: .seconds(3)) {
                callback(input + " Three")
            }
        }.then { input, callback in
            scheduler.schedule(after: .seconds(4)) {
                callback(input + " Four")
            }
        }.exec(input: "One") { result in
            recorder.append(result)
        }
        scheduler.advance(by: .seconds(8))
        #expect(recorder.elements == [])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.elements == ["One Two Three Four"])
    }

    @Test func thenChangesTheTypeAndNotTheReceiver() {
        let length = ActionPromise<String, Int> { input, callback in callback(input.count) }
        let described = length.then { (input, callback: @Sendable (String) -> Void) in
            callback("\(input) characters")
        }
        let numbers = TestLog<Int>()
        let texts = TestLog<String>()
        length.exec(input: "abc") { numbers.append($0) }
        described.exec(input: "abcd") { texts.append($0) }
        #expect(numbers.elements == [3])
        #expect(texts.elements == ["4 characters"])
    }

    @Test func nothingRunsUntilExecAndEverythingRunsEachTime() {
        let calls = TestLog<Int>()
        let promise = ActionPromise<Int, Int> { input, callback in
            calls.append(input)
            callback(input)
        }.then { $1($0 * 2) }
        #expect(calls.elements == [])
        let outputs = TestLog<Int>()
        promise.exec(input: 1) { outputs.append($0) }
        promise.exec(input: 2) { outputs.append($0) }
        #expect(calls.elements == [1, 2])
        #expect(outputs.elements == [2, 4])
    }

    @Test func itsFutureTakesTheFirstOutput() async throws {
        let twice = ActionPromise<Int, Int> { input, callback in
            callback(input)
            callback(input + 1)
        }
        #expect(try await twice.future(input: 5).value == 5)
    }

    @Test func itsFutureIsAbandonedWhereItIsMade() throws {
        let never = ActionPromise<Int, Int> { _, _ in }
        let line: UInt = #line + 1
        let future = never.future(input: 1)
        let error = #expect(throws: FutureError.self) { try #require(future.result).get() }
        #expect(error?.code == .abandoned)
        #expect(error?.location?.line == line)
        #expect("\(error?.location?.fileID ?? "")" == #fileID)
    }

    @Test func thenIsComposition() {
        let scheduler = ManualScheduler()
        var random = RandomActions(scheduler: scheduler, generator: SeededGenerator(seed: 7))
        for _ in 0..<300 {
            let a = random.next()
            let b = random.next()
            let c = random.next()
            let input = random.generator.next()
            let recorder = TestLog<UInt64>()
            ActionPromise(action: a).then(b).then(c).exec(input: input) { recorder.append($0) }
            scheduler.run()
            #expect(recorder.elements == outputs(on: scheduler, a >- b >- c, input))
        }
    }
}
