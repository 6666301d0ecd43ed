package import PledgeFutures
import PledgeHTTPMessages
import PledgeServices

/// The connection pools of a transport whose library can't be told which connection to use.
///
/// All hosts share one pool. If a host's connections go silent, its later requests use a new pool. The old pool's
/// requests run on. Since a second of silence precedes each new pool, a host gets at most one a second.
package final class HostPools<Pool: Sendable>: Sendable {
    private struct Host {
        /// The host's own pool; nil if it uses the shared one.
        var pool: Pool?
        let connections: HostConnections
    }

    private struct State {
        /// The pool of each host without a pool of its own; nil once the transport is closed.
        var shared: Pool?
        /// The hosts by scheme and authority.
        var hosts: [String: Host] = [:]
        /// When there are this many hosts, the unused ones are forgotten.
        var limit = 64
    }

    private let make: (@Sendable () -> Pool)?
    private let retire: @Sendable (Pool) -> Void
    private let scheduler: any FutureScheduler
    private let keepAlive: Duration
    private let state: Locked<State>

    /// Creates the pools.
    ///
    /// - Parameters:
    ///   - shared: The pool of all hosts.
    ///   - keepAlive: How long a host is remembered after its last request. By then, a library has closed the host's
    ///     connections.
    ///   - scheduler: The clock.
    ///   - make: Makes a new pool, under a lock; nil if the pool must not be replaced.
    ///   - retire: Called when a pool gets no more requests. It may still have running ones.
    package init(
        _ shared: Pool, keepAlive: Duration, on scheduler: any FutureScheduler,
        making make: (@Sendable () -> Pool)?,
        retiring retire: @escaping @Sendable (Pool) -> Void = { _ in }
    ) {
        state = Locked(State(shared: shared))
        self.make = make
        self.retire = retire
        self.keepAlive = keepAlive
        self.scheduler = scheduler
    }

    /// Returns the pool for a request to a host, and what is known of the host's connections.
    ///
    /// - Parameters:
    ///   - host: The scheme and authority of the URL.
    ///   - begin: Begins to use the pool, under a lock, so that the pool is not retired before that.
    /// - Returns: The pool, and the connections, or nil for them if the pool must not be replaced.
    /// - Throws: `HTTPError` after the end, or the error of `begin`.
    package func beginUse(
        of host: String, _ begin: (Pool) throws -> Void = { _ in }
    ) throws -> (pool: Pool, connections: HostConnections?) {
        let (result, unused) = try state.withLock { state in
            guard let shared = state.shared else { throw HTTPError(code: .transportClosed) }
            guard make != nil else {
                try begin(shared)
                return ((shared, nil as HostConnections?), [Pool]())
            }
            let unused = state.hosts.count < state.limit ? [] : forgetUnused(&state)
            let host = known(host, &state)
            try begin(host.pool ?? shared)
            host.connections.noteUse()
            return ((host.pool ?? shared, host.connections), unused)
        }
        unused.forEach(retire)
        return result
    }

    /// Refuses further requests, and retires all pools.
    package func close() {
        let pools = state.withLock { state in
            defer { state = State() }
            return [state.shared].compactMap { $0 } + state.hosts.values.compactMap(\.pool)
        }
        pools.forEach(retire)
    }

    private func known(_ host: String, _ state: inout State) -> Host {
        if let known = state.hosts[host] { return known }
        let new = Host(pool: nil, connections: connections(to: host))
        state.hosts[host] = new
        return new
    }

    private func connections(
        to host: String, replacing last: HostConnections? = nil
    ) -> HostConnections {
        HostConnections(replacing: last, on: scheduler) { [weak self] in self?.leave(host, $0) }
    }

    private func leave(_ host: String, _ old: HostConnections) {
        let retired = state.withLock { state -> [Pool] in
            guard let make, state.shared != nil, let known = state.hosts[host],
                known.connections === old
            else { return [] }
            state.hosts[host] = Host(
                pool: make(), connections: connections(to: host, replacing: old))
            return forgetUnused(&state) + [known.pool].compactMap { $0 }
        }
        retired.forEach(retire)
    }

    /// Forgets the hosts to which no request has begun for a while, and returns their pools.
    private func forgetUnused(_ state: inout State) -> [Pool] {
        let unused = state.hosts.filter { $0.value.connections.isUnused(for: keepAlive) }
        for host in unused.keys { state.hosts[host] = nil }
        state.limit = max(64, 2 * state.hosts.count)
        return unused.values.compactMap(\.pool)
    }
}
