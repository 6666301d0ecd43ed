import Futures
import TestSupport
import Testing

@testable import Services

/// The machine compared with a bucket that is filled nanosecond by nanosecond.
@Suite(.oneAtATime) struct RateLimiterOracleTests {
    @Test func agreesOverRandomScripts() {
        var generator = SeededGenerator(seed: 23)
        var passed = 0, refused = 0, left = 0
        for _ in 0..<150 {
            let rate = Int.random(in: 1...7, using: &generator)
            let period = Int.random(in: 1...60, using: &generator)
            let burst = Int.random(in: 1...4, using: &generator)
            let bound = Int.random(in: 0...60, using: &generator)
            var bucket = Bucket(rate: rate, period: period, burst: burst)
            var machine = RateLimiterMachine<Int>(
                rate: rate, per: .nanoseconds(period), burst: burst)
            var tickets: [Int: Int] = [:]
            for call in 0..<300 {
                // The timer fires when the machine asks for it.
                for _ in 0..<Int.random(in: 0...12, using: &generator) {
                    bucket.tick()
                    let instant = SchedulerInstant(offset: .nanoseconds(bucket.now))
                    let isDue = machine.next.map { $0 <= instant } ?? false
                    #expect(isDue == bucket.isNextDue)
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

    /// A token bucket as in textbooks; a token is as many drops as the period has nanoseconds.
    private struct Bucket {
        let rate: Int
        let period: Int
        let burst: Int
        var now = 0
        var drops: Int
        var line: [Int] = []

        init(rate: Int, period: Int, burst: Int) {
            self.rate = rate
            self.period = period
            self.burst = burst
            drops = burst * period
        }

        mutating func tick() {
            now += 1
            // It overflows only after it has been full for a nanosecond.
            drops = drops >= burst * period ? burst * period : drops + rate
        }

        mutating func take() { drops -= period }

        var isNextDue: Bool { !line.isEmpty && drops >= period }

        mutating func popPassing() -> [Int] {
            var passing: [Int] = []
            while isNextDue {
                take()
                passing.append(line.removeFirst())
            }
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
