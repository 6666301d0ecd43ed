import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct RetryMachineTests {
    func machine(_ attempts: Int = 3, _ backoff: Backoff = .constant(.seconds(1))) -> RetryMachine {
        RetryMachine(Retry(attempts: attempts, backoff: backoff, maxServerDelay: .seconds(60)))
    }

    /// Ends an attempt; only the given facts can prevent another one.
    func end(
        _ machine: inout RetryMachine, _ advice: Outcome.Retry = .after(nil),
        _ repeatability: Repeatability = .proven, remaining: Duration? = nil, budget: Bool = true
    ) -> RetryMachine.Decision {
        machine.endAttempt(
            with: .failed(advice), repeatability, remaining: remaining, bits: 0, withdraw: budget)
    }

    @Test func aFailureThatIsNotRetryableEndsARetry() {
        var machine = machine()
        #expect(end(&machine, .never) == .finish(nil))
    }

    @Test func aRetryRepeatsAnInputOfWhichNothingIsKnownUnlessToldOtherwise() {
        var machine = machine()
        #expect(end(&machine, .after(nil), .unproven) == .retry(after: .seconds(1)))
        var strict = RetryMachine(
            Retry(attempts: 3, backoff: .constant(.zero), maxServerDelay: .zero, unproven: .never))
        #expect(end(&strict, .after(nil), .unproven) == .finish(.unproven))
        #expect(end(&strict) == .retry(after: .zero))
    }

    @Test func aRetryMakesAsManyAttemptsAsAllowed() {
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
            (RetryRefusal.notReplayable, { end(&$0, .after(nil), .refused) }),
            (.askedTooLong, { end(&$0, .after(.seconds(60) + .nanoseconds(1))) }),
            (.deadline, { end(&$0, remaining: .seconds(1)) }),
            (.budget, { end(&$0, budget: false) }),
        ] as [(RetryRefusal, (inout RetryMachine) -> RetryMachine.Decision)] {
            var machine = machine()
            #expect(step(&machine) == .finish(reason))
            #expect(machine.attempt == 1)
        }
    }

    /// Notes the budget's changes and withdrawals of a call whose attempts end in these ways.
    private func payments(_ ends: Outcome...) -> [String] {
        var machine = machine(9)
        var payments: [String] = []
        for end in ends {
            switch machine.budgetChange(after: end) {
            case .deposit: payments.append("deposit")
            case .refund: payments.append("refund")
            case nil: break
            }
            var isPaid = false
            func withdraw() -> Bool {
                isPaid = true
                return true
            }
            _ = machine.endAttempt(
                with: end, .proven, remaining: nil, bits: 0, withdraw: withdraw())
            if isPaid { payments.append("withdraw") }
        }
        return payments
    }

    @Test func onlyAFirstSuccessAddsToTheBudgetAndARetrysPutsBackWhatItTook() {
        #expect(payments(.success) == ["deposit"])
        #expect(payments(.rejection) == ["deposit"])
        #expect(payments(.failure).isEmpty)
        #expect(payments(.retryable, .success) == ["withdraw", "refund"])
        #expect(payments(.retryable, .rejection) == ["withdraw", "refund"])
        #expect(
            payments(.retryable, .retryable, .success) == ["withdraw", "withdraw", "refund"])
    }

    @Test func anAttemptThatDidNotReachTheServiceCostsNoBudget() {
        let offline = Outcome(
            isSuccess: false, health: .unknown, retry: .after(nil), fault: .network)
        #expect(payments(offline, offline, .success).isEmpty)
        #expect(payments(offline, .retryable, .success) == ["withdraw", "refund"])
        #expect(payments(.retryable, offline, .success) == ["withdraw", "refund"])
        #expect(payments(.retryable, .refusal) == ["withdraw", "refund"])
        // Who gives a retry up has spent it; else limits of time around a retry would let it spend without end.
        #expect(payments(.retryable, .ignorable) == ["withdraw"])
        #expect(payments(.outOfTime, .success) == ["withdraw", "refund"])
    }

    @Test func theServersDelayReplacesTheBackoffs() {
        var machine = machine()
        #expect(end(&machine, .after(.seconds(60))) == .retry(after: .seconds(60)))
        // At least the first step of the backoff, so that a server that asks for no wait is not flooded.
        #expect(end(&machine, .after(.seconds(-3))) == .retry(after: .seconds(1)))
    }

    @Test func aRetryAddsUpToATenthToTheServersDelay() {
        var generator = SeededGenerator(seed: 3)
        var delays: Set<Duration> = []
        for _ in 0..<100 {
            var machine = machine(3, .fullJitter())
            let step = machine.endAttempt(
                with: .failed(.after(.seconds(10))), .proven, remaining: nil,
                bits: generator.next(),
                withdraw: true)
            guard case .retry(let delay) = step else {
                Issue.record("it is repeated")
                continue
            }
            #expect(delay >= .seconds(10) && delay <= .seconds(11))
            delays.insert(delay)
        }
        #expect(delays.count > 90)
    }

    @Test func aRetryWaitsIfTheWaitEndsBeforeTheDeadline() {
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
        #expect(end(&machine, .after(.seconds(40))) == .retry(after: .seconds(40)))
        #expect(end(&machine) == .retry(after: .seconds(21)))
        #expect(end(&machine) == .retry(after: .seconds(51)))
    }

    @Test func aRetryThatEndsWithdrawsNothingFromItsBudget() {
        func fail<Value>(_ value: Value) -> Value {
            Issue.record("not to be asked")
            return value
        }
        var last = machine(1)
        _ = last.endAttempt(
            with: .failed(.after(nil)), .proven, remaining: fail(nil), bits: fail(0),
            withdraw: fail(true))
        var late = machine()
        _ = late.endAttempt(
            with: .failed(.after(nil)), .proven, remaining: .zero, bits: 0, withdraw: fail(true))
    }

    /// Compared with a loop that has the whole script in advance.
    @Test func aRetryAgreesWithAnOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            let script = Script(using: &generator)
            var machine = RetryMachine(
                Retry(
                    attempts: script.attempts, backoff: .fullJitter(base: .milliseconds(100)),
                    maxServerDelay: script.maxServerDelay))
            var delays: [Duration] = []
            var last = RetryMachine.Decision.retry(after: .zero)
            for turn in script.turns {
                last = machine.endAttempt(
                    with: .failed(turn.advice), script.mayRepeat ? .proven : .refused,
                    remaining: turn.remaining, bits: turn.bits, withdraw: turn.budget)
                guard case .retry(let delay) = last else { break }
                delays.append(delay)
            }
            let (expected, reason) = script.answer()
            #expect(delays == expected)
            #expect(last == .finish(reason))
        }
    }

    /// The events of one call, attempt by attempt.
    struct Script {
        struct Turn {
            let advice: Outcome.Retry
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
                let advice: Outcome.Retry =
                    switch kind {
                    case 0, 1, 2: .never
                    case 3, 4: .after(.seconds(Int.random(in: 0...70, using: &generator)))
                    default: .after(nil)
                    }
                let hasDeadline = Bool.random(using: &generator)
                let left = Int.random(in: -100...3_000, using: &generator)
                turns.append(
                    Turn(
                        advice: advice, remaining: hasDeadline ? .milliseconds(left) : nil,
                        bits: generator.next(),
                        budget: Int.random(in: 0..<8, using: &generator) > 0))
            }
            self.turns = turns
        }

        /// The delays of the retries, and the reason for the end.
        func answer() -> ([Duration], RetryRefusal?) {
            var delays: [Duration] = []
            for (index, turn) in turns.enumerated() {
                guard case .after(let asked) = turn.advice else { return (delays, nil) }
                if index == attempts - 1 { return (delays, .attemptsUsed) }
                if !mayRepeat { return (delays, .notReplayable) }
                if asked ?? .zero > maxServerDelay { return (delays, .askedTooLong) }
                var bound = Duration.milliseconds(100)
                for _ in 0..<index { bound = min(bound * 2, .seconds(20)) }
                let least = max(asked ?? .zero, .milliseconds(100))
                let delay =
                    asked == nil
                    ? .uniform(upTo: bound, bits: turn.bits)
                    : least + .uniform(upTo: least / 10, bits: turn.bits)
                if let left = turn.remaining, left <= delay { return (delays, .deadline) }
                if !turn.budget { return (delays, .budget) }
                delays.append(delay)
            }
            return (delays, nil)
        }
    }
}

extension Outcome {
    /// The service failed, and advises about a retry.
    fileprivate static func failed(_ retry: Retry) -> Outcome {
        Outcome(isSuccess: false, health: .unhealthy, retry: retry, fault: .service)
    }
}
