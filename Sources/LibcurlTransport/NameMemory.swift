import PledgeHTTPTransportKit

/// The hosts whose names are looked up again, because a connection to them could not be made.
///
/// libcurl keeps the addresses of a name. A server may have moved, so the attempt after a failed connection asks the
/// resolver again, but at most once a second for a host.
struct NameMemory {
    private static let patience = Duration.seconds(1)

    /// The hosts, with their ports, to which a connection could not be made.
    private var failed: Set<String> = []
    /// The times of the last renewals.
    private var renewals: [String: ContinuousClock.Instant] = [:]

    /// Notes that a transfer has ended before it had a connection.
    mutating func noteFailure(of transfer: Transfer) {
        let request = transfer.exchange.request
        guard let name = transfer.loop.options.lookedUpName(for: request) else { return }
        if let last = renewals[name], last + Self.patience > .now { return }
        if renewals.count >= 1_024 { forgetOld() }
        failed.insert(name)
    }

    /// Makes libcurl look up the name of a transfer's host again if the last connection to the host failed.
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
