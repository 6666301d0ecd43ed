import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime)
struct SchedulerClockTests {
    /// A scheduler whose clock moves on by a second each time it is read, as if another thread moved it.
    private struct Hurrying: FutureScheduler {
        let scheduler = ManualScheduler()

        var now: SchedulerInstant {
            defer { scheduler.advance(by: .seconds(1)) }
            return scheduler.now
        }

        func schedule(
            after delay: Duration, _ action: @escaping @Sendable () -> Void
        ) -> any ScheduledAction {
            scheduler.schedule(after: delay, action)
        }

        func schedule(
            at instant: SchedulerInstant, _ action: @escaping @Sendable () -> Void
        ) -> any ScheduledAction {
            scheduler.schedule(at: instant, action)
        }
    }

    @Test func aSleepEndsAtItsInstantEvenIfTheClockMovesWhileItBegins() async throws {
        let hurrying = Hurrying()
        let sleeper = Task {
            try await SchedulerClock(scheduler: hurrying).sleep(
                until: SchedulerInstant(offset: .seconds(10)), tolerance: nil)
        }
        let scheduler = hurrying.scheduler
        while scheduler.isIdle { await Task.yield() }
        let left = scheduler.now.duration(to: SchedulerInstant(offset: .seconds(10)))
        #expect(left > .zero)
        scheduler.advance(by: left - .nanoseconds(1))
        #expect(!scheduler.isIdle)
        scheduler.advance(by: .nanoseconds(1))
        #expect(scheduler.isIdle)
        try await sleeper.value
    }

    private let scheduler = ManualScheduler()

    @Test func aTaskSleepsInVirtualTime() async throws {
        let isOver = Locked(false)
        let task = Task { [scheduler] in
            try await Task.sleep(for: .seconds(3_600), clock: scheduler.clock)
            isOver.withLock { $0 = true }
            return scheduler.now
        }
        #expect(await comesTrue { !scheduler.isIdle })
        scheduler.advance(by: .seconds(3_600) - .nanoseconds(1))
        #expect(!isOver.withLock { $0 })
        #expect(!scheduler.isIdle)
        scheduler.advance(by: .nanoseconds(1))
        #expect(try await task.value == SchedulerInstant(offset: .seconds(3_600)))
        #expect(scheduler.isIdle)
    }

    @Test func aSchedulersInstantIsShownByItsOffset() {
        #expect("\(SchedulerInstant(offset: .seconds(9)))" == "9.0 seconds")
    }

    @Test func aSleepingTaskThatIsCancelledLeavesTheScheduler() async {
        let task = Task { [scheduler] in
            try await scheduler.clock.sleep(for: .seconds(1))
        }
        #expect(await comesTrue { !scheduler.isIdle })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(scheduler.isIdle)
    }

    @Test func aTaskThatWasCancelledBeforeDoesNotSleep() async {
        let task = Task { [scheduler] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await scheduler.clock.sleep(for: .seconds(-1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(scheduler.isIdle)
    }

    @Test func sleepingUntilAnInstantThatHasComeReturnsAtOnce() async throws {
        scheduler.advance(by: .seconds(5))
        let clock = SchedulerClock(scheduler: scheduler)
        #expect(clock.now.offset == .seconds(5))
        try await clock.sleep(until: clock.now, tolerance: nil)
        try await clock.sleep(until: SchedulerInstant(offset: .seconds(1)), tolerance: .seconds(1))
        #expect(scheduler.isIdle)
    }

    @Test func aManualSchedulersClockMeasuresVirtualTime() {
        let elapsed = scheduler.clock.measure { scheduler.advance(by: .seconds(3)) }
        #expect(elapsed == .seconds(3))
        #expect(scheduler.clock.minimumResolution == .nanoseconds(1))
    }
}
