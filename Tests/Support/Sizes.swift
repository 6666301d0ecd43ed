internal import Foundation

/// How many inputs a parser is given: 10,000, or as many as PLEDGE_FUZZ_INPUTS says.
package func fuzzInputCount() -> Int { size("PLEDGE_FUZZ_INPUTS", usually: 10_000) }

/// Of how many steps what must not overflow the stack consists: a million, or as many as PLEDGE_DEPTH says.
package func depth() -> Int { size("PLEDGE_DEPTH", usually: 1_000_000) }

/// How many random scripts a machine is compared with its model in: 2,000, or as many as PLEDGE_SCRIPTS
/// says.
package func scriptCount() -> Int { size("PLEDGE_SCRIPTS", usually: 2_000) }

/// How many random orders of HTTP middleware are tried: 5,000, or as many as PLEDGE_ORDERS says.
package func orderCount() -> Int { size("PLEDGE_ORDERS", usually: 5_000) }

/// How many calls are cancelled at random moments: 5,000, or as many as PLEDGE_CANCELS says.
package func cancelCount() -> Int { size("PLEDGE_CANCELS", usually: 5_000) }

/// How often a transport calls each server that misbehaves: 16 times, or as often as PLEDGE_MISBEHAVIOURS says.
package func misbehaviourCallCount() -> Int { size("PLEDGE_MISBEHAVIOURS", usually: 16) }

private func size(_ variable: String, usually size: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? size
}
