import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

/// The machine compared with a bucket that is filled nanosecond by nanosecond.
@Suite(.oneAtATime) struct RateLimiterOracleTests {
    /// - Parameter punctuality: The timer fires at each nanosecond in one of so many; in time with 1.
    @Test(arguments: [1, 4, 20]) func agreesOverRandomScripts(punctuality: Int) {
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
                let entry = machine.enter(call, at: instant, within: .nanoseconds(bound))
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
    @Test(arguments: 0..<10) func lateTimersMoveNoTurn(seed: UInt64) {
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
    @Test(arguments: 0..<20) func inNoTimeDoMorePassThanHaveTheirTurn(seed: UInt64) {
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
