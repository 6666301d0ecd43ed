import PledgeSimulation
import Testing

@testable import simulate

/// Orders of a queue in overload ("Fail at Scale", Maurer 2015).
@Suite(.serialized)
struct QueueOrderTests {
    private let settings = ScenarioSettings.ofTests

    /// Answers in time for each call that the host can do, and the 99th percentile of their times.
    private func outcome(
        _ name: String, at load: Double
    ) throws -> (goodput: Double, tail: Double?) {
        let order = try #require(WaitingOrder.all.first { $0.name == name })
        let host = OverloadedHost(load: load, duration: settings.choose(400, short: 24))
        let run = host.run(order, settings)
        return (run.goodput(in: host.countedTime) * load, run.latency(99, in: host.countedTime))
    }

    @Test func firstInFirstOutAnswersNoCallInTime() throws {
        #expect(try outcome("first in, first out", at: 1.2).goodput < 0.01)
    }

    @Test(arguments: ["last in, first out", "adaptive", "first, 100 wait", "last, knows deadlines"])
    func theseOrdersAnswerWhatTheHostCanDo(name: String) throws {
        let found = try outcome(name, at: 1.2).goodput
        #expect(found > 0.95 && found < settings.choose(1.02, short: 1.05), "\(found)")
    }

    @Test func aHostThatKnowsDeadlinesBeginsCallsThatEndTooLate() throws {
        let found = try outcome("first, knows deadlines", at: 1.2).goodput
        #expect(abs(found - 0.625) < settings.choose(0.03, short: 0.12), "\(found)")
    }

    @Test func theLastFirstHasALongerTailWithoutOverload() throws {
        let first = try #require(outcome("first in, first out", at: 0.8).tail)
        let last = try #require(outcome("last in, first out", at: 0.8).tail)
        let adaptive = try #require(outcome("adaptive", at: 0.8).tail)
        #expect(last > 1.5 * first)
        #expect(adaptive < 1.2 * first)
    }
}
