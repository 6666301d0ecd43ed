import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices

/// The invariants of the number of requests, for server behaviours that determine it.
extension OrderScript {
    func loadFaults() -> [OrderFault] {
        switch server.behaviour {
        case .random: []
        case .down(let answer): countFaults() + waitFaults(after: answer)
        case .confirming: storageFaults() + renewalFaults()
        }
    }

    /// The budgets limit the number of requests to a service that is down.
    private func countFaults() -> [OrderFault] {
        let arrivals = server.state.withLock { $0.arrivals }
        let calls = Double(calls.withLock { $0.count })
        var most = loads.reduce(calls) { $1.most(of: $0) }
        if case .twice = form { most *= 2 }
        guard Double(arrivals.count) > most else { return [] }
        return [
            OrderFault(
                .repetitionsAreBounded,
                "\(calls) calls made \(arrivals.count) requests, and \(most) are allowed")
        ]
    }

    /// A retry waits as long as the service asks, at least the first step of its backoff, and up to a tenth
    /// longer.
    private func waitFaults(after answer: OrderAnswer) -> [OrderFault] {
        guard case .status(_, let delay?) = answer, let first = firstSteps.min(),
            // A layer above one of these may repeat a call before it has the server's answer.
            !layers.contains(where: { [.hedge, .timeout, .deadline].contains($0) })
        else { return [] }
        var last: [String: Duration] = [:]
        var waits: [Duration] = []
        for arrival in server.state.withLock({ $0.arrivals }) {
            guard let call = arrival.call else { continue }
            if let last = last[call] { waits.append(arrival.instant - last) }
            last[call] = arrival.instant
        }
        let least = max(.seconds(delay), first)
        var faults = waits.filter { $0 < least }.map {
            OrderFault(.repetitionsWait, "an attempt came \($0) after one, \(least) is the least")
        }
        if least > .zero, waits.count >= 5, Set(waits).count == 1 {
            faults.append(OrderFault(.repetitionsWait, "all attempts came \(waits[0]) after one"))
        }
        return faults
    }

    /// If new tokens are available, no call ends with the 401 for an old token.
    private func renewalFaults() -> [OrderFault] {
        calls.withLock { $0 }.compactMap { $0.ends.first?.result }
            .filter { Self.status(of: $0) == 401 }
            .map { OrderFault(.refusedTokensAreRenewed, "a call ended with \($0)") }
    }

    /// A new token does not invalidate the cache: the server sends one full answer, and then confirms it.
    private func storageFaults() -> [OrderFault] {
        guard let cache = layers.lastIndex(of: .cache),
            // A fallback gives its own answer if acceptStatus has made an error of a 304.
            !layers[cache...].contains(.fallback)
        else { return [] }
        let given = calls.withLock { $0 }.compactMap { $0.ends.first?.result }
            .filter { Self.status(of: $0) == 304 }
            .map { OrderFault(.storedAnswersAreUsed, "a call ended with \($0)") }
        return given
            + server.state.withLock { $0.fullAnswers }.filter { $0.value > 1 }.map {
                OrderFault(
                    .storedAnswersAreUsed, "\($0.key) was answered in full \($0.value) times")
            }
    }
}
