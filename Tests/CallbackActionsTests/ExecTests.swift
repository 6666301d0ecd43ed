import PledgeCallbackActions
import PledgeFutures
import TestSupport
import Testing

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
