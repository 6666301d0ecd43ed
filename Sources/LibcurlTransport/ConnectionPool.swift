import CPledgeCurl
import PledgeHTTPMessages

/// One of libcurl's multi handles, with its connections.
final class ConnectionPool {
    let multi: OpaquePointer
    /// Nil only while the pool is created.
    unowned var loop: CurlLoop?
    /// When libcurl must run again even if no socket is ready; nil for never.
    private(set) var timer: ContinuousClock.Instant?
    /// How many transfers libcurl has.
    private(set) var count = 0
    /// When the last transfer ended, or else when the pool was created.
    private(set) var lastUse = ContinuousClock.now
    let start = ContinuousClock.now
    private var connections: [Int32: Connection] = [:]

    /// Returns nil if there is no memory.
    init?(_ options: CurlOptions) {
        guard let multi = Self.makeMulti() else { return nil }
        self.multi = multi
        ccurl_multi_set_context(multi, Unmanaged.passUnretained(self).toOpaque())
        options.limitConnections(of: multi)
    }

    /// Closes the connections; the pool can't be used afterwards.
    func close() { ccurl_multi_free(multi) }

    /// Returns false if there is no memory.
    func add(_ easy: OpaquePointer) -> Bool {
        count += 1
        return ccurl_multi_add(multi, easy) == 0
    }

    /// Takes a transfer back from libcurl.
    ///
    /// If libcurl still expects an answer on the connection, this closes the connection.
    func remove(_ easy: OpaquePointer) {
        count -= 1
        lastUse = .now
        _ = ccurl_multi_remove(multi, easy)
    }

    /// Runs libcurl if its timer has passed.
    func goOnInTime() {
        guard let due = timer, due <= .now else { return }
        timer = nil
        _ = ccurl_multi_time_out(multi)
    }

    private static func makeMulti() -> OpaquePointer? {
        ccurl_multi_make(
            { _, socket, what, context, _ in
                let pool = ConnectionPool.at(context)
                pool.loop?.watch(socket, what, pool)
                return 0
            },
            { _, milliseconds, context in
                let now = ContinuousClock.now
                ConnectionPool.at(context).timer =
                    milliseconds < 0 ? nil : now + .milliseconds(milliseconds)
                return 0
            })
    }

    private static func at(_ context: UnsafeMutableRawPointer) -> ConnectionPool {
        Unmanaged<ConnectionPool>.fromOpaque(context).takeUnretainedValue()
    }
}

extension ConnectionPool {
    /// The connection on which a request is about to be sent; nil if its socket isn't known.
    ///
    /// - Parameter localPort: Identifies the connection.
    func connection(of transfer: Transfer, from localPort: Int32) -> Connection? {
        if let known = connections[localPort], known.authority == transfer.authority,
            known.isOpen
        {
            return known
        }
        if connections.count >= 4_096 { connections = connections.filter { $0.value.isOpen } }
        guard let socket = loop?.socket(onPort: localPort) else {
            connections[localPort] = nil
            return nil
        }
        let new = Connection(of: transfer, socket, localPort)
        if new.isHTTP1 == nil {
            let isSecond = connections.values.contains {
                $0.authority == new.authority && $0.hasOnlyRequest
            }
            if isSecond {
                // Over HTTP/2, libcurl would have sent this request on the other connection.
                loop?.noteHTTP1(new.authority)
            } else {
                loop?.noteFirstConnection(to: new.authority)
            }
        }
        connections[localPort] = new
        return new
    }

    /// Returns whether, within this time, bytes have arrived on another connection to the same host.
    func hasBytes(beside connection: Connection, within time: Duration) -> Bool {
        // Some kernels count this time in steps of 10 ms.
        let time = time - .milliseconds(20)
        return connections.values.contains { other in
            other !== connection && other.authority == connection.authority && other.isOpen
                && other.sinceLastByte ?? time < time
        }
    }
}

/// A transport's pools: one for all hosts, and one for each host with a connection that has gone silent.
struct ConnectionPools {
    private let shared: ConnectionPool
    /// By scheme, host and port.
    private var own: [String: ConnectionPool] = [:]
    /// Pools that get no more transfers, and are closed after their last one.
    private var draining: [ConnectionPool] = []
    private(set) var all: [ConnectionPool]

    init(_ shared: ConnectionPool) {
        self.shared = shared
        all = [shared]
    }

    func current(for transfer: Transfer) -> ConnectionPool {
        own.isEmpty ? shared : own[transfer.authority] ?? shared
    }

    /// Uses another pool for a host's new transfers from now on.
    ///
    /// Pools that were idle for `time` are forgotten. By then, libcurl has closed the connections that the host had in
    /// the common pool.
    mutating func replace(for host: String, by pool: ConnectionPool, forgetting time: Duration) {
        let now = ContinuousClock.now
        for (other, pool) in own where pool.count == 0 && pool.lastUse + time < now {
            own[other] = nil
            draining.append(pool)
        }
        if let last = own.updateValue(pool, forKey: host) { draining.append(last) }
        all = [shared] + own.values + draining
    }

    /// Closes the pools that get no more transfers and have none left.
    mutating func closeDrained() {
        guard draining.contains(where: { $0.count == 0 }) else { return }
        for pool in draining where pool.count == 0 { pool.close() }
        draining.removeAll { $0.count == 0 }
        all = [shared] + own.values + draining
    }

    /// When libcurl must run again.
    var due: ContinuousClock.Instant? {
        all.count == 1 ? shared.timer : all.compactMap(\.timer).min()
    }
}
