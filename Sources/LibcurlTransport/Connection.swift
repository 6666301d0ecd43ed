import CPledgeCurl
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// What the transport knows of one of libcurl's connections, to notice that it has gone silent.
///
/// A connection is silent if no byte has come since a request was sent, for one second or three times the time that the
/// connection took to be made, whichever is longer. On Linux, the kernel tells when the last byte came. On other
/// systems, the bytes count that running transfers see, so the late answer to an ended request goes unnoticed.
final class Connection {
    let authority: String
    private let socket: Int32
    private let port: Int32
    private let connectTime: Duration
    /// The time of the last byte that a transfer has seen; nil if the kernel tells the time.
    private var lastByte: ContinuousClock.Instant?
    let evidence = ConnectionEvidence()
    /// True if the connection carries one request at a time, and false if it may carry several; nil while unknown.
    var isHTTP1: Bool?
    /// The number of running requests.
    private var running = 0
    /// The time when the first request since the last byte was sent; nil if there is none.
    private var firstRequest: ContinuousClock.Instant?
    /// The time that requests have waited since then, without the current wait.
    private var waited = Duration.zero
    /// The time when the current wait began.
    private var waitStart = ContinuousClock.now

    init(of transfer: Transfer, _ socket: Int32, _ port: Int32) {
        authority = transfer.authority
        self.socket = socket
        self.port = port
        isHTTP1 = transfer.handle.laneHost == nil ? nil : true
        connectTime = transfer.connectTime
        let isTold = transfer.loop.options.asksKernel && ccurl_milliseconds_since_byte(socket) >= 0
        lastByte = isTold ? nil : .now
    }

    /// True if the connection has one request, and it isn't known whether it may carry more.
    var hasOnlyRequest: Bool { running == 1 && isHTTP1 == nil && isOpen }

    /// True unless the connection has been closed.
    var isOpen: Bool { ccurl_has_local_port(socket, port) }

    /// True if bytes have arrived that libcurl has not read.
    ///
    /// The connection's end doesn't count: libcurl reads it once, and a wait for that would have no end.
    var hasUnreadBytes: Bool { ccurl_has_unread_bytes(socket) }

    /// The time since the last byte came; nil if the kernel no longer tells.
    var sinceLastByte: Duration? {
        if let lastByte { return .now - lastByte }
        let milliseconds = ccurl_milliseconds_since_byte(socket)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }

    /// Notes that a transfer has seen bytes, or that bytes of its body have been sent.
    func noteByte() { if lastByte != nil { lastByte = .now } }

    /// Returns whether a request's wait says anything about the connection.
    ///
    /// If only running transfers see bytes, a request says nothing if it ended before an answer could have come.
    func isTelling(_ wait: Duration) -> Bool { lastByte == nil || wait >= connectTime }

    /// Notes that a request is about to be sent.
    func begin() {
        let now = ContinuousClock.now
        if let first = firstRequest, let time = sinceLastByte, now - time > first {
            firstRequest = nil
        }
        if firstRequest == nil {
            firstRequest = now
            waited = .zero
            waitStart = now
        }
        if running == 0 { waitStart = now }
        running += 1
    }

    /// Notes that a request has ended.
    func endTransfer() {
        running -= 1
        if running == 0 { waited += .now - waitStart }
    }

    /// The time for which the connection has been silent while a request was running; nil if it is not silent.
    var silence: Duration? {
        guard running > 0, isOpen, let time = sinceLastByte else { return nil }
        let silence = min(time, waited + (.now - waitStart))
        return silence >= max(.seconds(1), connectTime * 3) ? silence : nil
    }
}

extension CurlLoop {
    /// Gives a host new connections if a transfer has run into a limit on a connection that is silent.
    ///
    /// The other transfers on that connection go on. A host gets new connections at most once a second.
    ///
    /// - Parameter reason: The reason why the transfer ends.
    func leaveSilentConnection(of transfer: Transfer, endedBy reason: any Error) {
        guard let connection = transfer.connection, let pool = transfer.pool,
            transfer.exchange.isLimit(reason), pools.current(for: transfer) === pool,
            let silence = connection.silence,
            connection.isTelling(transfer.lastSign.duration(to: now))
        else { return }
        // Over HTTP/1.1, a request that hangs says nothing about the other connections if bytes come there.
        if connection.isHTTP1 == true, pool.hasBytes(beside: connection, within: silence) { return }
        if pool.start + .seconds(1) > .now { return }
        guard let fresh = ConnectionPool(options) else { return }
        fresh.loop = self
        options.limitConnections(of: fresh.multi, more: lanes.silentCount)
        pools.replace(for: transfer.authority, by: fresh, forgetting: options.keepAlive)
        let waiting = transfers.values.filter {
            $0.isAdded && !$0.hasConnection && $0 !== transfer
                && $0.authority == transfer.authority
        }
        for other in waiting {
            takeBack(other)
            add(other)
        }
    }
}
