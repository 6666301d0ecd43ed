import Futures

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

#if canImport(FoundationNetworking)
extension SessionTransport {
    /// The transport of all who send endpoints by a session; there its connections are.
    static func shared(by session: URLSession) -> SessionTransport {
        let (transport, orphans) = transports.withLock { transports in
            // An address may be used again, by a session that is another one.
            if let known = transports[ObjectIdentifier(session)], known.session === session {
                return (known.transport, [SharedTransport]())
            }
            let orphans = transports.filter { $0.value.session == nil }
            for key in orphans.keys { transports[key] = nil }
            let made = SharedTransport(
                session: session, transport: SessionTransport(over: session))
            transports[ObjectIdentifier(session)] = made
            return (made.transport, Array(orphans.values))
        }
        // They close themselves when they are released, which is after the lock.
        _ = orphans
        return transport
    }

    private struct SharedTransport {
        weak var session: URLSession?
        let transport: SessionTransport
    }

    private static let transports = Locked([ObjectIdentifier: SharedTransport]())
}
#else
extension SessionTransport {
    /// A transport for one call: what is kept, the session keeps.
    static func shared(by session: URLSession) -> SessionTransport {
        SessionTransport(session: session)
    }
}
#endif
