import PledgeArticles
import PledgeComposition
import PledgeFutures
import TestSupport
import Testing

@Suite struct ComposedActionsTests {
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

@Suite struct ExecTests {
    let increment: Action<Int, Int> = { input, callback in callback(input + 1) }
    let describe: Action<Int, String> = { input, callback in callback("number \(input)") }

    @Test func separatesTheRequestFromItsCallback() {
        let recorder = TestLog<Int>()
        let request = exec(increment) { recorder.append($0) }
        #expect(recorder.elements == [])
        request(1)
        request(5)
        #expect(recorder.elements == [2, 6])
    }

    @Test func theOperatorsNeedNoParentheses() {
        let recorder = TestLog<String>()
        let callback: @Sendable (String) -> Void = { recorder.append($0) }
        let request = increment >- increment >- describe <- callback
        request(1)
        (increment >- describe <- { output in recorder.append(output) })(10)
        #expect(recorder.elements == ["number 3", "number 11"])
    }

    @Test(arguments: [true, false]) func theOperatorsBindTighterThanTernaryAndAssignment(loud: Bool)
    {
        let recorder = TestLog<String>()
        let request: @Sendable (Int) -> Void
        request =
            loud
            ? increment >- describe <- { recorder.append($0 + "!") }
            : increment >- describe <- { recorder.append($0) }
        request(1)
        #expect(recorder.elements == [loud ? "number 2!" : "number 2"])
    }

    @Test func severalStatementsInTheCallback() {
        let recorder = TestLog<String>()
        let request =
            increment >- describe <- { output in
                recorder.append("before")
                recorder.append(output)
            }
        request(0)
        #expect(recorder.elements == ["before", "number 1"])
    }

    @Test func aRequestWithoutInputTakesVoid() {
        let fetch: Action<(), Int> = { _, callback in callback(20) }
        let recorder = TestLog<String>()
        let request: (()) -> () = fetch >- increment >- describe <- { recorder.append($0) }
        request(())
        #expect(recorder.elements == ["number 21"])
    }

    @Test func everyOutputReachesTheCallback() {
        let twice: Action<Int, Int> = { input, callback in
            callback(input)
            callback(-input)
        }
        let recorder = TestLog<Int>()
        (twice <- { recorder.append($0) })(3)
        #expect(recorder.elements == [3, -3])
    }

    @Test func isTheCallItself() {
        let scheduler = ManualScheduler()
        var random = RandomActions(scheduler: scheduler, generator: SeededGenerator(seed: 6))
        for _ in 0..<1_000 {
            let action = random.next()
            let input = random.generator.next()
            let recorder = TestLog<UInt64>()
            (action <- { recorder.append($0) })(input)
            scheduler.run()
            #expect(recorder.elements == outputs(on: scheduler, action, input))
        }
    }
}

/// Makes actions that differ in what they compute, when they call back, and how often.
struct RandomActions {
    let scheduler: ManualScheduler
    var generator: SeededGenerator

    mutating func next() -> Action<UInt64, UInt64> {
        let scheduler = scheduler
        let factor = generator.next()
        let offset = generator.next()
        let delay = Duration.milliseconds(Int.random(in: 0...5, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return { input, callback in callback(input &* factor &+ offset) }
        case 1:
            return { input, callback in
                callback(input &* factor)
                callback(input &+ offset)
            }
        case 2: return { _, _ in }
        default:
            return { input, callback in
                scheduler.schedule(after: delay) { callback(input &* factor &+ offset) }
            }
        }
    }
}

/// Calls an action on a scheduler of its own, and returns all it calls back with, in order.
func outputs<Output: Sendable>(
    on scheduler: ManualScheduler,
    _ action: Action<UInt64, Output>,
    _ input: UInt64
) -> [Output] {
    let recorder = TestLog<Output>()
    action(input) { recorder.append($0) }
    scheduler.run()
    return recorder.elements
}
