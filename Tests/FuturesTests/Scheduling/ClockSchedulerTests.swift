import PledgeFutures
import TestSupport
import Testing

/// On the clock of a manual scheduler, so that nothing waits.
@Suite(.oneAtATime)
struct ClockSchedulerTests {
    private let time = ManualScheduler()
    private let scheduler: ClockScheduler<SchedulerClock>
    private let log = TestLog<Int>()

    init() {
        time.advance(by: .seconds(100))
        scheduler = ClockScheduler(SchedulerClock(scheduler: time))
    }

    /// Advances the time, step by step, until a condition is true.
    private func advance(until condition: () -> Bool) async -> Bool {
        await comesTrue {
            time.advance(by: .milliseconds(1))
            return condition()
        }
    }

    @Test func aClockSchedulerHasOneClock() {
        time.advance(by: .seconds(7))
        #expect(scheduler.continuousNow == scheduler.now)
    }

    @Test func theInstantsOfAClockSchedulerCountFromItsMaking() {
        #expect(scheduler.now.offset == .zero)
        time.advance(by: .seconds(2))
        #expect(scheduler.now.offset == .seconds(2))
    }

    @Test func aClockSchedulerRunsNoActionEarly() async {
        let seen = TestLog<Duration>()
        scheduler.schedule(after: .milliseconds(5)) { [scheduler] in
            seen.append(scheduler.now.offset)
        }
        #expect(await comesTrue { !time.isIdle })
        time.advance(by: .milliseconds(5) - .nanoseconds(1))
        #expect(!time.isIdle && seen.elements.isEmpty)
        #expect(await advance { !seen.elements.isEmpty })
        #expect(seen.elements[0] >= .milliseconds(5))
    }

    @Test func aClockSchedulerRunsActionsInOrderOfTheirInstantsThenOfScheduling() async {
        for (number, delay) in [(5, 9), (1, 2), (3, 4), (2, 2), (4, 4), (0, -1)] {
            scheduler.schedule(after: .milliseconds(delay)) { [log] in log.append(number) }
        }
        #expect(await advance { log.elements.count == 6 })
        #expect(log.elements == Array(0..<6))
    }

    @Test func aClockSchedulerRunsOneActionAtATime() async {
        let running = Locked(0)
        let references = WeakReferences()
        var scheduler: ClockScheduler? = references.add(
            ClockScheduler(SchedulerClock(scheduler: time)))
        for number in 0..<200 {
            scheduler?.schedule(after: .milliseconds(number % 3)) { [log] in
                let before = running.withLock { count in
                    count += 1
                    return count
                }
                log.append(before)
                running.withLock { $0 -= 1 }
            }
        }
        #expect(await advance { log.elements.count == 200 })
        #expect(log.elements.allSatisfy { $0 == 1 })
        scheduler = nil
        // A task whose action another has run may only begin to sleep now.
        #expect(await advance { references.living == 0 })
    }

    @Test func anActionTakenBackDoesNotRunAndNoTaskSleepsForIt() async {
        weak var captured: TestLog<Int>?
        do {
            let object = TestLog<Int>()
            captured = object
            let action = scheduler.schedule(after: .seconds(3_600)) { object.append(1) }
            #expect(await comesTrue { !time.isIdle })
            action.cancel()
            action.cancel()
        }
        #expect(captured == nil)
        #expect(await comesTrue { time.isIdle })
    }

    @Test func aTimeoutFiresThoughNobodyHoldsItsClockScheduler() async {
        let never = Promise<Int>()
        let timed = never.timeout(
            .milliseconds(3), on: ClockScheduler(SchedulerClock(scheduler: time)))
        #expect(await advance { timed.result != nil })
        #expect(timed.codeNow == .timedOut)
        #expect(never.result == nil || never.isCancelled)
    }

    @Test func aClockSchedulerIsFreedWhenItHasNothingToRun() async {
        weak var gone: ClockScheduler<SchedulerClock>?
        do {
            let scheduler = ClockScheduler(SchedulerClock(scheduler: time))
            gone = scheduler
            scheduler.schedule(after: .milliseconds(1)) { [log] in log.append(1) }
        }
        #expect(await advance { log.elements == [1] })
        #expect(await comesTrue { gone == nil })
    }
}
