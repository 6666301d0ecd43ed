import PledgeArticles
import PledgeCallbackActions
import PledgeComposition
import PledgeFutures
import TestSupport
import Testing

@Suite struct ComposeTests {
    @Test func theOutputOfTheFirstIsTheInputOfTheSecond() {
        let length: Action<String, Int> = { text, callback in callback(text.count) }
        let double: Action<Int, [Int]> = { number, callback in callback([number, number]) }
        let recorder = TestLog<[Int]>()
        compose(length, double)("abc") { recorder.append($0) }
        (length >- double)("ab") { recorder.append($0) }
        #expect(recorder.elements == [[3, 3], [2, 2]])
    }

    @Test func nothingRunsBeforeTheResultIsCalled() {
        let recorder = TestLog<String>()
        let first: Action<Int, Int> = { input, callback in
            recorder.append("first")
            callback(input)
        }
        let second: Action<Int, Int> = { input, callback in
            recorder.append("second")
            callback(input)
        }
        let both = first >- second
        #expect(recorder.elements == [])
        both(1) { _ in recorder.append("callback") }
        both(1) { _ in recorder.append("callback") }
        let once = ["first", "second", "callback"]
        #expect(recorder.elements == once + once)
    }

    @Test func theSecondWaitsForTheFirst() {
        let scheduler = ManualScheduler()
        let recorder = TestLog<Int>()
        let first: Action<Int, Int> = { input, callback in
            scheduler.schedule(after: .seconds(3)) { callback(input + 1) }
        }
        let second: Action<Int, Int> = { input, callback in
            scheduler.schedule(after: .seconds(2)) { callback(input * 10) }
        }
        (first >- second)(1) { recorder.append($0) }
        scheduler.advance(by: .seconds(4))
        #expect(recorder.elements == [])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.elements == [20])
        #expect(scheduler.isIdle)
    }

    @Test func everyOutputGoesThrough() {
        let twice: Action<Int, Int> = { input, callback in
            callback(input)
            callback(input + 1)
        }
        let recorder = TestLog<Int>()
        (twice >- twice)(0) { recorder.append($0) }
        #expect(recorder.elements == [0, 1, 1, 2])
    }

    @Test func anActionThatNeverCallsBackEndsTheChain() {
        let never: Action<Int, Int> = { _, _ in }
        let recorder = TestLog<String>()
        let second: Action<Int, Int> = { input, callback in
            recorder.append("second")
            callback(input)
        }
        (never >- second)(1) { _ in recorder.append("callback") }
        (second >- never)(1) { _ in recorder.append("callback") }
        #expect(recorder.elements == ["second"])
    }

    @Test func functionsAndActionsAreToldApart() {
        // Both modules have a `compose(_:_:)`; the types select the right one, also for closures.
        let plain: @Sendable (Int) -> Int = { $0 + 1 }
        let action: Action<Int, Int> = { input, callback in callback(input + 1) }
        #expect(compose(plain, plain)(1) == 3)

        let recorder = TestLog<String>()
        compose(action, action)(1) { recorder.append("\($0)") }
        compose(action, { input, callback in callback("text \(input)") })(1) { recorder.append($0) }
        let closures: Action<Int, String> = compose(
            { $1($0 + 1) },
            { input, callback in callback("\(input)") }
        )
        closures(1) { recorder.append($0) }
        #expect(recorder.elements == ["3", "text 2", "2"])
    }

    @Test func functionsThatReturnActionsComposeAsFunctions() {
        let adding: @Sendable (Int) -> Action<Int, Int> = { number in { $1($0 + number) } }
        let parse: @Sendable (String) -> Int = { Int($0) ?? 0 }
        let recorder = TestLog<Int>()
        compose(parse, adding)("5")(1) { recorder.append($0) }
        chain(parse, to: adding)("6")(1) { recorder.append($0) }
        #expect(recorder.elements == [6, 7])
    }

    @Test func laws() {
        let scheduler = ManualScheduler()
        var random = RandomActions(scheduler: scheduler, generator: SeededGenerator(seed: 5))
        let identity: Action<UInt64, UInt64> = { input, callback in callback(input) }
        for _ in 0..<1_000 {
            let a = random.next()
            let b = random.next()
            let c = random.next()
            let input = random.generator.next()
            let left = outputs(on: scheduler, compose(compose(a, b), c), input)
            #expect(left == outputs(on: scheduler, compose(a, compose(b, c)), input))
            #expect(left == outputs(on: scheduler, a >- b >- c, input))
            let alone = outputs(on: scheduler, a, input)
            #expect(alone == outputs(on: scheduler, identity >- a, input))
            #expect(alone == outputs(on: scheduler, a >- identity, input))
        }
    }
}
