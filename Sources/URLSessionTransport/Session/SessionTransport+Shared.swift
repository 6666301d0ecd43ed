import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

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
