import Dispatch
import TestSupport
import Testing

@testable import PledgeFutures

@Suite(.oneAtATime) struct LiveSchedulerTests {
    /// Runs an action after a delay, and returns how late it was by the scheduler's own clock.
    private func lateness(_ delay: Duration) async throws -> Duration {
        let start = LiveScheduler.shared.now
        let promise = Promise<Duration>()
        LiveScheduler.shared.schedule(after: delay) {
            promise.resolve(with: start.duration(to: LiveScheduler.shared.now) - delay)
        }
        return try await promise.value
    }

    @Test func theLiveSchedulerRunsNoActionEarly() async throws {
        for delay in [Duration.zero, .microseconds(300), .milliseconds(3)] {
            #expect(try await lateness(delay) >= .zero)
        }
    }

    @Test func theLiveSchedulerRunsNearActionsBeforeAFarOneThatWasScheduledFirst() async throws {
        let log = TestLog<Int>()
        let far = LiveScheduler.shared.schedule(after: .seconds(3_600)) { log.append(3) }
        let (later, earlier) = (Promise<Void>(), Promise<Void>())
        LiveScheduler.shared.schedule(after: .milliseconds(4)) { later.resolve(with: ()) }
        LiveScheduler.shared.schedule(after: .milliseconds(1)) { earlier.resolve(with: ()) }
        // Which of two that are so close is first is up to the system's threads.
        try await later.soon
        try await earlier.soon
        far.cancel()
        #expect(log.elements == [])
    }

    @Test func theLiveSchedulersContinuousClockRunsAsTheSystems() {
        let (start, first) = (ContinuousClock.now, LiveScheduler.shared.continuousNow)
        let last = LiveScheduler.shared.continuousNow
        let between = start.duration(to: .now)
        #expect(first <= last)
        #expect(first.duration(to: last) <= between)
    }

    @Test func theLiveSchedulerRunsAnActionOnAnotherThreadAfterScheduleHasReturned() async throws {
        let hasReturned = Locked(false)
        let seen = Promise<Bool>()
        // An action that `schedule` itself ran would wait for this lock for ever.
        hasReturned.withLock { isTrue in
            _ = LiveScheduler.shared.schedule(after: .seconds(-1)) {
                seen.resolve(with: hasReturned.withLock { $0 })
            }
            isTrue = true
        }
        #expect(try await seen.value)
    }

    @Test func oneBlockedActionDoesNotStopTheTimersOfTheProcess() async throws {
        let isFree = DispatchSemaphore(value: 0)
        let wasFreed = Promise<DispatchTimeoutResult>()
        LiveScheduler.shared.schedule(after: .zero) {
            wasFreed.resolve(with: isFree.wait(timeout: .watchdog))
        }
        // If the scheduler waited for the first action to end, this one would run too late to release it.
        LiveScheduler.shared.schedule(after: .milliseconds(1)) { isFree.signal() }
        #expect(try await wasFreed.value == .success)
        // The next action runs normally.
        #expect(try await lateness(.milliseconds(1)) >= .zero)
    }

    @Test func anObserverThatBlocksAfterATimeoutStopsNoTimerOfTheProcess() async throws {
        let isFree = DispatchSemaphore(value: 0)
        let wasFreed = Promise<DispatchTimeoutResult>()
        let never = Promise<Int>()
        let timedOut = never.timeout(.milliseconds(1))
        timedOut.observe { _ in
            wasFreed.resolve(with: isFree.wait(timeout: .watchdog))
        }
        let second = never.timeout(.milliseconds(2))
        // On a thread of the scheduler, which does not wait for its turn among other tests.
        second.observe { _ in isFree.signal() }
        #expect(try await wasFreed.value == .success)
        #expect(!never.isSettled && second.isSettled)
    }

    @Test func theLiveSchedulerFreesACancelledActionAtOnce() {
        weak var captured: TestLog<Int>?
        do {
            let object = TestLog<Int>()
            captured = object
            LiveScheduler.shared.schedule(after: .seconds(3_600)) { object.append(1) }.cancel()
        }
        #expect(captured == nil)
    }

    @Test func theLiveSchedulerTakesTheLongestDelayThereIs() {
        let action = LiveScheduler.shared.schedule(after: .seconds(Int64.max)) {}
        #expect(LiveScheduler.shared.now.offset > .zero)
        action.cancel()
    }

    @Test func theLiveSchedulerLosesNoActionWhenManyThreadsScheduleAndCancel() async throws {
        let ran = TestLog<Int>()
        onThreads(4) { index in
            for round in 0..<2_000 {
                let delay = Duration.microseconds(round % 2 == 0 ? 100 : 3_600_000_000)
                let action = LiveScheduler.shared.schedule(after: delay) { ran.append(index) }
                if round % 2 == 1 { action.cancel() }
            }
        }
        _ = try await lateness(.milliseconds(1))
        #expect(ran.elements.count == 4_000)
    }
}

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
        func take(for runner: Int) -> Bool { timers.takeAction(for: runner, at: now) != nil }

        /// Runs the due actions, as the runner whose turn it is.
        func run() {
            let runner = timers.runner
            while let action = timers.takeAction(for: runner, at: now) { action() }
        }
    }

    private let milliseconds: Int64 = 1_000_000

    @Test("an action may be late by a hundredth of its delay, within bounds")
    func anActionMayBeLateByAHundredthOfItsDelay() {
        let expected: [(delay: Int64, leeway: Int64)] = [
            (-5, 0), (0, 0), (1, 1_000_000), (100 * milliseconds, 1_000_000),
            (200 * milliseconds, 2_000_000), (60_000 * milliseconds, 600_000_000),
            (100_000 * milliseconds, 1_000_000_000), (.max, 1_000_000_000),
        ]
        for (delay, leeway) in expected { #expect(LiveTimers.leeway(after: delay) == leeway) }
        // A wake-up at the end of a tick lies within the leeway of any of them.
        #expect(TimerWheel.tick < LiveTimers.leeway(after: 1))
    }

    @Test(arguments: 0..<200)
    func noActionIsEarlyOrLaterThanDocumented(seed: UInt64) {
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

    @Test func timeoutsWithinOneTickWakeTheProcessOnce() {
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

    @Test func anActionThatBlocksHoldsUpTheNextForNoLongerThanTheBound() {
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

    @Test func afterAStopOfTheProcessWhatIsOverdueWaitsUntilAnswersHaveArrived() {
        let machine = Machine()
        _ = machine.insert(1, after: 1_000 * milliseconds)
        machine.now += 3_000 * milliseconds
        let continued = machine.now
        #expect(!machine.look())
        // Neither does an action without a delay end the wait.
        _ = machine.insert(2, after: 0)
        machine.now += 10 * milliseconds
        #expect(!machine.look())
        #expect(machine.log.elements == [])
        #expect(machine.ring())
        machine.run()
        #expect(machine.log.elements == [1, 2])
        #expect(machine.now >= continued + LiveTimers.grace)
        #expect(machine.now <= continued + LiveTimers.grace + LiveTimers.leeway(after: 1))
    }

    @Test func aLateTimerIsTakenForAStopOfTheProcessOnlyFromAQuarterOfASecondOn() {
        let machine = Machine()
        _ = machine.insert(1, after: 1_000 * milliseconds)
        machine.now = (machine.timers.alarm?.latest ?? 0) + LiveTimers.longestLateness
        #expect(machine.look())
        machine.run()
        #expect(machine.log.elements == [1])
    }

    @Test func theLiveTimersPassNoActionThatEndsInTime() {
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

    @Test func theLiveTimersPassOnlySoManyActionsThatBlock() {
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
