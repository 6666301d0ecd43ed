import CPledgeCurl
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

/// The work of the I/O thread, and the state that only this thread uses.
final class CurlLoop {
    let engine: CurlEngine
    let options: CurlOptions
    private let poller: Poller
    private let ready = UnsafeMutableBufferPointer<ccurl_ready>.allocate(capacity: 64)
    /// For each socket that libcurl waits for, its pool.
    private(set) var known: [Int32: ConnectionPool] = [:]
    var pools: ConnectionPools
    /// When this turn of the loop began.
    private(set) var now: SchedulerInstant
    private var isDraining = false
    private(set) var isClosed = false
    /// The running transfers, by their exchanges.
    var transfers: [ObjectIdentifier: Transfer] = [:]
    /// Decides which transfers libcurl gets, and which wait for a connection.
    var lanes: TransferLanes
    /// Connections that wait for the next call, on which no bytes should arrive.
    var kept = KeptConnections()
    var connects = ConnectWatch()
    /// Hosts that have turned out to speak HTTP/1.1 while libcurl had transfers to them.
    private var hostsWithoutLanes: Set<String> = []
    /// Hosts that have got their first connection in this turn.
    private var newHosts: Set<String> = []
    /// Hosts whose names are to be looked up again.
    var names = NameMemory()
    /// Transfers that have received bytes of a body in this turn.
    var receivers: [Transfer] = []
    /// Transfers that have started in this turn, and may wait for a connection.
    var starters: [Transfer] = []
    /// Results to deliver at the end of this turn.
    var results: [ResultDelivery.Job] = []

    init?(_ engine: CurlEngine, _ poller: Poller, _ options: CurlOptions) {
        self.engine = engine
        self.poller = poller
        self.options = options
        guard let pool = ConnectionPool(options) else { return nil }
        pools = ConnectionPools(pool)
        now = options.scheduler.now
        lanes = TransferLanes(limit: options.maxConnectionsPerHost, silent: options.maxSilent)
        pool.loop = self
    }

    deinit { ready.deallocate() }

    func run() {
        var commands: [CurlEngine.Command] = []
        while !isClosed, !(isDraining && transfers.isEmpty) {
            engine.takeCommands(into: &commands)
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
            goOnInTime()
            finishTurn()
            wait()
        }
        endAllTransfers()
    }

    private func perform(_ command: CurlEngine.Command) {
        switch command {
        case .start(let exchange, let handle): start(exchange, handle)
        case .end(let exchange, let error): endTransfer(of: exchange, with: error)
        case .receive(let exchange): transfer(of: exchange)?.goOnReceiving()
        case .send(let exchange): transfer(of: exchange).map(resumeSending)
        case .drain: isDraining = true
        case .close: isClosed = true
        }
    }

    private func wait() {
        if isClosed { return }
        var limit: Int32 = 0
        if engine.maySleep() {
            if isDraining, transfers.isEmpty { return }
            limit = milliseconds(until: nextTurn)
        }
        let count = poller.wait(into: ready, limit)
        now = options.scheduler.now
        for event in ready.prefix(count) {
            guard let pool = known[event.descriptor] else { continue }
            _ = ccurl_multi_ready(pool.multi, event.descriptor, event.bits)
        }
        goOnInTime()
        finishTurn()
    }

    private func goOnInTime() {
        if let look = lanes.nextLook, look <= now { addAfterLooking() }
        for pool in pools.all { pool.goOnInTime() }
    }

    /// Delivers the results and bytes of this turn.
    private func finishTurn() {
        finishEnded()
        while let host = newHosts.popFirst() { letOneLookAgain(for: host) }
        while let host = hostsWithoutLanes.popFirst() { giveLanes(of: host) }
        checkConnects()
        pools.closeDrained()
        if !receivers.isEmpty { handOutBodies() }
        if !starters.isEmpty { noteWaiting() }
        guard !results.isEmpty else { return }
        engine.delivery.deliver(&results)
    }

    /// When the next turn begins if nothing happens; nil for never.
    private var nextTurn: ContinuousClock.Instant? {
        var next = pools.due
        if let due = connects.due { next = next.map { min($0, due) } ?? due }
        if lanes.nextLook != nil {
            let look = ContinuousClock.now + TransferLanes.pause
            next = next.map { min($0, look) } ?? look
        }
        return next
    }

    private func milliseconds(until instant: ContinuousClock.Instant?) -> Int32 {
        guard let instant else { return -1 }
        let (seconds, attoseconds) = (instant - .now).components
        if seconds < 0 { return 0 }
        // Rounded up: otherwise the thread would wake again and again within the last millisecond.
        let rest = attoseconds <= 0 ? 0 : (attoseconds - 1) / 1_000_000_000_000_000 + 1
        return Int32(clamping: seconds * 1_000 + rest)
    }

    private func endAllTransfers() {
        let left = engine.endLoop()
        let exchanges = transfers.values.map(\.exchange)
        for exchange in exchanges {
            endTransfer(of: exchange, with: exchange.failure(.transportClosed))
        }
        for command in left {
            guard case .start(let exchange, let handle) = command else { continue }
            finish(
                Transfer(exchange, handle, self), .failure(exchange.failure(.transportClosed)))
        }
        for pool in pools.all { pool.close() }
        // `ended` must resolve after all results are delivered, in whatever order their jobs run. Each job returns its
        // handle after delivering, so it's enough to wait for all handles.
        engine.handles.close { [engine] in engine.delivery.deliver { engine.ended.resolve() } }
        engine.delivery.deliver(&results)
    }
}

extension CurlLoop {
    /// Waits for a socket, or stops waiting; called by libcurl.
    func watch(_ socket: Int32, _ what: Int32, _ pool: ConnectionPool) {
        let isGone = what == 4
        if isGone { connects.forget(socket) }
        let isKnown = known[socket] != nil
        if isGone, !isKnown { return }
        known[socket] = isGone ? nil : pool
        poller.watch(socket, for: isGone ? 0 : what, isKnown: isKnown)
    }

    /// The descriptor of a connection that is new, or that libcurl waits for.
    func socket(onPort port: Int32) -> Int32? {
        if port == 0 { return nil }
        return connects.socket(onPort: port)
            ?? known.keys.first { ccurl_has_local_port($0, port) }
    }
}

extension CurlLoop {
    func start(_ exchange: TransportExchange, _ handle: EasyHandle) {
        let transfer = Transfer(exchange, handle, self)
        transfers[ObjectIdentifier(exchange)] = transfer
        // The body is opened first, so that nothing is sent if that fails.
        if handle.readsBody { transfer.openUpload() } else { enterLane(transfer) }
    }

    /// Continues a request whose body has been opened, or has more bytes.
    func resumeSending(_ transfer: Transfer) {
        if transfer.isAdded { return transfer.handle.resume() }
        if let error = transfer.upload?.failure {
            endTransfer(of: transfer.exchange, with: transfer.exchange.unreadable(error))
        } else if !transfer.isEntered {
            enterLane(transfer)
        }
    }

    /// Nil if the exchange has ended.
    func transfer(of exchange: TransportExchange) -> Transfer? {
        transfers[ObjectIdentifier(exchange)]
    }

    /// Gives a transfer to libcurl once it has a lane: the right to a connection.
    private func enterLane(_ transfer: Transfer) {
        starters.append(transfer)
        transfer.noteSign()
        if lanes.enterLane(transfer, at: now) { add(transfer) }
        admitSilent()
    }

    /// Gives libcurl the transfers that have got the lanes of silent ones.
    private func addAfterLooking() {
        let next = lanes.look(at: now)
        admitSilent()
        for transfer in next {
            transfer.noteSign()
            add(transfer)
        }
    }

    /// Records that a host speaks HTTP/1.1, so that its transfers need lanes.
    ///
    /// Called by libcurl, so the transfers that libcurl already has get their lanes at the end of this turn.
    func noteHTTP1(_ host: String) {
        if lanes.noteHTTP1(host) { hostsWithoutLanes.insert(host) }
    }

    /// Records that a host's first connection is about to be used; called by libcurl.
    func noteFirstConnection(to host: String) {
        if options.waitsForFirstAnswer { newHosts.insert(host) }
    }

    /// Lets one of the transfers that wait to share a host's first connection look for one again.
    ///
    /// If the server has chosen HTTP/1.1, that transfer gets its own connection, which shows the version. Some versions
    /// of libcurl would make it wait for the first answer.
    private func letOneLookAgain(for host: String) {
        let waiting = transfersWithoutLanes(to: host).filter { !$0.hasConnection }
        guard let next = waiting.max(by: { $0.exchange.elapsed < $1.exchange.elapsed }) else {
            return
        }
        takeBack(next)
        add(next)
    }

    /// The transfers that libcurl has, and that could share a connection to the host.
    private func transfersWithoutLanes(to host: String) -> [Transfer] {
        transfers.values.filter {
            $0.isAdded && $0.handle.laneHost == nil && $0.handle.mayShare && $0.authority == host
        }
    }

    /// Records the HTTP version of an answer; called by libcurl.
    ///
    /// - Parameter version: 1 for HTTP/1.0, 2 for HTTP/1.1, 3 for HTTP/2.
    func noteVersion(_ version: Int, of transfer: Transfer) {
        guard transfer.handle.mayShare else { return }
        transfer.connection?.isHTTP1 = version <= 2
        if version <= 2 {
            noteHTTP1(transfer.authority)
        } else {
            // The host spoke HTTP/1.1 before; the server may have changed.
            lanes.noteHTTP2(transfer.authority)
        }
    }

    /// Gives lanes to the transfers of a host that has turned out to speak HTTP/1.1.
    ///
    /// So far, libcurl has made those wait that have no connection.
    private func giveLanes(of host: String) {
        let shared = transfersWithoutLanes(to: host)
        for transfer in shared where transfer.hasConnection { lanes.admit(transfer) }
        let waiting = shared.filter { !$0.hasConnection }
        for transfer in waiting.sorted(by: { $0.exchange.elapsed > $1.exchange.elapsed }) {
            takeBack(transfer)
            if lanes.enterLane(transfer, at: now) { add(transfer) }
        }
        admitSilent()
    }

    /// Lets libcurl open one more connection for each silent transfer whose lane another has got.
    private func admitSilent() {
        guard lanes.hasNewSilence else { return }
        lanes.hasNewSilence = false
        for pool in pools.all {
            options.limitConnections(of: pool.multi, more: lanes.silentCount)
        }
    }

    func add(_ transfer: Transfer) {
        transfer.isAdded = true
        names.renew(for: transfer)
        let pool = pools.current(for: transfer)
        transfer.pool = pool
        guard pool.add(transfer.handle.easy) else {
            let exchange = transfer.exchange
            return endTransfer(
                of: exchange, with: exchange.failure(.other, reason: "there is no memory"))
        }
    }

    /// Ends an exchange early; does nothing if it has ended.
    func endTransfer(of exchange: TransportExchange, with error: any Error) {
        guard let transfer = transfer(of: exchange) else { return }
        if transfer.isConnecting { names.noteFailure(of: transfer) }
        leaveSilentConnection(of: transfer, endedBy: error)
        remove(transfer)
        finish(transfer, .failure(error))
    }

    /// Processes the transfers that have ended in libcurl.
    func finishEnded() {
        for pool in pools.all { finishEnded(in: pool) }
    }

    private func finishEnded(in pool: ConnectionPool) {
        var code: Int32 = 0
        while let easy = ccurl_multi_next_ended(pool.multi, &code) {
            let transfer = Transfer.at(ccurl_context(easy))
            transfer.repeatIfConnectionWasLost(code)
            transfer.repeatIfConnectIsUnfinished(code)
            if transfer.isConnecting { names.noteFailure(of: transfer) }
            let result = transfer.result(code)
            kept.noteConnection(of: easy)
            if transfer.isToBeRepeated {
                takeBack(transfer)
                transfer.restart()
                add(transfer)
            } else {
                remove(transfer)
                finish(transfer, result)
            }
        }
    }

    private func remove(_ transfer: Transfer) {
        transfers[ObjectIdentifier(transfer.exchange)] = nil
        guard transfer.isEntered else { return }
        takeBack(transfer)
        guard let next = lanes.leave(transfer), !isClosed else { return }
        next.noteSign()
        add(next)
    }

    func takeBack(_ transfer: Transfer) {
        guard transfer.isAdded else { return }
        transfer.isAdded = false
        transfer.connection.take()?.endTransfer()
        transfer.pool.take()?.remove(transfer.handle.easy)
    }

    func finish(_ transfer: Transfer, _ result: Result<Void, any Error>) {
        transfer.upload?.cancel()
        flush(transfer)
        let handle = transfer.handle
        // libcurl may have sent more since it last reported progress.
        transfer.exchange.request.context.noteSentBytes?(
            ccurl_get_offset(handle.easy, ccurl_info_upload_size))
        let deliver: TransportExchange.Delivery = { [self] job in
            let handles = engine.handles
            results.append(
                ResultDelivery.Job {
                    job()
                    handles.giveBack(handle)
                })
        }
        switch result {
        case .success: transfer.exchange.finish(delivering: deliver)
        case .failure(let error): transfer.exchange.fail(with: error, delivering: deliver)
        }
    }

    /// Delivers the body bytes of this turn.
    func handOutBodies() {
        // By index, because a transfer that continues to receive appends itself again.
        var index = 0
        while index < receivers.count {
            let transfer = receivers[index]
            flush(transfer)
            transfer.endReceiving()
            index += 1
        }
        receivers.removeAll(keepingCapacity: true)
    }

    private func flush(_ transfer: Transfer) {
        let bytes = transfer.takeUnread()
        if bytes.isEmpty { return }
        let exchange = transfer.exchange
        transfer.isFull = !exchange.pass(bytes) { [engine] in engine.submit(.receive(exchange)) }
    }

    /// Starts the waiting time of exchanges that have no connection yet.
    func noteWaiting() {
        // One that has already ended is skipped: nothing would stop its waiting time.
        for transfer in starters where transfer.isEntered && !transfer.hasConnection {
            transfer.exchange.waitForConnection { results.append(ResultDelivery.Job($0)) }
            if transfer.waitsForHandshake { connects.add(transfer) }
        }
        starters.removeAll(keepingCapacity: true)
    }
}

/// The connections that wait for the next call, by local port.
///
/// libcurl takes the first bytes on such a connection for the next call's answer, even if they arrived earlier. It
/// tells a connection's descriptor only after a transfer has ended, but the port before the next one begins. So
/// connections are found by port.
struct KeptConnections {
    /// The descriptors by port; all Unix domain sockets have port zero.
    private var sockets: [Int32: [Int32]] = [:]

    /// Remembers an ended transfer's connection.
    mutating func noteConnection(of easy: OpaquePointer) {
        // Over HTTP/2, calls share the connection, so bytes may arrive at any time.
        guard ccurl_get_long(easy, ccurl_info_http_version) <= 2 else { return }
        let socket = ccurl_socket(easy)
        guard socket >= 0 else { return }
        let port = Int32(truncatingIfNeeded: ccurl_get_long(easy, ccurl_info_local_port))
        if sockets.count >= 4_096 { forgetClosed() }
        if sockets[port]?.contains(socket) == true { return }
        sockets[port, default: []].append(socket)
    }

    /// Returns whether bytes that nobody requested have arrived on a connection that is about to be reused.
    ///
    /// - Parameter port: The local port. For a Unix domain socket, bytes on any of them count, because libcurl doesn't
    ///   tell which one it uses.
    mutating func hasUnsolicitedBytes(_ port: Int32) -> Bool {
        guard let candidates = sockets.removeValue(forKey: port) else { return false }
        if port == 0 { sockets[0] = candidates.filter { ccurl_has_local_port($0, 0) } }
        // A socket with input may have been closed, and its number given to another. So the port is checked too.
        return candidates.contains { ccurl_has_input($0) && ccurl_has_local_port($0, port) }
    }

    private mutating func forgetClosed() {
        sockets = sockets.filter { port, sockets in
            sockets.contains { ccurl_has_local_port($0, port) }
        }
    }
}
