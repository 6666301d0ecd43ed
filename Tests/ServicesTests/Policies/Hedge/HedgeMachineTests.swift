import Testing

@testable import PledgeServices

@Suite struct HedgeMachineTests {
    /// A machine with `count` calls under way.
    func machine(_ attempts: Int, underWay count: Int) -> HedgeMachine {
        var machine = HedgeMachine(attempts: attempts)
        while machine.begun < count, let timer = machine.arm() {
            _ = machine.fire(timer)
            _ = machine.grant()
        }
        return machine
    }

    @Test(arguments: [Outcome.success, .failure]) func aSuccessOrAFatalFailureEndsAll(
        outcome: Outcome
    ) {
        var machine = machine(3, underWay: 3)
        let step = machine.end(2, with: outcome)
        #expect(step == .finish(losers: [1, 3]))
        #expect(machine.isOver)
        let late = machine.end(1, with: .success)
        #expect(late == .wait)
    }

    @Test func aRetryableFailureAsksAtOnce() {
        var machine = machine(3, underWay: 1)
        let timer = machine.arm()
        let step = machine.end(1, with: .retryable)
        #expect(step == .ask)
        let granted = machine.grant()
        #expect(granted == 2)
        // The timer that was set has no effect.
        let fired = timer.map { machine.fire($0) }
        #expect(fired == .wait)
    }

    @Test func whenAllAreMadeTheLastFailureEndsAll() {
        var machine = machine(2, underWay: 2)
        let steps = [1, 2].map { machine.end($0, with: .retryable) }
        #expect(steps == [.wait, .finish(losers: [])])
    }

    @Test func aRefusalEndsAllOnlyIfNothingIsUnderWay() {
        var machine = machine(3, underWay: 2)
        _ = machine.end(1, with: .retryable)
        let first = machine.refuse()
        #expect(!first)
        _ = machine.end(2, with: .retryable)
        let second = machine.refuse()
        #expect(second)
        #expect(machine.isOver)
    }

    /// A timer requests a call while the only call under way fails, and all attempts are made or requested.
    @Test func aFailureWaitsForWhatWasAskedFor() {
        var machine = machine(2, underWay: 1)
        let timer = machine.arm()
        let fired = timer.map { machine.fire($0) }
        #expect(fired == .ask)
        let step = machine.end(1, with: .retryable)
        #expect(step == .wait)
        let isOver = machine.refuse()
        #expect(isOver)
    }

    @Test func nothingIsGrantedAfterTheEnd() {
        var machine = machine(3, underWay: 2)
        _ = machine.end(1, with: .retryable)
        _ = machine.end(2, with: .success)
        let granted = machine.grant()
        #expect(granted == nil)
        let timer = machine.arm()
        #expect(timer == nil)
    }

    @Test func anIgnorableEndIsTheLastResort() {
        var machine = machine(3, underWay: 2)
        let first = machine.end(1, with: .ignorable)
        #expect(first == .wait)
        let second = machine.end(2, with: .ignorable)
        #expect(second == .finish(losers: []))
    }

    @Test func theServicesDelayIsWaitedForOnlyBesideOthers() {
        var machine = machine(3, underWay: 2)
        let first = machine.end(1, with: .retryable(after: .seconds(3)))
        guard case .arm(let timer, .seconds(3)) = first else {
            Issue.record("it is to wait")
            return
        }
        #expect(machine.isValid(timer))
        let second = machine.end(2, with: .retryable(after: .seconds(3)))
        #expect(second == .finish(losers: []))
        #expect(!machine.isValid(timer))
    }

    @Test func aCancelledCallIsOver() {
        var machine = machine(3, underWay: 2)
        let (first, second) = (machine.cancel(), machine.cancel())
        #expect(first && !second)
        #expect(!machine.isUnderWay(1))
        let step = machine.end(1, with: .success)
        #expect(step == .wait)
    }

    @Test func thereAreSoManyAttempts() {
        #expect(machine(1, underWay: 9).begun == 1)
        #expect(machine(4, underWay: 9).begun == 4)
    }
}
