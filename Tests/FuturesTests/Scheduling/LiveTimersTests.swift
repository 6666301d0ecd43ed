import TestSupport
import Testing

@testable import PledgeFutures

/// The live scheduler's decisions, on virtual time.
@Suite struct LiveTimersTests {
    /// A scheduler's threads and clock, which the test controls; actions take no time unless they block.
    private final class Machine {
        var timers = LiveTimers()
        var now: Int64 = 1_000_000_000_000
        var rings = 0
        let log = TestLog<Int>()

        func insert(_ number: Int, after delay: Int64) -> TimerWheel.ID {
            timers.insert(after: delay, now: now) { [log] in log.append(number) }
        }

        /// Moves to an instant of the alarm's interval, and rings.
        /// - Returns: Whether a runner must start.
        func ring(_ pick: (ClosedRange<Int64>) -> Int64 = \.upperBound) -> Bool {
            guard let alarm = timers.alarm else { return false }
            now = max(now, pick(alarm.earliest...alarm.latest))
            rings += 1
            return timers.ring(at: now)
        }

        /// Rings at the present instant, whatever the alarm's time.
        func look() -> Bool { timers.ring(at: now) }

        /// Makes a runner take an action, which blocks.
        /// - Returns: Whether there is an action for it.
        func take(for runner: Int) -> Bool { timers.take(for: runner, at: now) != nil }

        /// Runs the due actions, as the runner whose turn it is.
        func run() {
            let runner = timers.runner
            while let action = timers.take(for: runner, at: now) { action() }
        }
    }

    private let milliseconds: Int64 = 1_000_000

    @Test("F9: an action may be late by a hundredth of its delay, within bounds")
    func leeway() {
        let expected: [(delay: Int64, leeway: Int64)] = [
            (-5, 0), (0, 0), (1, 1_000_000), (100 * milliseconds, 1_000_000),
            (200 * milliseconds, 2_000_000), (60_000 * milliseconds, 600_000_000),
            (100_000 * milliseconds, 1_000_000_000), (.max, 1_000_000_000),
        ]
        for (delay, leeway) in expected { #expect(LiveTimers.leeway(after: delay) == leeway) }
        // A wake-up at the end of a tick lies within the leeway of any of them.
        #expect(TimerWheel.tick < LiveTimers.leeway(after: 1))
    }

    @Test("F9: nothing is early, or later than documented", arguments: 0..<200)
    func precision(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let machine = Machine()
        var pending: [Int: (instant: Int64, delay: Int64, id: TimerWheel.ID)] = [:]
        var expected: [Int] = []
        for number in 0..<300 {
            let shift = Int64.random(in: 0...40, using: &random)
            let delay = Int64.random(in: 0...(1 << shift), using: &random)
            let id = machine.insert(number, after: delay)
            pending[number] = (machine.now + delay, delay, id)
            if number % 3 == 0, let other = pending.keys.sorted().randomElement(using: &random) {
                _ = pending.removeValue(forKey: other).map { machine.timers.remove($0.id) }
            }
            // The system's timer fires at any time of its interval, and time passes before the next
            // insertion.
            let pause = Int64.random(
                in: 0...(1 << Int64.random(in: 0...36, using: &random)), using: &random)
            let end = number == 299 ? Int64.max : machine.now + pause
            while let alarm = machine.timers.alarm, alarm.latest <= end {
                if machine.ring({ .random(in: $0, using: &random) }) { machine.run() }
                for number in machine.log.elements.dropFirst(expected.count) {
                    guard let (instant, delay, _) = pending.removeValue(forKey: number) else {
                        Issue.record("\(number) ran, but was taken back or had run")
                        return
                    }
                    let lateness = machine.now - instant
                    #expect(lateness >= 0 && lateness <= LiveTimers.leeway(after: delay))
                    expected.append(number)
                }
            }
            machine.now = max(machine.now, min(end, machine.now + pause))
        }
        #expect(pending.isEmpty)
        #expect(machine.log.elements == expected)
    }

    @Test("F9: timeouts within one tick wake the process once")
    func oneWakeUp() {
        let machine = Machine()
        for number in 0..<50 { _ = machine.insert(number, after: 5 * milliseconds + Int64(number)) }
        while machine.timers.alarm != nil { if machine.ring() { machine.run() } }
        #expect(machine.log.elements == Array(0..<50))
        #expect(machine.rings == 1)
    }

    @Test func actionsRunInOrderOfTheirInstantsWhateverTheirLeeway() {
        let machine = Machine()
        _ = machine.insert(1, after: 10_000 * milliseconds)
        machine.now += 9_995 * milliseconds
        _ = machine.insert(2, after: 6 * milliseconds)
        _ = machine.insert(0, after: milliseconds)
        while machine.timers.alarm != nil { if machine.ring() { machine.run() } }
        #expect(machine.log.elements == [0, 1, 2])
    }

    @Test("F9: an action that blocks holds up the next for no longer than the bound")
    func oneBlocks() {
        let machine = Machine()
        for number in 0..<3 { _ = machine.insert(number, after: Int64(number) * 20 * milliseconds) }
        #expect(machine.ring())
        let began = machine.now
        #expect(machine.take(for: 0))
        // Rings meanwhile, and the action continues.
        while machine.timers.alarm.map({ $0.earliest < began + LiveTimers.patience }) ?? false {
            #expect(!machine.ring())
        }
        #expect(machine.ring())
        #expect(machine.now <= began + LiveTimers.patience * 11 / 10)
        #expect(machine.timers.runner == 1)
        machine.run()
        #expect(machine.log.elements == [1, 2])
        // The runner that was blocked has no turn any more, and the other runner runs later actions.
        _ = machine.insert(3, after: 0)
        #expect(!machine.take(for: 0))
        #expect(machine.ring())
        machine.run()
        #expect(machine.log.elements == [1, 2, 3])
        #expect(machine.timers.runner == 1)
    }

    @Test func anActionThatEndsInTimeKeepsItsTurn() {
        let machine = Machine()
        for number in 0..<3 { _ = machine.insert(number, after: 0) }
        #expect(machine.ring())
        for _ in 0..<3 {
            #expect(machine.take(for: 0))
            machine.now += LiveTimers.patience - 1
            #expect(!machine.look())
        }
        machine.run()
        #expect(machine.timers.alarm == nil)
        #expect(machine.timers.runner == 0)
    }

    @Test func aRunnerThatHasNotBegunIsNotTakenToBlock() {
        let machine = Machine()
        _ = machine.insert(0, after: 0)
        #expect(machine.ring())
        machine.now += 10 * LiveTimers.patience
        #expect(!machine.look())
        machine.run()
        #expect(machine.log.elements == [0])
    }

    @Test func onlySoManyActionsThatBlockArePassed() {
        let machine = Machine()
        let most = LiveTimers.mostBlocked
        for number in 0...(most + 1) { _ = machine.insert(number, after: 0) }
        for runner in 0...most {
            while !machine.ring() {}
            #expect(machine.timers.runner == runner)
            #expect(machine.take(for: runner))
        }
        // One more action waits until one of them ends.
        while machine.timers.alarm != nil { #expect(!machine.ring()) }
        machine.now += 100 * LiveTimers.patience
        #expect(!machine.look())
        #expect(!machine.take(for: 5))
        #expect(machine.ring())
        machine.run()
        #expect(machine.log.elements == [most + 1])
    }
}
