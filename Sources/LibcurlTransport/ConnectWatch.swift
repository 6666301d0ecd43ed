import CPledgeCurl
import PledgeHTTPMessages

/// Watches connections that are being made, and transfers that wait for another one's handshake.
///
/// libcurl tries the addresses of a family one by one. It leaves a silent address only after half of the time to
/// connect, and 7.88.1 never leaves it. And every transfer that may share a connection waits for the first one's
/// handshake, however long that takes. So the I/O thread ends what takes too long.
struct ConnectWatch {
    private struct Socket {
        let transfer: Transfer
        var due: ContinuousClock.Instant
    }

    /// How long one address may stay silent if there may be others.
    static let patience = Duration.milliseconds(500)

    private var sockets: [Int32: Socket] = [:]
    private var handshakes: [String: HandshakeWaits] = [:]

    /// True if connecting has failed, and libcurl is to try the next address at once.
    var mustGoOn = false

    /// When to check next; nil if there is nothing to check.
    private(set) var due: ContinuousClock.Instant?

    mutating func add(_ socket: Int32, of transfer: Transfer) {
        let due = ContinuousClock.now + Self.patience
        sockets[socket] = Socket(transfer: transfer, due: due)
        check(by: due)
    }

    /// Watches a transfer that waits for another one's handshake.
    mutating func add(_ transfer: Transfer) {
        let now = ContinuousClock.now
        check(by: handshakes[transfer.authority, default: HandshakeWaits()].add(transfer, now))
    }

    /// The new socket with this local port.
    func socket(onPort port: Int32) -> Int32? {
        sockets.keys.first { ccurl_has_local_port($0, port) }
    }

    mutating func forget(_ socket: Int32) {
        guard !sockets.isEmpty, let last = sockets.removeValue(forKey: socket),
            last.transfer.isConnecting
        else { return }
        mustGoOn = true
        check(by: .now)
    }

    private mutating func check(by instant: ContinuousClock.Instant) {
        due = min(due ?? instant, instant)
    }

    /// The sockets that have taken too long, with their transfers.
    ///
    /// - Parameter known: The sockets that libcurl waits for.
    mutating func takeOverdue(
        _ now: ContinuousClock.Instant, known: [Int32: ConnectionPool]
    ) -> [(socket: Int32, Transfer)] {
        var overdue: [(socket: Int32, Transfer)] = []
        for (socket, watched) in sockets where watched.due <= now {
            if known[socket] != nil, ccurl_is_connecting(socket) {
                sockets[socket]?.due = now + Self.patience
                overdue.append((socket, watched.transfer))
            } else {
                sockets[socket] = nil
            }
        }
        return overdue
    }

    /// The transfers that have waited too long, at most one per host.
    ///
    /// - Parameter isConnecting: Returns whether a handshake with the host is under way.
    mutating func takeImpatient(
        _ now: ContinuousClock.Instant, whereConnecting isConnecting: (String) -> Bool
    ) -> [Transfer] {
        var impatient: [Transfer] = []
        for (host, waits) in handshakes where waits.due <= now {
            handshakes[host]?.next(now, isConnecting: isConnecting(host)).map {
                impatient.append($0)
            }
            if handshakes[host]?.isEmpty == true { handshakes[host] = nil }
        }
        return impatient
    }

    mutating func plan() {
        due = [sockets.values.map(\.due).min(), handshakes.values.map(\.due).min()]
            .compactMap { $0 }.min()
        if mustGoOn { due = .now }
    }
}

/// The transfers that wait for another transfer's handshake with the same host.
private struct HandshakeWaits {
    /// After this wait, one more connection is opened.
    static let patience = Duration.seconds(1)

    private var waiting: [(transfer: Transfer, since: ContinuousClock.Instant)] = []
    private(set) var due = ContinuousClock.now + Self.patience

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a transfer that waits for a connection, and returns when to check next.
    mutating func add(
        _ transfer: Transfer, _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        waiting.append((transfer, now))
        return due
    }

    /// The transfer that has waited longest, if that is too long.
    mutating func next(_ now: ContinuousClock.Instant, isConnecting: Bool) -> Transfer? {
        due = now + Self.patience
        waiting.removeAll { !$0.transfer.waitsForHandshake }
        guard let oldest = waiting.first else { return nil }
        if oldest.since + Self.patience > now {
            due = oldest.since + Self.patience
            return nil
        }
        guard isConnecting else { return nil }
        return waiting.removeFirst().transfer
    }
}

extension CurlLoop {
    func checkConnects() {
        guard let due = connects.due, due <= .now else { return }
        let now = ContinuousClock.now
        for (socket, transfer) in connects.takeOverdue(now, known: known) {
            guard let pool = known[socket] else { continue }
            if !transfer.isPatient, ccurl_stop_connecting(socket) {
                // libcurl hears of this from the poller, and tries the next address.
                transfer.hasLeftAddress = true
            } else {
                // libcurl 7.88.1 looks at the time only when something happens on a socket.
                _ = ccurl_multi_ready(pool.multi, socket, 0)
            }
        }
        let impatient = connects.takeImpatient(now) { host in
            transfers.values.contains { $0.isConnecting && $0.authority == host }
        }
        for transfer in impatient { openConnection(for: transfer) }
        // After a failed attempt, libcurl 7.88.1 tries the next address only when it runs again.
        if connects.mustGoOn {
            connects.mustGoOn = false
            for pool in pools.all { ccurl_multi_go_on(pool.multi) }
        }
        connects.plan()
        // Transfers may have ended, and the thread is about to sleep.
        finishEnded()
    }

    /// Opens one more connection for the transfers that wait for a handshake.
    private func openConnection(for transfer: Transfer) {
        takeBack(transfer)
        transfer.handle.waitNoLonger()
        add(transfer)
    }
}

extension Transfer {
    /// True while it waits for another transfer's handshake.
    var waitsForHandshake: Bool { isAdded && !hasConnection && handle.mayShare }

    /// Has the transfer repeated if no address has answered in the short time, or if all its time to connect went into
    /// waiting for another transfer's connection.
    ///
    /// Nothing was sent. In the repetition, the addresses have the rest of the time.
    func repeatIfConnectIsUnfinished(_ code: Int32) {
        guard failure == nil else { return }
        if code == ccurl_timed_out.rawValue, !hasConnection {
            isToBeRepeated = true
        } else if code == ccurl_cannot_connect.rawValue, hasLeftAddress, !isPatient {
            let rest = loop.options.connectTimeout - (.now - connectStart)
            guard rest > .zero else { return }
            isPatient = true
            isToBeRepeated = true
            handle.limitConnecting(to: rest)
        }
    }
}
