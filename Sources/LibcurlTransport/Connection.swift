import CPledgeCurl
import PledgeFutures
import PledgeHTTPTransportKit
import PledgeServices

/// What the transport knows of one of libcurl's connections, to notice when it goes silent.
///
/// A connection is silent if no byte has arrived since a request was sent, for one second or three times as long as
/// connecting took, whichever is longer. On Linux, the kernel says when the last byte arrived. Elsewhere, the bytes
/// that running transfers see count, so a late answer to an ended request goes unnoticed.
final class Connection {
    let authority: String
    private let socket: Int32
    private let port: Int32
    private let connectTime: Duration
    /// When a transfer last saw a byte; nil if the kernel can tell.
    private var lastByte: ContinuousClock.Instant?
    let evidence = ConnectionEvidence()
    /// True if it carries one request at a time, false if it may carry several; nil while unknown.
    var isHTTP1: Bool?
    /// The number of running requests.
    private var running = 0
    /// When the first request since the last byte was sent.
    private var firstRequest: ContinuousClock.Instant?
    /// How long requests have waited since then, without the current wait.
    private var waited = Duration.zero
    /// When the current wait began.
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

    /// True if it has one request, and may turn out to carry more.
    var hasOnlyRequest: Bool { running == 1 && isHTTP1 == nil && isOpen }

    var isOpen: Bool { ccurl_has_local_port(socket, port) }

    /// True if bytes have arrived that libcurl hasn't read.
    ///
    /// The end of the connection doesn't count: libcurl reads it only once, so waiting for that would never end.
    var hasUnreadBytes: Bool { ccurl_has_unread_bytes(socket) }

    /// Nil if the kernel no longer tells.
    var sinceLastByte: Duration? {
        if let lastByte { return .now - lastByte }
        let milliseconds = ccurl_milliseconds_since_byte(socket)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }

    /// Called when a transfer has seen bytes, or bytes of its body have been sent.
    func noteByte() { if lastByte != nil { lastByte = .now } }

    /// Returns whether a request's wait says anything about the connection.
    ///
    /// If only running transfers see bytes, a request that ended before an answer could arrive says nothing.
    func isTelling(_ wait: Duration) -> Bool { lastByte == nil || wait >= connectTime }

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

    func endTransfer() {
        running -= 1
        if running == 0 { waited += .now - waitStart }
    }

    /// How long the connection has been silent while a request was running; nil if it isn't silent.
    var silence: Duration? {
        guard running > 0, isOpen, let time = sinceLastByte else { return nil }
        let silence = min(time, waited + (.now - waitStart))
        return silence >= max(.seconds(1), connectTime * 3) ? silence : nil
    }
}

extension CurlLoop {
    /// Gives a host new connections if a transfer has run into a limit on a silent connection, at most once a second.
    ///
    /// Other transfers on that connection go on.
    ///
    /// - Parameter reason: Why the transfer ends.
    func leaveSilentConnection(of transfer: Transfer, endedBy reason: any Error) {
        guard let connection = transfer.connection, let pool = transfer.pool,
            transfer.exchange.isLimit(reason), pools.current(for: transfer) === pool,
            let silence = connection.silence,
            connection.isTelling(transfer.lastSign.duration(to: now))
        else { return }
        // Over HTTP/1.1, if bytes arrive on other connections to the host, only this request hangs.
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
