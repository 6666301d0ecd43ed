import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct ManualSchedulerTests {
    let scheduler = ManualScheduler()
    let log = TestLog<String>()

    private func schedule(_ name: String, after delay: Duration) -> any ScheduledAction {
        scheduler.schedule(after: delay) { log.append(name) }
    }

    @Test func aManualSchedulerRunsNothingUntilItsClockIsMoved() {
        _ = schedule("now", after: .zero)
        #expect(log.elements.isEmpty)
        #expect(!scheduler.isIdle)
        scheduler.advance(by: .zero)
        #expect(log.elements == ["now"])
        #expect(scheduler.isIdle)
    }

    @Test func aManualSchedulerRunsActionsInOrderOfTheirInstantsThenOfScheduling() {
        for (name, delay) in [("c", 3), ("a1", 1), ("b", 2), ("a2", 1), ("a3", 1)] {
            _ = schedule(name, after: .seconds(delay))
        }
        scheduler.advance(by: .seconds(2))
        #expect(log.elements == ["a1", "a2", "a3", "b"])
        scheduler.run()
        #expect(log.elements.last == "c")
    }

    @Test func aManualSchedulerRunsNoActionANanosecondEarly() {
        _ = schedule("late", after: .seconds(1))
        scheduler.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(log.elements.isEmpty)
        scheduler.advance(by: .nanoseconds(1))
        #expect(log.elements == ["late"])
    }

    @Test func advancingAManualSchedulerAsleepMovesOnlyItsContinuousClock() {
        _ = schedule("late", after: .seconds(1))
        scheduler.advanceAsleep(by: .seconds(3_600))
        #expect(scheduler.now.offset == .zero)
        #expect(scheduler.continuousNow.offset == .seconds(3_600))
        #expect(log.elements.isEmpty)
        scheduler.advance(by: .seconds(1))
        #expect(log.elements == ["late"])
        #expect(scheduler.continuousNow.offset == .seconds(3_601))
    }

    @Test func aManualSchedulersClockShowsTheInstantOfTheActionThatRuns() {
        let seen = TestLog<Duration>()
        for second in [2, 1, 3] {
            scheduler.schedule(after: .seconds(second)) { [scheduler] in
                seen.append(scheduler.now.offset)
            }
        }
        scheduler.advance(by: .seconds(10))
        #expect(seen.elements == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(scheduler.now.offset == .seconds(10))
    }

    @Test func whatAnActionSchedulesRunsInTheSameAdvanceIfItIsDue() {
        scheduler.schedule(after: .seconds(1)) { [scheduler, log] in
            scheduler.schedule(after: .seconds(1)) { log.append("second") }
            scheduler.schedule(after: .seconds(2)) { log.append("third") }
        }
        scheduler.advance(by: .seconds(2))
        #expect(log.elements == ["second"])
        scheduler.advance(by: .seconds(1))
        #expect(log.elements == ["second", "third"])
    }

    @Test func aManualSchedulerFreesACancelledActionWithoutRunningIt() {
        weak var captured: TestLog<Int>?
        do {
            let object = TestLog<Int>()
            captured = object
            let action = scheduler.schedule(after: .seconds(1)) { object.append(1) }
            action.cancel()
            action.cancel()
        }
        #expect(captured == nil)
        #expect(scheduler.isIdle)
        scheduler.run()
    }

    @Test func aManualSchedulerFreesAnActionThatHasRun() {
        weak var captured: TestLog<Int>?
        do {
            let object = TestLog<Int>()
            captured = object
            scheduler.schedule(after: .seconds(1)) { object.append(1) }
        }
        #expect(captured != nil)
        scheduler.run()
        #expect(captured == nil)
    }

    @Test func anActionOfAManualSchedulerMayCancelAnotherThatIsDue() {
        let second = Locked<(any ScheduledAction)?>(nil)
        scheduler.schedule(after: .seconds(1)) { second.withLock { $0 }?.cancel() }
        second.withLock { $0 = schedule("second", after: .seconds(1)) }
        scheduler.run()
        #expect(log.elements.isEmpty)
    }

    @Test func aManualSchedulerTakesANegativeDelayForZero() {
        _ = schedule("past", after: .seconds(-5))
        _ = schedule("now", after: .zero)
        scheduler.advance(by: .zero)
        #expect(log.elements == ["past", "now"])
        #expect(scheduler.now.offset == .zero)
    }

    @Test func anActionMayMoveTheClockOfItsManualScheduler() {
        scheduler.schedule(after: .seconds(1)) { [scheduler] in scheduler.advance(by: .seconds(5)) }
        _ = schedule("inner", after: .seconds(3))
        scheduler.advance(by: .seconds(2))
        #expect(log.elements == ["inner"])
        #expect(scheduler.now.offset == .seconds(6))
    }

    /// Compared with a sequential model: a list that is searched for its least element.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func aManualSchedulerAgreesWithASortedList(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var model: [(instant: Duration, number: Int)] = []
        var tokens: [Int: any ScheduledAction] = [:]
        var expected: [Int] = []
        let ran = TestLog<Int>()
        var now = Duration.zero
        for number in 0..<300 {
            switch generator.next() % 4 {
            case 0, 1:
                let delay = Duration.milliseconds(Int(generator.next() % 50))
                tokens[number] = scheduler.schedule(after: delay) { ran.append(number) }
                model.append((now + delay, number))
            case 2:
                guard let victim = tokens.keys.sorted().randomElement(using: &generator) else {
                    break
                }
                tokens.removeValue(forKey: victim)?.cancel()
                model.removeAll { $0.number == victim }
            default:
                let step = Duration.milliseconds(Int(generator.next() % 20))
                scheduler.advance(by: step)
                now += step
                let due = model.filter { $0.instant <= now }
                    .sorted { ($0.instant, $0.number) < ($1.instant, $1.number) }
                expected += due.map(\.number)
                model.removeAll { $0.instant <= now }
            }
            #expect(scheduler.isIdle == model.isEmpty)
        }
        #expect(ran.elements == expected)
    }

    @Test func severalThreadsMayUseOneManualScheduler() {
        let scheduler = scheduler
        let ran = TestLog<Int>()
        onThreads(4) { index in
            for round in 0..<2_000 {
                let action = scheduler.schedule(after: .milliseconds(round % 7)) {
                    ran.append(index)
                }
                if round % 3 == 0 { action.cancel() }
                if round % 50 == 0 { scheduler.advance(by: .milliseconds(1)) }
            }
        }
        scheduler.run()
        #expect(scheduler.isIdle)
        #expect(ran.elements.count <= 8_000)
        #expect(ran.elements.count >= 4 * 1_333)
    }
}
