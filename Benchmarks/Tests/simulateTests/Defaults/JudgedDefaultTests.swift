import PledgeServices
import PledgeSimulation
import Testing

@testable import simulate

/// What Docs/Simulations/Defaults.md concludes, in a few cells of its tables.
@Suite(.serialized)
struct JudgedDefaultTests {
    private let settings = ScenarioSettings.ofTests

    private func outcome(_ breaker: JudgedDefault.Value, _ trial: Trial) -> TrialOutcome {
        JudgedDefault.outcome(of: breaker, trial, settings)
    }

    private func breaker(
        failuresInARow: Int, lasting: Duration = .milliseconds(500), successRate: Double,
        base: Int = 1, cap: Int = 10
    ) -> JudgedDefault.Value {
        JudgedDefault.Value("") { world in
            world.breaker(
                CircuitBreaker(
                    failuresInARow: failuresInARow, lasting: lasting, successRate: successRate,
                    backoff: .equalJitter(base: .seconds(base), cap: .seconds(cap)),
                    on: world.scheduler, random: world.random))
        }
    }

    @Test func theColumnCalledDefaultHasTheValuesThatItNames() {
        let named = outcome(breaker(failuresInARow: 10, successRate: 0.5), .errors(50))
        #expect(outcome(JudgedDefault.breakerRow.standard, .errors(50)) == named)
        let former = breaker(failuresInARow: 10, lasting: .zero, successRate: 0.5)
        #expect(outcome(former, .errors(50)) != named)
    }

    @Test func aBreakerOverFiveHostsLetsCallsPassWhileOneIsDown() {
        let found = outcome(JudgedDefault.breakerRow.standard, .oneDown).goodput
        let former = outcome(
            breaker(
                failuresInARow: 5, lasting: .zero, successRate: 0.8, base: 5, cap: 300), .oneDown
        ).goodput
        #expect(found > 0.99)
        #expect(former < found - 0.01, "\(former)")
    }

    @Test func aBreakerLeavesErrorsOfAFifthToTheRetry() {
        #expect(outcome(JudgedDefault.breakerRow.standard, .errors(20)).goodput > 0.94)
        #expect(
            outcome(
                breaker(
                    failuresInARow: 5, lasting: .zero, successRate: 0.8, base: 5, cap: 300),
                .errors(20)
            ).goodput < 0.3)
    }

    @Test func callsPassWithinHalfAMinuteAfterALongOutage() {
        #expect(outcome(JudgedDefault.breakerOpenTime.standard, .longOutage).recovery <= 30)
        let former = breaker(failuresInARow: 10, successRate: 0.5, base: 5, cap: 300)
        #expect(outcome(former, .longOutage).recovery > 30)
    }

    @Test func aLimiterWithoutAWaitRefusesNearlyHalfOfTheCallsBelowItsRate() throws {
        let judged = JudgedDefault.limiterWait
        let trial = try #require(judged.figures.first { $0.trial.name == "80 % of it" }).trial
        let none = try #require(judged.alternatives.first { $0.name == "1, none" })
        #expect(outcome(judged.standard, trial).goodput == 1)
        #expect(abs(outcome(none, trial).goodput - 1 / 1.8) < 0.03)
    }

    /// Of 20 origins of which 2 are down, 90 % of the calls go to the others, which fail a tenth.
    @Test func anOriginThatIsDownTakesNoRetriesFromTheOthers() throws {
        let judged = JudgedDefault.budgetOrigins
        let shared = try #require(judged.alternatives.first { $0.name == "one for all, 10" })
        #expect(outcome(judged.standard, .origins(down: 2)).goodput > 0.895)
        #expect(outcome(shared, .origins(down: 2)).goodput < 0.885)
    }

    @Test func aBreakerForAllOriginsRefusesCallsToThoseThatWork() throws {
        let judged = JudgedDefault.breakerOrigins
        let shared = try #require(judged.alternatives.first { $0.name == "one for all" })
        #expect(outcome(judged.standard, .origins(down: 10)).goodput > 0.49)
        #expect(outcome(shared, .origins(down: 10)).goodput < 0.3)
    }

    @Test func aThousandCallsAtOnceNeedAQueue() throws {
        let judged = JudgedDefault.bulkhead
        func goodput(_ name: String) throws -> Double {
            let value = try #require(
                ([judged.standard] + judged.alternatives).first { $0.name.hasPrefix(name) })
            return outcome(value, .bursts(of: 1_000)).goodput
        }
        #expect(try goodput("64, 1000") == 1)
        #expect(try goodput("256, 1000") == 1)
        #expect(try goodput("64, 0") < 0.6)
        #expect(try goodput("none") < 0.8)
    }

    @Test func aTimeForTheHeadersCutsNoBodyThatFlows() throws {
        let judged = JudgedDefault.slowBodies
        let trial = judged.figures[0].trial
        let whole = try #require(
            judged.alternatives.first { $0.name == "attempt with body 30 s" })
        #expect(outcome(judged.standard, trial).goodput == 1)
        #expect(abs(outcome(whole, trial).goodput - 0.99) < 0.001)
    }

    @Test func aBodyThatStopsIsRepeatedIfTheDeadlineLeavesTime() throws {
        let judged = JudgedDefault.brokenBodies
        let trial = judged.figures[0].trial
        let silence = try #require(judged.alternatives.first { $0.name == "silence of 30 s" })
        let minute = try #require(judged.alternatives.first { $0.name == "all in 60 s" })
        #expect(abs(outcome(minute, trial).goodput - 0.98) < 0.001)
        #expect(outcome(judged.standard, trial).goodput == 1)
        #expect(outcome(silence, trial).goodput == 1)
    }

    @Test func manyClientsInOverloadAreHelpedByBreakersAndNotByBulkheads() throws {
        let judged = JudgedDefault.guards
        func goodput(_ name: String) throws -> Double {
            let value = try #require(judged.alternatives.first { $0.name == name })
            return outcome(value, .overload.over(clients: 10)).goodput
        }
        #expect(try goodput("256, 1000") < 0.5)
        #expect(try goodput("breaker") > 0.7)
    }

    /// What Docs/Simulations/Admission.md concludes.
    @Test func inOverloadMoreCallsSucceedWhereFewerAreMade() {
        let none = outcome(JudgedDefault.Value("") { $0.retry() }, .overload)
        let throttled = outcome(JudgedDefault.throttle.standard, .overload)
        let shed = outcome(JudgedDefault.shedder.standard, .overload)
        let limited = outcome(JudgedDefault.adaptiveLimit.standard, .overload)
        #expect(none.goodput < 0.5)
        #expect(throttled.goodput > none.goodput + 0.05, "\(throttled.goodput)")
        #expect(shed.goodput > 0.8 && limited.goodput > 0.75)
        #expect(limited.tail < shed.tail && shed.tail < none.tail)
    }

    @Test func aThrottleRefusesNothingWhileAFifthFails() {
        let plain = outcome(JudgedDefault.Value("") { $0.retry() }, .errors(20)).goodput
        let throttled = outcome(JudgedDefault.throttle.standard, .errors(20)).goodput
        #expect(abs(throttled - plain) < 0.005, "\(throttled) and \(plain)")
    }

    private func alternative(
        _ name: String, to judged: JudgedDefault
    ) throws -> JudgedDefault.Value {
        try #require(judged.alternatives.first { $0.name == name })
    }

    @Test func aThrottleMakesFewerCallsInTheFirstOutage() throws {
        let former = try alternative("120 s", to: .throttleWindow)
        #expect(outcome(JudgedDefault.throttleWindow.standard, .laterOutage).sent < 0.5)
        #expect(outcome(former, .laterOutage).sent > 0.95)
    }

    @Test func anAdaptiveLimitRefusesNoCallOfAQuietClient() throws {
        let former = try alternative("0, 0 ms", to: .adaptiveQueue)
        #expect(outcome(JudgedDefault.adaptiveQueue.standard, .quietForLong).goodput > 0.999)
        #expect(outcome(former, .quietForLong).goodput < 0.6)
    }

    @Test func aHundredClientsInOverloadNeedALowLeastLimit() throws {
        let overload = Trial.overload.over(clients: 100)
        let former = try alternative("20", to: .aimdMinimum)
        #expect(outcome(JudgedDefault.aimdMinimum.standard, overload).goodput > 0.6)
        #expect(outcome(former, overload).goodput < 0.45)
    }

    @Test func eachDefaultIsComparedWithAlternatives() {
        #expect(JudgedDefault.all.count == 22)
        for judged in JudgedDefault.all + JudgedDefault.admission {
            #expect(judged.standard.name.hasSuffix("(default)"))
            #expect(judged.alternatives.count >= 2)
        }
    }
}
