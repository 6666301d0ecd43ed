import Foundation

// swift run -c release --package-path Benchmarks validate-simulation [SEED]
//
// Measures a client over sockets, simulates the same client, and fails if the two differ by more than the limits.

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count <= 1, let seed = UInt64(arguments.first ?? "1") else {
    FileHandle.standardError.write(Data("usage: validate-simulation [SEED]\n".utf8))
    exit(64)
}
let world = SocketWorld(seed: seed)
let overhead = world.overhead()
let milliseconds = String(format: "%.2f", overhead * 1_000)
print("on an idle server, a call takes \(milliseconds) ms beyond its service time\n")
print(Comparison.head.joined(separator: "\n"))
var areAllWithinLimits = true
var delays: [Double] = []
for load in ServerLoad.all {
    fflush(nil)
    let arrivals = ArrivalTimes.poisson(rate: load.rate, for: load.duration, seed: seed)
    let (measured, delay) = world.measure(load, arrivals)
    let comparison = Comparison(
        name: load.name, measured: measured,
        simulations: load.simulate(arrivals, latency: overhead / 2))
    print(comparison.row)
    areAllWithinLimits = areAllWithinLimits && comparison.isWithinLimits
    delays.append(delay)
}
let latest = String(format: "%.2f", (delays.max() ?? 0) * 1_000)
print("\nof each load's calls, 99 of 100 were made at most \(latest) ms late")
exit(areAllWithinLimits ? 0 : 1)
