public import PledgeFutures
public import PledgeHTTPNetworking
import PledgeServices

#if canImport(FoundationNetworking)
import Foundation
@_exported public import FoundationNetworking
#else
public import Foundation
#endif

extension URLSession {
    /// Sends an endpoint, and returns a future of the response's body.
    ///
    /// ```swift
    /// let networking: Networking = URLSession.shared.request
    /// ```
    ///
    /// It is `makeNetworking(over:)` on a ``SessionTransport/init(session:_:on:)`` of this session, beneath
    /// `.redirect()`: the limits, redirects, errors and refusals are the same as there. A body of more than
    /// 64 MiB, decoded, fails.
    ///
    /// The request is under way when the method returns. Cancelling the future cancels the request; the
    /// future then rejects with `CancellationError`. The future settles on the session's delegate queue.
    ///
    /// It rejects with
    /// - an `Endpoint.Error` if the endpoint cannot be sent; nothing is sent;
    /// - an `HTTPError` with status, headers and body if the status is outside 200…299;
    /// - an `HTTPError` with a code, and the session's own error as its cause, if the exchange failed;
    /// - `CancellationError` if the session cancelled the task.
    ///
    /// - Parameter endpoint: The endpoint.
    /// - Returns: A future of the body, which is empty if the response has none.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        SessionTransport.networking(by: self)(endpoint)
    }
}

extension SessionTransport {
    /// The network behind `URLSession.request`.
    private var networking: Networking {
        makeNetworking(over: stack(.redirect(), over: send))
    }
}

#if canImport(FoundationNetworking)
extension SessionTransport {
    /// The network that all calls of `request` on one session share; its transport has their connections.
    static func networking(by session: URLSession) -> Networking {
        let (networking, orphans) = networks.withLock { networks in
            // A new session may have the address of a released one.
            if let known = networks[ObjectIdentifier(session)], known.session === session {
                return (known.networking, [SharedNetworking]())
            }
            let orphans = networks.filter { $0.value.session == nil }
            for key in orphans.keys { networks[key] = nil }
            let made = SharedNetworking(
                session: session, networking: SessionTransport(over: session).networking)
            networks[ObjectIdentifier(session)] = made
            return (made.networking, Array(orphans.values))
        }
        // The transports of the orphans close themselves when they are released, which is outside the lock.
        _ = orphans
        return networking
    }

    private struct SharedNetworking {
        weak var session: URLSession?
        let networking: Networking
    }

    private static let networks = Locked([ObjectIdentifier: SharedNetworking]())
}
#else
extension SessionTransport {
    /// A network for one call: the session itself keeps everything that is kept.
    static func networking(by session: URLSession) -> Networking {
        SessionTransport(session: session).networking
    }
}
#endif
