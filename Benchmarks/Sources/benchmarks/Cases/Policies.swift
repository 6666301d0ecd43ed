import PledgeAdmission
import PledgeFutures
import PledgeServices

extension Case {
    /// The cost of the policies around a service that answers at once.
    static let policies = Case(
        name: "policies over a settled service",
        ways: [
            Way("bare call") { calls($0, bare) },
            Way("bare call, then map") { count in
                for index in 0..<count { keep(bare(index).map { $0 + 1 }) }
            },
            Way("a middleware that passes on") { calls($0, stack(passingOn, over: bare)) },
            Way("timeout") { calls($0, stack(.timeout(.seconds(2)), over: bare)) },
            Way("deadline") { calls($0, stack(.deadline(.seconds(10)), over: bare)) },
            Way("retry") { calls($0, stack(.retry(), over: bare)) },
            Way("retry with budget") {
                calls($0, stack(.retry(budget: RetryBudget()), over: bare))
            },
            Way("coalesce") { calls($0, stack(.coalesce(), over: bare)) },
            Way("memoize, a hit") {
                calls(
                    $0,
                    stack(
                        .memoize(by: { _ in 1 }, sharing: Memo(timeToLive: .seconds(60))),
                        over: bare))
            },
            Way("hedge after a delay") {
                calls($0, stack(.hedge(sharing: Hedge(after: .milliseconds(50))), over: bare))
            },
            Way("bulkhead") {
                calls(
                    $0,
                    stack(
                        .bulkhead(sharing: Bulkhead(limit: 64, queue: 0, leaseTime: nil)),
                        over: bare))
            },
            Way("circuit breaker") {
                calls($0, stack(.circuitBreaker(sharing: CircuitBreaker()), over: bare))
            },
            Way("hedge by percentile") { calls($0, stack(.hedge(), over: bare)) },
            Way("deadline, retry with budget, timeout") { calls($0, patient(bare)) },
            Way("the same, observed") {
                calls($0, stack(.observed(by: silent), over: patient(bare)))
            },
        ]
    )
}

extension Case {
    /// A middleware that does nothing, which costs as much as a closure around the service: one call.
    static let passThrough = Case(
        name: "pass-through middleware",
        ways: [
            Way("Pledge") { calls($0, stack(passingOn, over: bare)) },
            Way("closure around the call") { calls($0, { opaque(bare)($0) }) },
            Way("bare call") { calls($0, bare) },
        ]
    )

    /// A complete stack around a service that answers at once.
    static let wholeStack = Case(
        name: "8 policies over a settled service",
        ways: [
            Way("Pledge") { calls($0, guarded(stack(.observed(by: silent), over: bare))) },
            Way("observed outermost") {
                calls($0, stack(.observed(by: silent), over: guarded(bare)))
            },
            Way("not observed") { calls($0, guarded(bare)) },
            Way("settled map") { count in
                for index in 0..<count { keep(Future(value: opaque(index)).map { $0 &+ 1 }) }
            },
        ]
    )
}

private func guarded(_ service: @escaping Service<Int, Int>) -> Service<Int, Int> {
    let budget = RetryBudget()
    return stack(
        .deadline(.seconds(10)), .coalesce(),
        .bulkhead(sharing: Bulkhead(limit: 64, queue: 0, leaseTime: nil)),
        .retry(budget: budget), .hedge(sharing: Hedge(budget: budget)),
        .circuitBreaker(sharing: CircuitBreaker()), .timeout(.seconds(2)), over: service)
}

private let bare: Service<Int, Int> = { Future(value: opaque($0)) }

private let passingOn = Middleware<Int, Int> { next in { next($0) } }

private let silent = ServiceObserver { keep($0) }

private func patient(_ service: @escaping Service<Int, Int>) -> Service<Int, Int> {
    stack(
        .deadline(.seconds(10)), .retry(budget: RetryBudget()), .timeout(.seconds(2)),
        over: service)
}

private func calls(_ count: Int, _ service: @escaping Service<Int, Int>) {
    let service = opaque(service)
    for index in 0..<count { keep(service(index)) }
}
