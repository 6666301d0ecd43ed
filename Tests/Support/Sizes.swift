internal import Foundation

// The sizes of `swift test` are short, so that it takes little processor time. `.ci/run nightly` and the sections
// `fuzz` and `release` choose larger ones.

/// The number of inputs for a parser: 1,000, or PLEDGE_FUZZ_INPUTS.
package func fuzzInputCount() -> Int { size("PLEDGE_FUZZ_INPUTS", usually: 1_000) }

/// The number of steps of a chain that must not overflow the stack: 100,000, or PLEDGE_DEPTH.
package func depth() -> Int { size("PLEDGE_DEPTH", usually: 100_000) }

/// The number of random scripts in which a machine is compared with its model: 2,000, or PLEDGE_SCRIPTS.
package func scriptCount() -> Int { size("PLEDGE_SCRIPTS", usually: 2_000) }

/// The seeds of a test of random histories: as many as usual, or times as many as PLEDGE_SCRIPTS has 2,000.
package func seeds(_ usual: Int) -> Range<UInt64> {
    0..<UInt64(max(1, usual * scriptCount() / 2_000))
}

/// The number of runs of ordered pairs of policies: 2,000, or PLEDGE_PAIRS.
package func pairRunCount() -> Int { size("PLEDGE_PAIRS", usually: 2_000) }

/// How often a promise is released while a future adopts it: 1,000 times, or PLEDGE_RACES.
package func raceCount() -> Int { size("PLEDGE_RACES", usually: 1_000) }

/// The number of random orders of HTTP middleware: 1,200, or PLEDGE_ORDERS.
package func orderCount() -> Int { size("PLEDGE_ORDERS", usually: 1_200) }

/// The number of calls that are cancelled at random moments: 1,000, or PLEDGE_CANCELS.
package func cancelCount() -> Int { size("PLEDGE_CANCELS", usually: 1_000) }

/// How often a transport calls each server that misbehaves: 4 times, or PLEDGE_MISBEHAVIOURS times.
package func misbehaviourCallCount() -> Int { size("PLEDGE_MISBEHAVIOURS", usually: 4) }

/// How often a process that writes a cache's folder is killed: 20 times, or PLEDGE_KILLS.
package func killCount() -> Int { size("PLEDGE_KILLS", usually: 20) }

/// How many GETs, and how many POSTs, a server gets that is reloaded meanwhile: 300, or PLEDGE_RELOADED_CALLS.
package func reloadedCallCount() -> Int { size("PLEDGE_RELOADED_CALLS", usually: 300) }

/// Whether a server over HTTP/2 does all that it may do, or some: PLEDGE_HTTP2 is "whole", or not.
package func isHTTP2Whole() -> Bool {
    ProcessInfo.processInfo.environment["PLEDGE_HTTP2"] == "whole"
}

private func size(_ variable: String, usually size: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? size
}
