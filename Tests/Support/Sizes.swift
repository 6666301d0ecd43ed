internal import Foundation

/// The number of inputs for a parser: 10,000, or PLEDGE_FUZZ_INPUTS.
package func fuzzInputCount() -> Int { size("PLEDGE_FUZZ_INPUTS", usually: 10_000) }

/// The number of steps of a chain that must not overflow the stack: a million, or PLEDGE_DEPTH.
package func depth() -> Int { size("PLEDGE_DEPTH", usually: 1_000_000) }

/// The number of random scripts in which a machine is compared with its model: 2,000, or PLEDGE_SCRIPTS.
package func scriptCount() -> Int { size("PLEDGE_SCRIPTS", usually: 2_000) }

/// The number of random orders of HTTP middleware: 5,000, or PLEDGE_ORDERS.
package func orderCount() -> Int { size("PLEDGE_ORDERS", usually: 5_000) }

/// The number of calls that are cancelled at random moments: 5,000, or PLEDGE_CANCELS.
package func cancelCount() -> Int { size("PLEDGE_CANCELS", usually: 5_000) }

/// How often a transport calls each server that misbehaves: 16 times, or PLEDGE_MISBEHAVIOURS times.
package func misbehaviourCallCount() -> Int { size("PLEDGE_MISBEHAVIOURS", usually: 16) }

private func size(_ variable: String, usually size: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? size
}
