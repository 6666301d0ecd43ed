import PledgeHTTPTransportKit

/// The hosts to look up again, because connecting to them has failed.
///
/// libcurl remembers the addresses of a name, but a server may have moved. So the next attempt asks the resolver again,
/// at most once a second per host.
struct NameMemory {
    private static let patience = Duration.seconds(1)

    /// The hosts, with their ports, to which connecting has failed.
    private var failed: Set<String> = []
    /// When each host was last looked up again.
    private var renewals: [String: ContinuousClock.Instant] = [:]

    /// Records that a transfer has ended without a connection.
    mutating func noteFailure(of transfer: Transfer) {
        let request = transfer.exchange.request
        guard let name = transfer.loop.options.lookedUpName(for: request) else { return }
        if let last = renewals[name], last + Self.patience > .now { return }
        if renewals.count >= 1_024 { forgetOld() }
        failed.insert(name)
    }

    /// Makes libcurl look up the host again if connecting to it has failed.
    mutating func renew(for transfer: Transfer) {
        guard !failed.isEmpty,
            let name = transfer.loop.options.lookedUpName(for: transfer.exchange.request),
            failed.remove(name) != nil
        else { return }
        renewals[name] = .now
        transfer.handle.setAddresses("-" + name)
    }

    private mutating func forgetOld() {
        let now = ContinuousClock.now
        renewals = renewals.filter { $0.value + Self.patience > now }
    }
}
