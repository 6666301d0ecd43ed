import Dispatch
import PledgeFutures
import TestSupport
import Testing

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

    @Test func anActionIsNeverEarly() async throws {
        for delay in [Duration.zero, .microseconds(300), .milliseconds(3)] {
            #expect(try await lateness(delay) >= .zero)
        }
    }

    @Test func anEarlierActionOvertakesALaterOne() async throws {
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

    @Test func theContinuousClockIsThatOfTheSystem() {
        let (start, first) = (ContinuousClock.now, LiveScheduler.shared.continuousNow)
        let last = LiveScheduler.shared.continuousNow
        let between = start.duration(to: .now)
        #expect(first <= last)
        #expect(first.duration(to: last) <= between)
    }

    @Test func anActionRunsOnAnotherThreadAfterScheduleHasReturned() async throws {
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

    @Test("F9: one blocked action does not stop the timers of the process")
    func aBlockedAction() async throws {
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

    @Test("F9: an observer that blocks after a timeout does not, either")
    func aBlockedObserver() async throws {
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

    @Test func aCancelledActionIsFreedAtOnce() {
        weak var captured: TestLog<Int>?
        do {
            let object = TestLog<Int>()
            captured = object
            LiveScheduler.shared.schedule(after: .seconds(3_600)) { object.append(1) }.cancel()
        }
        #expect(captured == nil)
    }

    @Test func aDelayWithoutEndIsKept() {
        let action = LiveScheduler.shared.schedule(after: .seconds(Int64.max)) {}
        #expect(LiveScheduler.shared.now.offset > .zero)
        action.cancel()
    }

    @Test func manyThreadsScheduleAndCancel() async throws {
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
