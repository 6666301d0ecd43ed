import PledgeSimulation
import Testing

@testable import simulate

/// The example of "Metastable failures in distributed systems" (HotOS 2021, section 2.1).
@Suite(.serialized)
struct MetastableTests {
    private let settings = ScenarioSettings.ofTests

    private func run(
        _ rules: [OutageRule], _ name: String, at rate: Int = 280, for duration: Int
    ) throws -> SimulationRun {
        var outage = try #require(rules.first { $0.name == name }).outage
        outage.rate = Double(rate)
        outage.duration = duration
        return outage.run(settings)
    }

    @Test func oneRetryKeepsItDown() throws {
        let run = try run(
            OutageRule.ofClients, "one retry", for: settings.choose(900, short: 60))
        let end = run.duration
        #expect(run.goodput(in: 0...29) > 0.99)
        #expect(run.goodput(in: (end - 15)...end) < 0.01)
        // 560 of 280.
        #expect(run.amplification(in: end.rounded(.down) - 15..<end.rounded(.down) - 1) > 1.9)
        #expect(run.timeToRecover == nil)
    }

    @Test(arguments: [
        ("one retry, breaker", 10.0), ("one retry, bulkhead of 64", 10),
    ])
    func theseClientsRecover(name: String, limit: Double) throws {
        let run = try run(OutageRule.ofClients, name, for: settings.choose(900, short: 60))
        #expect(try #require(run.timeToRecover) <= limit)
    }

    @Test(arguments: [
        ("at most 100 calls wait", 5.0), ("the last call is first", 5),
        ("stops what is given up", 5),
    ])
    func theseDatabasesRecover(name: String, limit: Double) throws {
        let run = try run(OutageRule.ofDatabases, name, for: settings.choose(900, short: 60))
        #expect(try #require(run.timeToRecover) <= limit)
    }

    @Test func halfOfTheCapacityIsTheLimitOfOneRetry() throws {
        let rule = "one retry"
        #expect(
            try run(OutageRule.ofClients, rule, at: 140, for: settings.choose(900, short: 180))
                .timeToRecover != nil)
        #expect(
            try run(OutageRule.ofClients, rule, at: 160, for: settings.choose(900, short: 90))
                .timeToRecover == nil)
    }

    @Test func aBudgetMustFitTheCapacity() throws {
        let rule = "one retry, budget of a fifth"
        let (rate, duration) = settings.choose((240, 900), short: (160, 90))
        #expect(
            try run(OutageRule.ofClients, rule, at: rate, for: duration).timeToRecover != nil)
        // 280 and a fifth of that are 336.
        let run = try run(OutageRule.ofClients, rule, for: duration)
        #expect(run.timeToRecover == nil)
        #expect(run.amplification(in: 50..<run.duration.rounded(.down)) < 1.25)
    }

    @Test func theDefaultRetryDoesNotRecover() throws {
        let run = try run(
            OutageRule.ofClients, "the default retry", for: settings.choose(900, short: 60))
        #expect(run.timeToRecover == nil)
    }

    @Test func aTwentiethMoreRecoversSlowly() throws {
        let rule = "one retry, budget of a twentieth"
        let duration = settings.choose(900, short: 60)
        let run = try run(OutageRule.ofClients, rule, for: duration)
        // The queue of ten seconds gets shorter by 300 − 294 calls a second.
        #expect(settings.isShort ? run.timeToRecover == nil : (run.timeToRecover ?? 0) > 300)
        #expect(run.amplification(in: 50..<run.duration.rounded(.down)) < 1.07)
    }

    @Test func knowingTheDeadlineIsNotEnough() throws {
        let run = try run(
            OutageRule.ofDatabases, "knows the deadline", for: settings.choose(900, short: 60))
        #expect(run.timeToRecover == nil)
        #expect(run.goodput(in: 50...run.duration) > 0.2)
    }
}
