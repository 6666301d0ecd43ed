import Foundation
import PledgeServices
import PledgeSimulation
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
            .appending(path: "../../../Docs/Policies/AdaptiveConcurrency.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        for row in rows.map({ "| \($0)" }) {
            print(row)
            #expect(text.contains(row))
        }
    }
}
