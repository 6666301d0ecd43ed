import Foundation
import PledgeAdmission
import PledgeFutures
import PledgeServices
import PledgeSimulation
import PledgeTraffic
import TestSupport
import Testing

private let isWhole = ProcessInfo.processInfo.environment["PLEDGE_SIMULATIONS"] == "whole"

/// The tables of Docs/Policies/AdaptiveConcurrency.md.
///
/// PLEDGE_SIMULATIONS=whole prints them, and compares all of them with the page. It needs a release build. Otherwise one
/// row is computed.
@Suite(.oneAtATime) struct LimitComparisonTests {
    /// The default in a short overload: as many calls answered as the host can answer, and none of them late.
    @Test func theDefaultKeepsAnOverloadedHostFast() throws {
        let scenario = Scenario(
            hosts: LimitComparison.overload.scenario.hosts, arrivals: .poisson(rate: 240),
            duration: .seconds(20))
        let limited = LimitComparison.Row("default", .gradient())
        let run = LimitComparison.run(scenario, limited, seed: 1).run
        #expect(run.goodput(in: 5...20) > 0.7)
        #expect(try #require(run.latency(99, in: 5...20)) < 0.2)
        let bare = LimitComparison.run(scenario, LimitComparison.rows[0], seed: 1).run
        #expect(bare.goodput(in: 10...20) < 0.1)
    }

    @Test func thePageShowsWhatLimitsDo() throws {
        guard isWhole else {
            return try expectOnPage(LimitComparison.rows.map { "\($0.name) | " })
        }
        let columns = [
            LimitComparison.overload, LimitComparison.slowHost, LimitComparison.steadyLoad,
            LimitComparison.largeHost, LimitComparison.longOverload,
        ]
        try expectOnPage(
            LimitComparison.rows.map { row in
                row.name + " | " + columns.flatMap { cells($0, row) }.joined(separator: " | ")
                    + " |"
            })
    }

    @Test func thePageShowsLimitsOverTime() throws {
        try expectOnPage(
            LimitComparison.rows[isWhole ? 2...6 : 4...4].map { row in
                let run = LimitComparison.run(LimitComparison.overload.scenario, row, seed: 1)
                let limits = [1, 5, 10, 20, 40, 60, 65, 70, 80, 120].map { run.limits[$0 - 1] }
                return row.name + " | " + limits.map(String.init).joined(separator: " | ") + " |"
            })
    }

    /// Goodput and the 99th percentile, as the means of the seeds 1 to 10.
    private func cells(
        _ column: LimitComparison.Column, _ row: LimitComparison.Row
    ) -> [String] {
        let runs = (1...10).map {
            LimitComparison.run(column.scenario, row, seed: UInt64($0)).run
        }
        return column.times.map { time in
            let goodput = runs.map { $0.goodput(in: time) }.reduce(0, +) / 10
            let tails = runs.compactMap { $0.latency(99, in: time) }
            let tail = tails.reduce(0, +) / Double(max(tails.count, 1)) * 1_000
            let share = String(format: "%.1f %%", goodput * 100)
            return tails.isEmpty ? share : share + String(format: ", %.0f ms", tail)
        }
    }

    private func expectOnPage(_ rows: [String]) throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Docs/Policies/AdaptiveConcurrency.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        for row in rows.map({ "| \($0)" }) {
            print(row)
            #expect(text.contains(row))
        }
    }
}

/// What limits of the calls in flight do for one host, in some scenarios.
///
/// Each limit is outside a timeout of a second, and the host goes on with calls that have timed out.
struct LimitComparison {
    /// A limit, by its name in the table.
    struct Row: Sendable {
        let name: String
        let make: @Sendable (SimulatedWorld) -> Limit
    }

    /// A middleware, and the limit that it has now.
    struct Limit: Sendable {
        let middleware: Middleware<SimulatedRequest, SimulatedResponse>
        var limit: @Sendable () -> Int = { 0 }
    }

    /// A scenario, and when it is looked at, in seconds.
    struct Column: Sendable {
        let scenario: Scenario
        let times: [ClosedRange<Double>]
    }

    static let rows = [
        Row(name: "none") { _ in Limit(middleware: .passThrough) },
        Row(name: "`Bulkhead(limit: 8)`") { world in
            Limit(
                middleware: .bulkhead(
                    sharing: Bulkhead(limit: 8, queue: 0, leaseTime: nil, on: world.scheduler))
            ) { 8 }
        },
        Row("`.aimd()`", .aimd()), Row("`.vegas()`", .vegas()), Row("`.gradient()`", .gradient()),
        Row("`.gradient()`, no queue", .gradient(), queue: 0),
        Row("`.correlation()`", .correlation()),
    ]

    /// Service times of 20 ms on average: four workers do 200 calls a second.
    private static func host(workers: Int = 4) -> HostSettings {
        var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(20)))
        host.workers = workers
        return host
    }

    private static func load(_ rate: Double, seconds: Int, workers: Int = 4) -> Scenario {
        Scenario(
            hosts: [host(workers: workers)], arrivals: .poisson(rate: rate),
            duration: .seconds(seconds))
    }

    /// A minute of 240 calls a second, and one of 100.
    static let overload = Column(
        scenario: Scenario(
            hosts: [host()], arrivals: .poisson([(.seconds(60), 240), (.seconds(120), 100)]),
            duration: .seconds(120)),
        times: [10...60, 70...120])

    /// 100 calls a second to a host that gets four times slower after a minute, so that it does 50.
    static var slowHost: Column {
        var scenario = load(100, seconds: 120)
        scenario.at(.seconds(60)) { $0.host(0).slow(by: 4) }
        return Column(scenario: scenario, times: [70...120])
    }

    static let steadyLoad = Column(scenario: load(160, seconds: 180), times: [10...180])
    static let largeHost = Column(
        scenario: load(3_840, seconds: 60, workers: 64), times: [30...60])
    static let longOverload = Column(scenario: load(240, seconds: 600), times: [540...600])

    /// Runs a scenario with a limit.
    ///
    /// - Returns: What happened, and the limit at the end of each second.
    static func run(
        _ scenario: Scenario, _ row: Row, seed: UInt64
    ) -> (run: SimulationRun, limits: [Int]) {
        let limits = Locked<[Int]>([])
        let run = scenario.run(seed: seed) { world in
            let limit = row.make(world)
            for second in 1...Int(scenario.duration.components.seconds) {
                world.scheduler.schedule(after: .seconds(second)) {
                    limits.withLock { $0.append(limit.limit()) }
                }
            }
            return stack(
                limit.middleware, .timeout(.seconds(1), on: world.scheduler),
                over: world.fleet.send)
        }
        #expect(run.error == nil, "\(run)")
        return (run, limits.withLock { $0 })
    }
}

extension LimitComparison.Row {
    init(_ name: String, _ algorithm: ConcurrencyLimitAlgorithm, queue: Int = 10) {
        self.init(name: name) { world in
            let limit = AdaptiveConcurrency(
                algorithm: algorithm, queue: queue, on: world.scheduler, random: world.random)
            return LimitComparison.Limit(middleware: .adaptiveConcurrency(sharing: limit)) {
                limit.limit
            }
        }
    }
}
