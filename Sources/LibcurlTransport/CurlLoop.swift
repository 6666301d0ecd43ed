import CPledgeCurl
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// The work of the I/O thread, and the state that only this thread uses: the connections and the running transfers.
final class CurlLoop {
    let engine: CurlEngine
    let options: CurlOptions
    private let poller: Poller
    private let ready = UnsafeMutableBufferPointer<ccurl_ready>.allocate(capacity: 64)
    /// The pools by the sockets that libcurl waits for.
    private(set) var known: [Int32: ConnectionPool] = [:]
    /// libcurl's connections.
    var pools: ConnectionPools
    /// The time of this turn of the loop.
    private(set) var now: SchedulerInstant
    private var isDraining = false
    private(set) var isClosed = false
    /// The running transfers, by the identity of their exchange.
    var transfers: [ObjectIdentifier: Transfer] = [:]
    /// Decides which transfers libcurl gets, and which wait for a connection.
    var lanes: TransferLanes
    /// The kept connections, where unrequested bytes may arrive.
    var kept = KeptConnections()
    /// The connections that are being made.
    var connects = ConnectWatch()
    /// The hosts that have turned out to speak HTTP/1.1, while libcurl had transfers to them.
    private var hostsWithoutLanes: Set<String> = []
    /// The hosts that have got their first connection in this turn of the loop.
    private var newHosts: Set<String> = []
    /// The hosts whose names are to be looked up again.
    var names = NameMemory()
    /// The transfers that have received bytes of a body in this turn of the loop.
    var receivers: [Transfer] = []
    /// The transfers that have started in this turn of the loop, and may wait for a connection.
    var starters: [Transfer] = []
    /// The results to deliver at the end of this turn of the loop.
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

    /// Runs until the engine is closed or drained.
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

    /// Sleeps until there is something to do, and does it.
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

    /// Delivers the results and the bytes that have arrived in this turn of the loop.
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

    /// The time of the next turn if nothing else happens; nil if there is nothing to do then.
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
        // The time is rounded up. Otherwise the thread would wake up again and again during the last millisecond.
        let rest = attoseconds <= 0 ? 0 : (attoseconds - 1) / 1_000_000_000_000_000 + 1
        return Int32(clamping: seconds * 1_000 + rest)
    }

    private func endAllTransfers() {
        let left = engine.endLoop()
        let exchanges = transfers.values.map(\.exchange)
        for exchange in exchanges { endTransfer(of: exchange, with: exchange.failure(.transportClosed)) }
        for command in left {
            guard case .start(let exchange, let handle) = command else { continue }
            finish(
                Transfer(exchange, handle, self), .failure(exchange.failure(.transportClosed)))
        }
        for pool in pools.all { pool.close() }
        // `ended` must resolve after all results are delivered, but the jobs that deliver them may run in any order.
        // Each job gives its handle back after it has delivered its result, so `ended` resolves when all handles are
        // back.
        engine.handles.close { [engine] in engine.delivery.deliver { engine.ended.resolve() } }
        engine.delivery.deliver(&results)
    }
}

extension CurlLoop {
    /// Waits for a socket of a pool, or stops waiting; libcurl calls it.
    func watch(_ socket: Int32, _ what: Int32, _ pool: ConnectionPool) {
        let isGone = what == 4
        if isGone { connects.forget(socket) }
        let isKnown = known[socket] != nil
        if isGone, !isKnown { return }
        known[socket] = isGone ? nil : pool
        poller.watch(socket, for: isGone ? 0 : what, isKnown: isKnown)
    }

    /// The descriptor of a connection that is new, or that libcurl waits for; nil if none has the local port.
    func socket(onPort port: Int32) -> Int32? {
        if port == 0 { return nil }
        return connects.socket(onPort: port)
            ?? known.keys.first { ccurl_has_local_port($0, port) }
    }
}

extension CurlLoop {
    /// Starts an exchange.
    func start(_ exchange: TransportExchange, _ handle: EasyHandle) {
        let transfer = Transfer(exchange, handle, self)
        transfers[ObjectIdentifier(exchange)] = transfer
        // A body is opened before anything is sent, so that nothing is sent if it cannot be opened.
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

    /// The transfer of an exchange; nil if the exchange has ended.
    func transfer(of exchange: TransportExchange) -> Transfer? {
        transfers[ObjectIdentifier(exchange)]
    }

    /// Gives a transfer to libcurl, at once or as soon as the transfer gets a lane, which is the right to a connection.
    private func enterLane(_ transfer: Transfer) {
        starters.append(transfer)
        transfer.noteSign()
        if lanes.enterLane(transfer, at: now) { add(transfer) }
        admitSilent()
    }

    /// Gives libcurl the transfers that have waited for the lanes of silent ones.
    private func addAfterLooking() {
        let next = lanes.look(at: now)
        admitSilent()
        for transfer in next {
            transfer.noteSign()
            add(transfer)
        }
    }

    /// Notes that a host speaks HTTP/1.1, so that its transfers need lanes.
    ///
    /// libcurl calls it, so the transfers that libcurl already has get their lanes at the end of this turn.
    func noteHTTP1(_ host: String) {
        if lanes.noteHTTP1(host) { hostsWithoutLanes.insert(host) }
    }

    /// Notes that a request is about to be sent on a host's first connection; libcurl calls it.
    func noteFirstConnection(to host: String) {
        if options.waitsForFirstAnswer { newHosts.insert(host) }
    }

    /// Lets one of the transfers that wait to share a host's first connection look for a connection again.
    ///
    /// If the server has chosen HTTP/1.1, that transfer gets a connection of its own, which tells the version. Some
    /// versions of libcurl would let it wait until the first answer has come.
    private func letOneLookAgain(for host: String) {
        let waiting = transfersWithoutLanes(to: host).filter { !$0.hasConnection }
        guard let next = waiting.max(by: { $0.exchange.elapsed < $1.exchange.elapsed }) else {
            return
        }
        takeBack(next)
        add(next)
    }

    /// The transfers that libcurl has, and that could share a connection to a host.
    private func transfersWithoutLanes(to host: String) -> [Transfer] {
        transfers.values.filter {
            $0.isAdded && $0.handle.laneHost == nil && $0.handle.mayShare && $0.authority == host
        }
    }

    /// Notes which version of HTTP a transfer's host has chosen for its answer; libcurl calls it.
    ///
    /// - Parameter version: libcurl's number of the version: 1 and 2 are HTTP/1.0 and 1.1, and 3 is HTTP/2.
    func noteVersion(_ version: Int, of transfer: Transfer) {
        guard transfer.handle.mayShare else { return }
        transfer.connection?.isHTTP1 = version <= 2
        if version <= 2 {
            noteHTTP1(transfer.authority)
        } else {
            // The server may have changed.
            lanes.noteHTTP2(transfer.authority)
        }
    }

    /// Gives lanes to the transfers of a host that has turned out to speak HTTP/1.1.
    ///
    /// Until now, libcurl itself has let those transfers wait that have no connection.
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

    /// Lets libcurl open as many connections more as there are transfers whose lanes others have.
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

    /// Ends an exchange before its response is complete; does nothing if the exchange has ended.
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

    /// Takes a transfer back from libcurl.
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
        // libcurl may have sent more since it last reported its progress.
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

    /// Delivers the bytes of bodies that have arrived in this turn of the loop.
    func handOutBodies() {
        // A transfer that continues to receive appends itself again, so the array may grow while it is walked.
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
        // A transfer that has started and ended in this turn is skipped. Its waiting time would never be stopped,
        // because nothing more happens to it.
        for transfer in starters where transfer.isEntered && !transfer.hasConnection {
            transfer.exchange.waitForConnection { results.append(ResultDelivery.Job($0)) }
            if transfer.waitsForHandshake { connects.add(transfer) }
        }
        starters.removeAll(keepingCapacity: true)
    }
}

/// The connections that are kept for the next call, by local port.
///
/// libcurl takes the first bytes on a kept connection as the answer to the next call, even if they arrived before that
/// call. libcurl reports the descriptor of a connection only after a transfer has ended. But it reports the local port
/// before the next transfer begins, so a connection is found by its port.
struct KeptConnections {
    /// The descriptors by port; all Unix domain sockets have port zero.
    private var sockets: [Int32: [Int32]] = [:]

    /// Remembers the connection of a transfer that has ended.
    mutating func noteConnection(of easy: OpaquePointer) {
        // From HTTP/2 on, calls share a connection, and bytes may rightly arrive at any time. So such a connection
        // isn't remembered.
        guard ccurl_get_long(easy, ccurl_info_http_version) <= 2 else { return }
        let socket = ccurl_socket(easy)
        guard socket >= 0 else { return }
        let port = Int32(truncatingIfNeeded: ccurl_get_long(easy, ccurl_info_local_port))
        if sockets.count >= 4_096 { forgetClosed() }
        if sockets[port]?.contains(socket) == true { return }
        sockets[port, default: []].append(socket)
    }

    /// Returns whether unrequested bytes have arrived on a connection that is about to be reused.
    ///
    /// - Parameter port: The connection's local port. For a Unix domain socket, bytes on any Unix domain socket count,
    ///   because libcurl doesn't tell which one it uses.
    mutating func hasUnsolicitedBytes(_ port: Int32) -> Bool {
        guard let candidates = sockets.removeValue(forKey: port) else { return false }
        if port == 0 { sockets[0] = candidates.filter { ccurl_has_local_port($0, 0) } }
        // Usually nothing has arrived. If there is input, the kept socket may have been closed, and its number may
        // belong to another socket now. So the port is checked too.
        return candidates.contains { ccurl_has_input($0) && ccurl_has_local_port($0, port) }
    }

    private mutating func forgetClosed() {
        sockets = sockets.filter { port, sockets in
            sockets.contains { ccurl_has_local_port($0, port) }
        }
    }
}
