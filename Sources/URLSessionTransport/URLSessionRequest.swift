public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
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
    /// It works like `makeNetworking(over: stack(.redirect(), over: transport.send))`, if you create the transport for
    /// this session with ``SessionTransport/init(session:_:on:)``. The limits, redirects, errors and refusals are the
    /// same. If the decoded body has more than 64 MiB, the call fails.
    ///
    /// The request is running when the method returns. Cancelling the future cancels the request, and the future fails
    /// with `CancellationError`. The future settles on the session's delegate queue.
    ///
    /// The future fails with
    /// - `Endpoint.Error` if the endpoint cannot be sent; then nothing is sent;
    /// - `HTTPError` with the status, headers and body if the status is outside 200…299;
    /// - `HTTPError` with a code, and the session's own error as its cause, if the exchange failed;
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
    /// A session's network, which all calls of `request` on the session share.
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
        // These networks' sessions no longer exist. Releasing a network closes its transport, so it happens outside the
        // lock.
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
    /// A network for one call; the session itself keeps connections and cookies.
    static func networking(by session: URLSession) -> Networking {
        SessionTransport(session: session).networking
    }
}
#endif
