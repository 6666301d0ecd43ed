import PledgeAdmission
import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Limits a client to a number of connections, as a transport does.
    ///
    /// ```swift
    /// let send = Middleware.connections(8, in: world)(world.fleet.send)
    /// ```
    ///
    /// A call holds a connection until it ends or is cancelled. Further calls wait, and get a connection in the order
    /// in which they came. The host doesn't cause this wait, so timeouts don't count it.
    ///
    /// - Parameters:
    ///   - count: The number of connections. Less than one is a programming error and traps.
    ///   - silence: The time after which a call's connection no longer counts if other calls wait; nil if it counts until
    ///     the call ends. `CurlTransport` learns this time from the host: it's between 50 ms and 1 s. Zero or less is
    ///     a programming error and traps.
    ///   - world: The world that the scenario passes when it creates the client's stack.
    public static func connections(
        _ count: Int, silentAfter silence: Duration? = nil, in world: SimulatedWorld
    ) -> Middleware {
        let places = Bulkhead(
            limit: count, queue: .max, leaseTime: silence, on: world.scheduler)
        return Middleware(named: "connections") { next in
            { input in
                let wait = CallContext.current.record.map {
                    ConnectionWait(of: $0, on: world.scheduler)
                }
                let call = Self.bulkhead(sharing: places)({ input in
                    wait?.endWait()
                    return next(input)
                })
                return call(input).onEnd { _ in wait?.endWait() }
            }
        }
    }
}

/// A call's wait for a connection, which its record counts as a pause.
private final class ConnectionWait: Sendable {
    private let record: CallRecord
    private let hasEnded = Locked(false)

    init(of record: CallRecord, on scheduler: any FutureScheduler) {
        self.record = record
        record.beginPause(.queue, on: scheduler)
    }

    func endWait() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { record.endPause(.queue) }
    }
}
