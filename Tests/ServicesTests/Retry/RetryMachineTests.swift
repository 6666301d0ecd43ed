import TestSupport
import Testing

@testable import Services

@Suite struct RetryMachineTests {
    func machine(_ attempts: Int = 3, _ backoff: Backoff = .constant(.seconds(1))) -> RetryMachine {
        RetryMachine(attempts: attempts, backoff: backoff, maxServerDelay: .seconds(60))
    }

    /// Ends an attempt where nothing stands in the way but what is said.
    func end(
        _ machine: inout RetryMachine, _ outcome: Outcome = .retryable, mayRepeat: Bool = true,
        remaining: Duration? = nil, budget: Bool = true
    ) -> RetryMachine.Step {
        machine.end(
            with: outcome, mayRepeat: mayRepeat, remaining: remaining, bits: 0, withdraw: budget)
    }

    @Test(arguments: [.success, .failure, .ignorable] as [Outcome])
    func whatIsNotRetryableFinishes(outcome: Outcome) {
        var machine = machine()
        #expect(end(&machine, outcome) == .finish(nil))
    }

    @Test func thereAreSoManyAttempts() {
        var machine = machine(3)
        #expect(end(&machine) == .retry(after: .seconds(1)))
        #expect(machine.attempt == 2)
        #expect(end(&machine) == .retry(after: .seconds(1)))
        #expect(machine.attempt == 3)
        #expect(end(&machine) == .finish(.attemptsUsed))
        var single = self.machine(1)
        #expect(end(&single) == .finish(.attemptsUsed))
    }

    @Test func eachReasonHoldsARetryBack() {
        for (reason, step) in [
            (RetryWithheld.notReplayable, { end(&$0, mayRepeat: false) }),
            (.askedTooLong, { end(&$0, .retryable(after: .seconds(60) + .nanoseconds(1))) }),
            (.deadline, { end(&$0, remaining: .seconds(1)) }),
            (.budget, { end(&$0, budget: false) }),
        ] as [(RetryWithheld, (inout RetryMachine) -> RetryMachine.Step)] {
            var machine = machine()
            #expect(step(&machine) == .finish(reason))
            #expect(machine.attempt == 1)
        }
    }

    @Test func theServersDelayReplacesTheBackoffs() {
        var machine = machine()
        #expect(end(&machine, .retryable(after: .seconds(60))) == .retry(after: .seconds(60)))
        #expect(end(&machine, .retryable(after: .seconds(-3))) == .retry(after: .zero))
    }

    @Test func aWaitThatFitsIsMade() {
        var machine = machine()
        #expect(end(&machine, remaining: .milliseconds(1_001)) == .retry(after: .seconds(1)))
        var immediate = self.machine(3, .constant(.zero))
        #expect(end(&immediate, remaining: .nanoseconds(1)) == .retry(after: .zero))
        #expect(end(&immediate, remaining: .zero) == .finish(.deadline))
    }

    @Test func theBackoffSeesItsOwnLastDelayAndTheNumberOfTheRetry() {
        let backoff = Backoff.custom { retry, previous in
            .seconds(10 * retry) + (previous ?? .seconds(1))
        }
        var machine = machine(9, backoff)
        #expect(end(&machine) == .retry(after: .seconds(1)))
        #expect(end(&machine, .retryable(after: .seconds(40))) == .retry(after: .seconds(40)))
        #expect(end(&machine) == .retry(after: .seconds(21)))
        #expect(end(&machine) == .retry(after: .seconds(51)))
    }

    @Test func nothingIsAskedInVain() {
        func fail<Value>(_ value: Value) -> Value {
            Issue.record("not to be asked")
            return value
        }
        var last = machine(1)
        _ = last.end(
            with: .retryable, mayRepeat: fail(true), remaining: fail(nil), bits: fail(0),
            withdraw: fail(true))
        var late = machine()
        _ = late.end(
            with: .retryable, mayRepeat: true, remaining: .zero, bits: 0, withdraw: fail(true))
        var asked = machine()
        _ = asked.end(
            with: .retryable(after: .zero), mayRepeat: true, remaining: nil, bits: fail(0),
            withdraw: true)
    }

    /// Against a loop that knows the whole script beforehand.
    @Test func agreesWithASequentialOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            let script = Script(using: &generator)
            var machine = RetryMachine(
                attempts: script.attempts, backoff: .fullJitter(base: .milliseconds(100)),
                maxServerDelay: script.maxServerDelay)
            var delays: [Duration] = []
            var last = RetryMachine.Step.retry(after: .zero)
            for turn in script.turns {
                last = machine.end(
                    with: turn.outcome, mayRepeat: script.mayRepeat, remaining: turn.remaining,
                    bits: turn.bits, withdraw: turn.budget)
                guard case .retry(let delay) = last else { break }
                delays.append(delay)
            }
            let (expected, reason) = script.answer()
            #expect(delays == expected)
            #expect(last == .finish(reason))
        }
    }

    /// What happens to one call, attempt by attempt.
    struct Script {
        struct Turn {
            let outcome: Outcome
            let remaining: Duration?
            let bits: UInt64
            let budget: Bool
        }

        let attempts: Int
        let mayRepeat: Bool
        let maxServerDelay: Duration
        let turns: [Turn]

        init(using generator: inout SeededGenerator) {
            attempts = Int.random(in: 1...5, using: &generator)
            mayRepeat = Int.random(in: 0..<10, using: &generator) > 0
            maxServerDelay = .seconds(Int.random(in: 0...60, using: &generator))
            var turns: [Turn] = []
            for _ in 0..<5 {
                let kind = Int.random(in: 0..<12, using: &generator)
                let outcome: Outcome =
                    switch kind {
                    case 0: .success
                    case 1: .failure
                    case 2: .ignorable
                    case 3, 4:
                        .retryable(after: .seconds(Int.random(in: 0...70, using: &generator)))
                    default: .retryable
                    }
                let hasDeadline = Bool.random(using: &generator)
                let left = Int.random(in: -100...3_000, using: &generator)
                turns.append(
                    Turn(
                        outcome: outcome, remaining: hasDeadline ? .milliseconds(left) : nil,
                        bits: generator.next(),
                        budget: Int.random(in: 0..<8, using: &generator) > 0))
            }
            self.turns = turns
        }

        /// The delays that are waited, and why it ends.
        func answer() -> ([Duration], RetryWithheld?) {
            var delays: [Duration] = []
            for (index, turn) in turns.enumerated() {
                guard case .retryable(let asked) = turn.outcome else { return (delays, nil) }
                if index == attempts - 1 { return (delays, .attemptsUsed) }
                if !mayRepeat { return (delays, .notReplayable) }
                if asked ?? .zero > maxServerDelay { return (delays, .askedTooLong) }
                var bound = Duration.milliseconds(100)
                for _ in 0..<index { bound = min(bound * 2, .seconds(20)) }
                let delay = asked ?? .uniform(upTo: bound, bits: turn.bits)
                if let left = turn.remaining, left <= delay { return (delays, .deadline) }
                if !turn.budget { return (delays, .budget) }
                delays.append(delay)
            }
            return (delays, nil)
        }
    }
}
