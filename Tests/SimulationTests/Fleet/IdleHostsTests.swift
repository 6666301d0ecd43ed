import Foundation
import PledgeFutures
import PledgeSimulation
import TestSupport
import Testing

private let isWhole = ProcessInfo.processInfo.environment["PLEDGE_SIMULATIONS"] == "whole"

/// The memory of hosts that do nothing: 10,000 with PLEDGE_SIMULATIONS=whole, and a tenth of them otherwise.
@Suite(.oneAtATime) struct IdleHostsTests {
    @Test func idleHostsFitInto128MiB() throws {
        var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
        host.queueLimit = 100
        let scenario = Scenario(
            hosts: isWhole ? 10_000 : 1_000, each: host, arrivals: .poisson(rate: 10),
            duration: .seconds(10))
        let before = try residentMebibytes()
        let during = Locked(0.0)
        let run = scenario.run { world in
            let found = (try? residentMebibytes()) ?? .infinity
            during.withLock { $0 = found }
            return world.fleet.send
        }
        #expect(run.goodput == 1)
        #expect(during.withLock { $0 } - before < 128)
    }

    /// The memory of the process, as the system counts it; 0 where it does not say.
    private func residentMebibytes() throws -> Double {
        guard FileManager.default.fileExists(atPath: "/proc/self/statm") else { return 0 }
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            .split(separator: " ")
        return try Double(#require(Int(fields[1])) * 4) / 1_024
    }
}
