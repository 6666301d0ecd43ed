import CPledgeCurl
import PledgeHTTPMessages

/// One of libcurl's multi handles, with its connections.
final class ConnectionPool {
    let multi: OpaquePointer
    /// The loop to which the pool belongs; nil while it is created.
    unowned var loop: CurlLoop?
    /// The time when libcurl must run again even if no socket is ready; nil for never.
    private(set) var timer: ContinuousClock.Instant?
    /// The number of transfers that libcurl has.
    private(set) var count = 0
    /// The time when the pool was created, or when its last transfer ended.
    private(set) var lastUse = ContinuousClock.now
    let start = ContinuousClock.now
    /// The connections by local port.
    private var connections: [Int32: Connection] = [:]

    /// Creates a pool; nil if there is no memory.
    init?(_ options: CurlOptions) {
        guard let multi = Self.makeMulti() else { return nil }
        self.multi = multi
        ccurl_multi_set_context(multi, Unmanaged.passUnretained(self).toOpaque())
        options.limitConnections(of: multi)
    }

    /// Closes the connections; the pool must not be used any more.
    func close() { ccurl_multi_free(multi) }

    /// Gives a transfer to libcurl; returns false if there is no memory.
    func add(_ easy: OpaquePointer) -> Bool {
        count += 1
        return ccurl_multi_add(multi, easy) == 0
    }

    /// Takes a transfer back from libcurl.
    ///
    /// If libcurl still expects an answer on the connection, this call closes the connection.
    func remove(_ easy: OpaquePointer) {
        count -= 1
        lastUse = .now
        _ = ccurl_multi_remove(multi, easy)
    }

    /// Lets libcurl continue if its time has come.
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
    /// Returns the connection over which a request is about to be sent; nil if its socket isn't known.
    ///
    /// - Parameter localPort: The local port, which identifies the connection.
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

    /// Returns whether bytes have arrived on another connection to the same host within a time.
    func hasBytes(beside connection: Connection, within time: Duration) -> Bool {
        // Some kernels count this time in steps of 10 ms.
        let time = time - .milliseconds(20)
        return connections.values.contains { other in
            other !== connection && other.authority == connection.authority && other.isOpen
                && other.sinceLastByte ?? time < time
        }
    }
}

/// The pools of a transport: one for all hosts, and others for hosts of which a connection has gone silent.
struct ConnectionPools {
    private let shared: ConnectionPool
    /// The pools of single hosts, by scheme, host and port.
    private var own: [String: ConnectionPool] = [:]
    /// The pools that get no further transfers, and are closed after their last one.
    private var draining: [ConnectionPool] = []
    /// All pools.
    private(set) var all: [ConnectionPool]

    init(_ shared: ConnectionPool) {
        self.shared = shared
        all = [shared]
    }

    /// The pool for new transfers to a host.
    func current(for transfer: Transfer) -> ConnectionPool {
        own.isEmpty ? shared : own[transfer.authority] ?? shared
    }

    /// Uses another pool for new transfers to a host from now on.
    ///
    /// Pools that have been idle for `time` are forgotten. After this time, libcurl closes the connections that the
    /// host had in the pool before.
    mutating func replace(for host: String, by pool: ConnectionPool, forgetting time: Duration) {
        let now = ContinuousClock.now
        for (other, pool) in own where pool.count == 0 && pool.lastUse + time < now {
            own[other] = nil
            draining.append(pool)
        }
        if let last = own.updateValue(pool, forKey: host) { draining.append(last) }
        all = [shared] + own.values + draining
    }

    /// Closes the pools that have no transfers left and get no further ones.
    mutating func closeDrained() {
        guard draining.contains(where: { $0.count == 0 }) else { return }
        for pool in draining where pool.count == 0 { pool.close() }
        draining.removeAll { $0.count == 0 }
        all = [shared] + own.values + draining
    }

    /// The time when libcurl must run again.
    var due: ContinuousClock.Instant? {
        all.count == 1 ? shared.timer : all.compactMap(\.timer).min()
    }
}
