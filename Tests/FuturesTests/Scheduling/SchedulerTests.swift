import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime)
struct SchedulerClockTests {
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

    @Test func anInstantIsShownByItsOffset() {
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

    @Test func anInstantThatHasComeIsNotWaitedFor() async throws {
        scheduler.advance(by: .seconds(5))
        let clock = scheduler.clock
        #expect(clock.now.offset == .seconds(5))
        try await clock.sleep(until: clock.now, tolerance: nil)
        try await clock.sleep(until: SchedulerInstant(offset: .seconds(1)), tolerance: .seconds(1))
        #expect(scheduler.isIdle)
    }

    @Test func theClockMeasuresVirtualTime() {
        let elapsed = scheduler.clock.measure { scheduler.advance(by: .seconds(3)) }
        #expect(elapsed == .seconds(3))
        #expect(scheduler.clock.minimumResolution == .nanoseconds(1))
    }
}
