import Futures
import HTTPNetworking
import Services

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTransport {
    /// The network that `URLSession.request` is.
    private var networking: Networking {
        makeNetworking(over: stack(.redirect(), over: send))
    }
}

#if canImport(FoundationNetworking)
extension SessionTransport {
    /// The network of all who send endpoints by a session; its transport has their connections.
    static func networking(by session: URLSession) -> Networking {
        let (networking, orphans) = networks.withLock { networks in
            // An address may be used again, by a session that is another one.
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
        // Their transports close themselves when they are released, which is after the lock.
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
    /// A network for one call: what is kept, the session keeps.
    static func networking(by session: URLSession) -> Networking {
        SessionTransport(session: session).networking
    }
}
#endif
