import Foundation
import PledgeSimulation
import TestSupport
import Testing

private let isWhole = ProcessInfo.processInfo.environment["PLEDGE_SIMULATIONS"] == "whole"
private let utilisations = [0.5, 0.8, 0.95]
/// How many calls a run has.
private let callsOfRun = isWhole ? 500_000.0 : 6_000

/// The simulator against the formulas of queueing theory, as the mean of the seeds 1 to 10.
///
/// PLEDGE_SIMULATIONS=whole makes the runs eighty times as long, and holds them to closer limits: 2 % at utilisations of
/// 0.5 and 0.8, 5 % at 0.95. It needs a release build.
@Suite(.oneAtATime) struct QueueingTheoryTests {
    /// The mean time of a call in a queue of one host, in units of the mean service time.
    private func meanTime(
        utilisation: Double, workers: Int = 1, service: Distribution
    ) -> Double {
        var host = HostSettings(serviceTime: service)
        host.workers = workers
        let rate = utilisation * Double(workers) / service.meanInSeconds
        let seconds = Int((callsOfRun / rate).rounded())
        let scenario = Scenario(
            hosts: [host], arrivals: .poisson(rate: rate), duration: .seconds(seconds))
        let times = (1...10).map { seed in
            let run = scenario.run(seed: UInt64(seed)) { $0.fleet.send }
            // The first tenth is left out: the queue begins empty.
            return run.meanLatency(in: Double(seconds) / 10...Double(seconds)) ?? 0
        }
        return times.reduce(0, +) / 10 / service.meanInSeconds
    }

    private func tolerance(at utilisation: Double) -> Double {
        switch utilisation {
        case 0.5: isWhole ? 0.02 : 0.05
        case 0.8: isWhole ? 0.02 : 0.1
        default: isWhole ? 0.05 : 0.25
        }
    }

    private let exponential = Distribution.exponential(mean: .milliseconds(10))

    @Test(arguments: utilisations)
    func oneWorkerWithExponentialService(utilisation: Double) {
        let found = meanTime(utilisation: utilisation, service: exponential)
        let expected = 1 / (1 - utilisation)
        #expect(abs(found / expected - 1) < tolerance(at: utilisation), "\(found) for \(expected)")
    }

    @Test(arguments: utilisations)
    func oneWorkerWithConstantService(utilisation: Double) {
        let service = Distribution.constant(.milliseconds(10))
        let found = meanTime(utilisation: utilisation, service: service)
        // Pollaczek–Khinchine without variance.
        let expected = 1 + utilisation / (2 * (1 - utilisation))
        #expect(abs(found / expected - 1) < tolerance(at: utilisation), "\(found) for \(expected)")
    }

    @Test(arguments: utilisations)
    func fourWorkers(utilisation: Double) {
        let found = meanTime(
            utilisation: utilisation, workers: 4, service: exponential)
        let expected = 1 + waitProbability(utilisation, workers: 4) / (4 * (1 - utilisation))
        #expect(abs(found / expected - 1) < tolerance(at: utilisation), "\(found) for \(expected)")
    }

    /// Erlang's formula C.
    private func waitProbability(_ utilisation: Double, workers: Int) -> Double {
        let load = utilisation * Double(workers)
        var term = 1.0
        var sum = 0.0
        for count in 0..<workers {
            sum += term
            term *= load / Double(count + 1)
        }
        let waiting = term / (1 - utilisation)
        return waiting / (sum + waiting)
    }

    /// Little's law: how many calls are in a host is the rate of calls times how long each is there.
    @Test(arguments: 1...(isWhole ? 10 : 2)) func littlesLawHolds(seed: UInt64) throws {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(10), sigma: 1))
        host.workers = 3
        host.queueLimit = 20
        var scenario = Scenario(
            hosts: 4, each: host, arrivals: .poisson(rate: 900),
            duration: .seconds(isWhole ? 60 : 10))
        scenario.at(.seconds(5)) { $0.host(1).pause(for: .seconds(2)) }
        let run = scenario.run(seed: seed) { $0.fleet.send }
        for host in run.hosts {
            let rate = Double(host.finished) / run.endTime
            #expect(abs(rate * host.meanTime / host.meanCalls - 1) < 1e-9)
            #expect(host.finished + host.refused == host.received)
        }
    }
}
