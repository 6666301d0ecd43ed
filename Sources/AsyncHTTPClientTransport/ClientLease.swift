#if AsyncHTTPClient
import AsyncHTTPClient
import Futures

/// A client, kept by a transport and by each call that is under way.
///
/// When the last of them lets go of it, a client of the transport's own is shut down: AsyncHTTPClient
/// traps where one is released that was not.
final class ClientLease: Sendable {
    let client: HTTPClient
    private let isOwned: Bool
    /// Nil where the client is the app's.
    let connections: ConnectionsMade?
    private let idleTimeout: Duration?
    private let scheduler: any Scheduler
    private let ended: Promise<Void>
    private let wasCancelled = Locked(false)

    /// A client of the transport's own.
    init(
        _ configuration: AHCTransport.Configuration, _ scheduler: any Scheduler,
        ended: Promise<Void>
    ) {
        let connections = ConnectionsMade()
        client = configuration.client(noting: connections)
        isOwned = true
        self.connections = connections
        idleTimeout = configuration.idleTimeout
        self.scheduler = scheduler
        self.ended = ended
    }

    /// A client of the app's.
    init(_ client: HTTPClient, ended: Promise<Void>) {
        self.client = client
        isOwned = false
        connections = nil
        idleTimeout = nil
        scheduler = LiveScheduler.shared
        self.ended = ended
    }

    deinit { shutDown() }

    /// What watches a call, where there is a limit of our own.
    func watch() -> IdleWatch? { idleTimeout.map { IdleWatch($0, on: scheduler) } }

    /// Ends all calls that are under way, where the client is the transport's own.
    func cancel() {
        guard isOwned else { return }
        wasCancelled.withLock { $0 = true }
        shutDown()
    }

    /// Whether calls have been ended by ``cancel()``.
    var isCancelled: Bool { wasCancelled.withLock { $0 } }

    /// Harmless twice: the second time fails, and that is all.
    private func shutDown() {
        guard isOwned else {
            ended.resolve()
            return
        }
        client.shutdown { [ended] error in
            if error == nil { ended.resolve() }
        }
    }
}
#endif
