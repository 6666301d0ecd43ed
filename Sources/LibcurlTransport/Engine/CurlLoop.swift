import CPledgeCurl
import PledgeFutures
import PledgeHTTPNetworking

/// What the I/O thread does, and the state that only it uses: the multi handle and the transfers under way.
final class CurlLoop {
    let engine: CurlEngine
    let options: CurlOptions
    let multi: OpaquePointer
    private let poller: Poller
    private let ready = UnsafeMutableBufferPointer<ccurl_ready>.allocate(capacity: 64)
    private var known: Set<Int32> = []
    /// When libcurl needs its next turn even if no socket is ready; nil for never.
    private var timer: ContinuousClock.Instant?
    private var isDraining = false
    private(set) var isClosed = false
    /// The transfers under way, by their exchange.
    var transfers: [ObjectIdentifier: Transfer] = [:]
    /// Which transfers libcurl has already, and which wait until it may make a connection for them.
    var lanes: TransferLanes
    /// The kept connections on which unrequested bytes may have arrived.
    var kept = KeptConnections()
    /// The transfers for which bytes of a body have arrived in this turn.
    var receivers: [Transfer] = []
    /// The transfers that have begun to wait for a connection in this turn.
    var starters: [Transfer] = []
    /// The results to deliver at the end of this turn.
    var results: [ResultDelivery.Job] = []

    init?(_ engine: CurlEngine, _ poller: Poller, _ options: CurlOptions) {
        self.engine = engine
        self.poller = poller
        self.options = options
        guard let multi = CurlLoop.makeMulti() else { return nil }
        self.multi = multi
        lanes = TransferLanes(limit: options.maxConnectionsPerHost)
        options.limitConnections(of: multi)
    }

    deinit { ready.deallocate() }

    /// Runs until the engine is closed or drained.
    func run() {
        ccurl_multi_set_context(multi, Unmanaged.passUnretained(self).toOpaque())
        var commands: [CurlEngine.Command] = []
        while !isClosed, !(isDraining && transfers.isEmpty) {
            engine.take(into: &commands)
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
            goOnInTime()
            finishTurn()
            wait()
        }
        end()
    }

    private func perform(_ command: CurlEngine.Command) {
        switch command {
        case .start(let exchange, let handle): start(exchange, handle)
        case .end(let exchange, let error): end(exchange, with: error)
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
            limit = milliseconds(until: timer)
        }
        let count = poller.wait(into: ready, limit)
        for event in ready.prefix(count) {
            _ = ccurl_multi_ready(multi, event.descriptor, event.bits)
        }
        goOnInTime()
        finishTurn()
    }

    private func goOnInTime() {
        guard let due = timer, due <= .now else { return }
        timer = nil
        _ = ccurl_multi_time_out(multi)
    }

    /// Delivers what the turn has brought.
    private func finishTurn() {
        finishEnded()
        if !receivers.isEmpty { handOutBodies() }
        if !starters.isEmpty { noteWaiting() }
        guard !results.isEmpty else { return }
        engine.delivery.deliver(&results)
    }

    private func milliseconds(until instant: ContinuousClock.Instant?) -> Int32 {
        guard let instant else { return -1 }
        let (seconds, attoseconds) = (instant - .now).components
        if seconds < 0 { return 0 }
        // Rounded up; otherwise the thread would spin through the last millisecond.
        let rest = attoseconds <= 0 ? 0 : (attoseconds - 1) / 1_000_000_000_000_000 + 1
        return Int32(clamping: seconds * 1_000 + rest)
    }

    private func end() {
        let left = engine.end()
        let exchanges = transfers.values.map(\.exchange)
        for exchange in exchanges { end(exchange, with: exchange.failure(.transportClosed)) }
        for command in left {
            guard case .start(let exchange, let handle) = command else { continue }
            finish(
                Transfer(exchange, handle, self), .failure(exchange.failure(.transportClosed)))
        }
        ccurl_multi_free(multi)
        // Jobs may run in any order; each gives its handle back after it has delivered its result.
        engine.handles.close { [engine] in engine.delivery.deliver { engine.ended.resolve() } }
        engine.delivery.deliver(&results)
    }
}

extension CurlLoop {
    /// Makes the multi handle, whose callbacks call the loop.
    private static func makeMulti() -> OpaquePointer? {
        ccurl_multi_make(
            { _, socket, what, context, _ in
                CurlLoop.at(context).watch(socket, what)
                return 0
            },
            { _, milliseconds, context in
                CurlLoop.at(context).setTimer(milliseconds)
                return 0
            })
    }

    private static func at(_ context: UnsafeMutableRawPointer) -> CurlLoop {
        Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
    }

    private func watch(_ socket: Int32, _ what: Int32) {
        let isGone = what == 4
        let isKnown = isGone ? known.remove(socket) != nil : !known.insert(socket).inserted
        if isGone, !isKnown { return }
        poller.watch(socket, for: isGone ? 0 : what, isKnown: isKnown)
    }

    private func setTimer(_ milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }
}
