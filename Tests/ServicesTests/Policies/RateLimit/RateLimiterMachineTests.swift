import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct RateLimiterMachineTests {
    /// A box for the machine, since `#expect` calls no mutating methods; times in nanoseconds.
    final class Machine {
        var machine: RateLimiterMachine<Int>

        init(_ rate: Int, per period: Duration, burst: Int, lateness: Duration = .zero) {
            machine = RateLimiterMachine(
                rate: rate, per: period, burst: burst, lateness: lateness)
        }

        func enter(
            _ now: Int64, as waiter: Int = 0, within bound: Duration = .zero
        ) -> RateLimiterMachine<Int>.Entry {
            machine.enter(waiter, at: at(now), within: bound)
        }

        func popPassing(_ now: Int64) -> [Int] { machine.popPassing(at: at(now)) }
        func leave(_ ticket: Int) -> Int? { machine.leave(ticket) }
    }

    static func at(_ nanoseconds: Int64) -> SchedulerInstant {
        SchedulerInstant(offset: .nanoseconds(nanoseconds))
    }

    let second: Int64 = 1_000_000_000

    @Test func withABurstOfOneCallsAreSpacedEvenly() {
        let machine = Machine(10, per: .seconds(1), burst: 1)
        for number in 0..<5 {
            let now = Int64(number) * second / 10
            #expect(machine.enter(now) == .passes)
            #expect(machine.enter(now) == .refused(retryAt: Self.at(now + second / 10)))
            #expect(
                machine.enter(now + second / 10 - 1)
                    == .refused(retryAt: Self.at(now + second / 10)))
        }
    }

    @Test func aBurstPassesAtOnceAndFlowsBackEvenly() {
        let machine = Machine(10, per: .seconds(1), burst: 3)
        for _ in 1...3 { #expect(machine.enter(7) == .passes) }
        #expect(machine.enter(7) == .refused(retryAt: Self.at(7 + second / 10)))
        // A quarter of a second: two and a half tokens.
        for _ in 1...2 { #expect(machine.enter(7 + second / 4) == .passes) }
        #expect(machine.enter(7 + second / 4) == .refused(retryAt: Self.at(7 + second * 3 / 10)))
    }

    @Test func quietSavesUpNoMoreThanTheBurst() {
        let machine = Machine(10, per: .seconds(1), burst: 3)
        #expect(machine.enter(0) == .passes)
        for _ in 1...3 { #expect(machine.enter(second * 60) == .passes) }
        #expect(machine.enter(second * 60) != .passes)
    }

    /// A third of a second is not a whole number of nanoseconds: calls pass after it is over, not before.
    @Test func intervalsAreNotRounded() {
        let machine = Machine(3, per: .seconds(1), burst: 2)
        for _ in 1...2 { #expect(machine.enter(0) == .passes) }
        #expect(machine.enter(0) == .refused(retryAt: Self.at(333_333_334)))
        #expect(machine.enter(333_333_333) == .refused(retryAt: Self.at(333_333_334)))
        #expect(machine.enter(333_333_334) == .passes)
        #expect(machine.enter(333_333_334) == .refused(retryAt: Self.at(666_666_667)))
        #expect(machine.enter(666_666_667) == .passes)
        #expect(machine.enter(666_666_667) == .refused(retryAt: Self.at(second)))
        #expect(machine.enter(second) == .passes)
    }

    /// A limiter that rounds each interval up would be late by two nanoseconds after a second.
    @Test(arguments: [3, 7, 999, 700_000_001])
    func roundingDoesNotAddUp(rate: Int) {
        let machine = Machine(rate, per: .seconds(1), burst: 1)
        let bound = Duration.seconds(10)
        let count = min(rate, 10_000)
        #expect(machine.enter(0) == .passes)
        for number in 1...count { _ = machine.enter(0, as: number, within: bound) }
        for number in 1...count {
            let exact = Double(number) * 1e9 / Double(rate)
            let next = machine.machine.next?.offset ?? .zero
            #expect(next == .nanoseconds(Int64(exact.rounded(.up))))
            #expect(machine.popPassing(next.nanoseconds) == [number])
        }
    }

    @Test func aCallWaitsIfItPassesWithinTheBound() {
        let machine = Machine(10, per: .seconds(1), burst: 1)
        let bound = Duration.milliseconds(250)
        #expect(machine.enter(0, as: 1, within: bound) == .passes)
        #expect(machine.enter(0, as: 2, within: bound) == .queued(ticket: 1, length: 1))
        #expect(machine.enter(0, as: 3, within: bound) == .queued(ticket: 2, length: 2))
        #expect(
            machine.enter(0, as: 4, within: bound) == .refused(retryAt: Self.at(second * 3 / 10)))
        #expect(machine.enter(second / 20, as: 4, within: bound) == .queued(ticket: 3, length: 3))
        #expect(machine.machine.next == Self.at(second / 10))
        #expect(machine.popPassing(second / 10 - 1) == [])
        #expect(machine.popPassing(second / 10) == [2])
        #expect(machine.machine.next == Self.at(second / 5))
        #expect(machine.popPassing(second / 5) == [3])
        #expect(machine.popPassing(second / 5 * 3) == [4])
        #expect(machine.machine.next == nil)
    }

    /// This also holds if the timer is late and the first call in line could have passed long ago.
    @Test func nobodyGetsAheadOfThoseWhoWait() {
        let machine = Machine(10, per: .seconds(1), burst: 3)
        for number in 1...3 { #expect(machine.enter(0, as: number) == .passes) }
        #expect(machine.enter(0, as: 4, within: .seconds(1)) == .queued(ticket: 1, length: 1))
        #expect(machine.enter(second, as: 5, within: .seconds(1)) == .queued(ticket: 2, length: 2))
        #expect(machine.popPassing(second) == [4, 5])
        #expect(machine.enter(second, as: 6) == .passes)
        #expect(machine.enter(second, as: 7) == .refused(retryAt: Self.at(second * 11 / 10)))
    }

    @Test func aLateTimerDelaysNobodyBehind() {
        let machine = Machine(10, per: .seconds(1), burst: 1, lateness: .milliseconds(300))
        for number in 0...5 { _ = machine.enter(0, as: number, within: .seconds(1)) }
        #expect(machine.popPassing(second * 4 / 10) == [1, 2, 3, 4])
        #expect(machine.machine.next == Self.at(second / 2))
        // Who comes now is behind those who wait, on the line of time on which they are.
        #expect(
            machine.enter(second * 6 / 10, as: 6, within: .seconds(1))
                == .queued(ticket: 6, length: 2))
        #expect(machine.popPassing(second * 6 / 10) == [5, 6])
        // Nobody waited at 0.7 seconds, so the delay before it counts for nobody.
        #expect(machine.enter(second, as: 7) == .passes)
        #expect(machine.enter(second, as: 8) == .refused(retryAt: Self.at(second * 11 / 10)))
    }

    /// Otherwise all who wait would be called at once after a process was stopped.
    @Test func aVeryLateTimerBeginsTheLineAnew() {
        let machine = Machine(10, per: .seconds(1), burst: 1, lateness: .milliseconds(200))
        for number in 0...9 { _ = machine.enter(0, as: number, within: .seconds(1)) }
        #expect(machine.popPassing(second * 60) == [1, 2, 3])
        #expect(machine.machine.next == Self.at(second * 60 + second / 10))
        #expect(machine.popPassing(second * 60 + second / 10) == [4])
    }

    /// A burst bridges its own intervals, and no more is added to it.
    @Test func whatIsLateIsCaughtUpWithinTheBurst() {
        let machine = Machine(10, per: .seconds(1), burst: 4, lateness: .milliseconds(300))
        for number in 0...9 { _ = machine.enter(0, as: number, within: .seconds(1)) }
        #expect(machine.popPassing(second * 60) == [4, 5, 6, 7])
        #expect(machine.machine.next == Self.at(second * 60 + second / 10))
    }

    @Test func whenOneLeavesThoseBehindMoveUp() {
        let machine = Machine(10, per: .seconds(1), burst: 1)
        for number in 1...4 { _ = machine.enter(0, as: number, within: .seconds(1)) }
        #expect(machine.leave(1) == 2)
        #expect(machine.machine.next == Self.at(second / 10))
        #expect(machine.popPassing(second / 10) == [3])
        #expect(machine.leave(1) == nil)
        #expect(machine.leave(3) == 4)
        #expect(machine.machine.next == nil)
        // The calls that left have used no tokens.
        #expect(machine.enter(second / 5) == .passes)
    }

    @Test func instantsBeforeTheOrigin() {
        let machine = Machine(3, per: .nanoseconds(10), burst: 1)
        #expect(machine.enter(-10) == .passes)
        #expect(machine.enter(-7) == .refused(retryAt: Self.at(-6)))
        #expect(machine.enter(-6) == .passes)
        #expect(machine.enter(-4) == .refused(retryAt: Self.at(-3)))
        #expect(machine.enter(-3) == .passes)
        #expect(machine.enter(-1) == .refused(retryAt: Self.at(0)))
        #expect(machine.enter(0) == .passes)
    }

    @Test func theLargestNumbersDoNotOverflow() {
        let machine = Machine(1_000_000_000, per: .seconds(366 * 24 * 3_600), burst: 1_000_000_000)
        #expect(machine.enter(.max) == .passes)
        let slow = Machine(1, per: .seconds(366 * 24 * 3_600), burst: 1)
        #expect(slow.enter(.max - 1) == .passes)
        #expect(slow.enter(.max - 1) == .refused(retryAt: Self.at(.max)))
    }
}
