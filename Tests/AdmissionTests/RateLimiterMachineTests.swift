import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeAdmission
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
            machine.admitOrQueue(waiter, at: at(now), within: bound)
        }

        func popPassing(_ now: Int64) -> [Int] { machine.popPassing(at: at(now)) }
        func leave(_ ticket: Int) -> Int? { machine.leave(ticket) }
    }

    static func at(_ nanoseconds: Int64) -> SchedulerInstant {
        SchedulerInstant(offset: .nanoseconds(nanoseconds))
    }

    let second: Int64 = 1_000_000_000

    @Test func aRateLimiterWithABurstOfOneSpacesCallsEvenly() {
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

    @Test func aRateLimitersBurstPassesAtOnceAndFlowsBackEvenly() {
        let machine = Machine(10, per: .seconds(1), burst: 3)
        for _ in 1...3 { #expect(machine.enter(7) == .passes) }
        #expect(machine.enter(7) == .refused(retryAt: Self.at(7 + second / 10)))
        // A quarter of a second: two and a half tokens.
        for _ in 1...2 { #expect(machine.enter(7 + second / 4) == .passes) }
        #expect(machine.enter(7 + second / 4) == .refused(retryAt: Self.at(7 + second * 3 / 10)))
    }

    @Test func aQuietRateLimiterSavesUpNoMoreThanItsBurst() {
        let machine = Machine(10, per: .seconds(1), burst: 3)
        #expect(machine.enter(0) == .passes)
        for _ in 1...3 { #expect(machine.enter(second * 60) == .passes) }
        #expect(machine.enter(second * 60) != .passes)
    }

    /// A third of a second is not a whole number of nanoseconds: calls pass after it is over, not before.
    @Test func aRateLimiterDoesNotRoundItsIntervals() {
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
    func theRoundingOfARateLimitersInstantsDoesNotAddUp(rate: Int) {
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

    @Test func aCallWaitsForARateLimiterIfItPassesWithinTheLongestWait() {
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
    @Test func nobodyOvertakesTheCallsThatWaitForARateLimiter() {
        let machine = Machine(10, per: .seconds(1), burst: 3)
        for number in 1...3 { #expect(machine.enter(0, as: number) == .passes) }
        #expect(machine.enter(0, as: 4, within: .seconds(1)) == .queued(ticket: 1, length: 1))
        #expect(machine.enter(second, as: 5, within: .seconds(1)) == .queued(ticket: 2, length: 2))
        #expect(machine.popPassing(second) == [4, 5])
        #expect(machine.enter(second, as: 6) == .passes)
        #expect(machine.enter(second, as: 7) == .refused(retryAt: Self.at(second * 11 / 10)))
    }

    @Test func aLateTimerOfARateLimiterDelaysNoLaterCall() {
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
    @Test func aVeryLateTimerOfARateLimiterBeginsItsLineAnew() {
        let machine = Machine(10, per: .seconds(1), burst: 1, lateness: .milliseconds(200))
        for number in 0...9 { _ = machine.enter(0, as: number, within: .seconds(1)) }
        #expect(machine.popPassing(second * 60) == [1, 2, 3])
        #expect(machine.machine.next == Self.at(second * 60 + second / 10))
        #expect(machine.popPassing(second * 60 + second / 10) == [4])
    }

    /// A burst bridges its own intervals, and no more is added to it.
    @Test func aLateRateLimiterCatchesUpWithinItsBurst() {
        let machine = Machine(10, per: .seconds(1), burst: 4, lateness: .milliseconds(300))
        for number in 0...9 { _ = machine.enter(0, as: number, within: .seconds(1)) }
        #expect(machine.popPassing(second * 60) == [4, 5, 6, 7])
        #expect(machine.machine.next == Self.at(second * 60 + second / 10))
    }

    @Test func whenACallLeavesARateLimitersLineThoseBehindMoveUp() {
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

    @Test func aRateLimiterTakesInstantsBeforeTheOrigin() {
        let machine = Machine(3, per: .nanoseconds(10), burst: 1)
        #expect(machine.enter(-10) == .passes)
        #expect(machine.enter(-7) == .refused(retryAt: Self.at(-6)))
        #expect(machine.enter(-6) == .passes)
        #expect(machine.enter(-4) == .refused(retryAt: Self.at(-3)))
        #expect(machine.enter(-3) == .passes)
        #expect(machine.enter(-1) == .refused(retryAt: Self.at(0)))
        #expect(machine.enter(0) == .passes)
    }

    @Test func theLargestNumbersDoNotOverflowARateLimiter() {
        let machine = Machine(1_000_000_000, per: .seconds(366 * 24 * 3_600), burst: 1_000_000_000)
        #expect(machine.enter(.max) == .passes)
        let slow = Machine(1, per: .seconds(366 * 24 * 3_600), burst: 1)
        #expect(slow.enter(.max - 1) == .passes)
        #expect(slow.enter(.max - 1) == .refused(retryAt: Self.at(.max)))
    }
}

/// The machine compared with a bucket that is filled nanosecond by nanosecond.
@Suite(.oneAtATime) struct RateLimiterOracleTests {
    /// - Parameter punctuality: The timer fires at each nanosecond in one of so many; in time with 1.
    @Test(arguments: [1, 4, 20]) func aRateLimiterAgreesWithAnOracleOverRandomScripts(
        punctuality: Int
    ) {
        var generator = SeededGenerator(seed: 23)
        var passed = 0, refused = 0, left = 0
        for _ in 0..<150 {
            let rate = Int.random(in: 1...7, using: &generator)
            let period = Int.random(in: 1...60, using: &generator)
            let burst = Int.random(in: 1...4, using: &generator)
            let bound = Int.random(in: 0...60, using: &generator)
            let lateness = Int.random(in: 0...60, using: &generator)
            var bucket = Bucket(rate: rate, period: period, burst: burst, lateness: lateness)
            var machine = RateLimiterMachine<Int>(
                rate: rate, per: .nanoseconds(period), burst: burst,
                lateness: .nanoseconds(lateness))
            var tickets: [Int: Int] = [:]
            for call in 0..<300 {
                // The timer fires when the machine asks for it, or later.
                for _ in 0..<Int.random(in: 0...12, using: &generator) {
                    bucket.tick()
                    let instant = SchedulerInstant(offset: .nanoseconds(bucket.now))
                    let isDue = machine.next.map { $0 <= instant } ?? false
                    #expect(isDue == bucket.isNextDue)
                    guard Int.random(in: 0..<punctuality, using: &generator) == 0 else { continue }
                    let passing = machine.popPassing(at: instant)
                    #expect(passing == bucket.popPassing())
                    passed += passing.count
                }
                let instant = SchedulerInstant(offset: .nanoseconds(bucket.now))
                if let victim = bucket.line.randomElement(using: &generator),
                    Int.random(in: 0..<4, using: &generator) == 0
                {
                    let removed = tickets[victim].flatMap { machine.leave($0) }
                    #expect(removed == victim)
                    bucket.line.removeAll { $0 == victim }
                    bucket.settle()
                    left += 1
                }
                let entry = machine.admitOrQueue(call, at: instant, within: .nanoseconds(bound))
                let wait = bucket.wait
                if wait == 0, bucket.line.isEmpty {
                    #expect(entry == .passes)
                    bucket.take()
                } else if wait <= bound {
                    bucket.line.append(call)
                    guard case .queued(let ticket, bucket.line.count) = entry else {
                        Issue.record("it is to wait for \(wait), not \(entry)")
                        return
                    }
                    tickets[call] = ticket
                } else {
                    let retryAt = instant.advanced(by: .nanoseconds(wait))
                    #expect(entry == .refused(retryAt: retryAt))
                    refused += 1
                }
            }
        }
        #expect(passed > 1_000 && refused > 1_000 && left > 1_000)
    }

    /// More callers than pass: the turns are known, and each call is as late as its own timer at most.
    @Test(arguments: 0..<10) func lateTimersOfARateLimiterMoveNoTurn(seed: UInt64) {
        let run = LateRun(seed: seed)
        for _ in 0..<run.burst + 2 { run.call() }
        for _ in 0..<2_000 {
            for _ in 0..<Int.random(in: 1...3, using: &run.generator) { run.call() }
            run.scheduler.advance(by: .nanoseconds(1_000_000_000 / run.rate))
        }
        run.scheduler.run()
        let passes = run.passes.withLock { $0 }
        #expect(passes.count > 2_000 && run.refused.withLock { $0 } > 0)
        for (index, pass) in passes.enumerated() {
            let steps = max(0, index - run.burst + 1)
            let turn = Duration.nanoseconds((steps * 1_000_000_000 + run.rate - 1) / run.rate)
            #expect(pass.at >= turn && pass.at <= turn + run.lateness)
            #expect(turn - pass.since <= run.maxWait)
        }
    }

    /// Callers at random times: in no time do more pass than the bucket gives, as far as it bridges delays.
    @Test(arguments: 0..<20)
    func noMoreCallsPassARateLimiterAtAnyTimeThanHaveTheirTurn(seed: UInt64) {
        let run = LateRun(seed: seed)
        for _ in 0..<2_000 {
            run.call()
            let interval = 1_000_000_000 / run.rate
            run.scheduler.advance(
                by: .nanoseconds(Int.random(in: 0...2 * interval, using: &run.generator)))
        }
        run.scheduler.run()
        let passes = run.passes.withLock { $0 }.map { Int($0.at.nanoseconds) }
        #expect(passes.count > 1_000)
        // The burst has room for a delay of all its intervals except one.
        let bridged = (run.burst - 1) * 1_000_000_000
        let late = Int(run.lateness.nanoseconds) * run.rate
        let room = run.burst * 1_000_000_000 + (late <= bridged ? 0 : late)
        var least = Int.max
        for (index, pass) in passes.enumerated() {
            least = min(least, index * 1_000_000_000 - pass * run.rate)
            #expect((index + 1) * 1_000_000_000 - pass * run.rate - least <= room)
        }
    }

    /// A limiter on timers that are late by random times.
    private final class LateRun {
        struct Pass {
            /// When the call came.
            let since: Duration
            let at: Duration
        }

        var generator: SeededGenerator
        let scheduler = ManualScheduler()
        let rate: Int
        let burst: Int
        let maxWait: Duration
        /// The largest.
        let lateness: Duration
        let passes = Locked<[Pass]>([])
        let refused = Locked(0)
        private let limiter: RateLimiter

        init(seed: UInt64) {
            generator = SeededGenerator(seed: seed)
            rate = Int.random(in: 50...5_000, using: &generator)
            burst = Int.random(in: 1...20, using: &generator)
            maxWait = .milliseconds(Int.random(in: 60...500, using: &generator))
            let lateness = Int.random(in: 0...50_000, using: &generator)
            let random = RandomSource(SeededGenerator(seed: seed))
            self.lateness = .microseconds(lateness)
            let late = LateScheduler(
                scheduler, by: .microseconds(random.fraction() * Double(lateness)))
            limiter = RateLimiter(
                rate: rate, per: .seconds(1), burst: burst, maxWait: maxWait, on: late)
        }

        func call() {
            let (since, passes, scheduler) = (scheduler.now.offset, passes, scheduler)
            let service = stack(
                .rateLimit(sharing: limiter),
                over: { (ask: Ask) -> Future<Int> in
                    passes.withLock { $0.append(Pass(since: since, at: scheduler.now.offset)) }
                    return Future(value: 1)
                })
            service(1).onFailure { [refused] _ in refused.withLock { $0 += 1 } }
        }
    }

    /// A token bucket as in textbooks; a token is as many drops as the period has nanoseconds.
    ///
    /// While calls wait it holds as much more as flows in while a timer may be late.
    private struct Bucket {
        let rate: Int
        let period: Int
        let burst: Int
        let lateness: Int
        var now = 0
        var drops: Int
        var line: [Int] = []

        init(rate: Int, period: Int, burst: Int, lateness: Int) {
            self.rate = rate
            self.period = period
            self.burst = burst
            self.lateness = lateness
            drops = burst * period
        }

        private var room: Int {
            line.isEmpty ? burst * period : max(burst * period, lateness * rate + period)
        }

        mutating func tick() {
            now += 1
            // It overflows only after it has been full for a nanosecond.
            drops = drops >= room ? room : drops + rate
        }

        mutating func take() { drops -= period }

        /// Spills what only those who waited could have used.
        mutating func settle() {
            if drops - room >= rate { drops = room }
        }

        var isNextDue: Bool { !line.isEmpty && drops >= period }

        mutating func popPassing() -> [Int] {
            var passing: [Int] = []
            while isNextDue {
                take()
                passing.append(line.removeFirst())
            }
            settle()
            return passing
        }

        /// How long a new call would wait, if all calls in line stay.
        var wait: Int {
            var future = self
            var ahead = line.count
            while true {
                while ahead > 0, future.drops >= period {
                    future.take()
                    ahead -= 1
                }
                if ahead == 0, future.drops >= period { return future.now - now }
                future.tick()
            }
        }
    }
}
