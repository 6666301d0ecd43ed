import Foundation

// swift run -c release --package-path Benchmarks validate-simulation [--seed NUMBER] [--connections NUMBER]
//
// Measures a client over sockets, simulates the same client, and fails if the two differ by more than the limits.

guard let options = Options(CommandLine.arguments.dropFirst()) else {
    FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
    exit(64)
}
let world = SocketWorld(seed: options.seed, connections: options.connections)
var measurements: [(load: ServerLoad, arrivals: ArrivalTimes, outcome: Outcome)] = []
var overheads: [Double] = []
var delays: [Double] = []
for load in ServerLoad.all {
    print("measuring: \(load.name)")
    fflush(nil)
    overheads.append(world.overhead())
    let arrivals = ArrivalTimes.poisson(rate: load.rate, for: load.duration, seed: options.seed)
    let (outcome, delay) = world.measure(load, arrivals)
    measurements.append((load, arrivals, outcome))
    delays.append(delay)
}
// The smallest median is used, because other work on the machine can only lengthen it.
let overhead = overheads.min() ?? 0
let comparisons = measurements.map { load, arrivals, outcome in
    Comparison(
        name: load.name, measured: outcome,
        simulations: load.simulate(arrivals, latency: overhead / 2))
}
print("\n" + (Comparison.head + comparisons.map(\.row)).joined(separator: "\n") + "\n")
func milliseconds(_ seconds: Double) -> String { String(format: "%.2f ms", seconds * 1_000) }
print("on an idle server, a call takes \(milliseconds(overhead)) beyond its service time;")
print("of each load's calls, 99 of 100 were made \(milliseconds(delays.max() ?? 0)) late at most")
exit(comparisons.allSatisfy(\.isWithinLimits) ? 0 : 1)
