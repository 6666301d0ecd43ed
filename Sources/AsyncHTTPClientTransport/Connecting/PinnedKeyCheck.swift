#if AsyncHTTPClient
import AsyncHTTPClient
import PledgeHTTPNetworking
import NIOCore
import NIOSSL

/// Stops requests on a connection to a server that has none of the pinned keys.
struct PinnedKeyCheck: Sendable {
    let keys: [PinnedKey]

    /// Makes a client check each connection, after the handshake and before the first request.
    func install(on configuration: inout HTTPClient.Configuration) {
        if keys.isEmpty { return }
        configuration.http1_1ConnectionDebugInitializer = checking(
            configuration.http1_1ConnectionDebugInitializer)
        configuration.http2ConnectionDebugInitializer = checking(
            configuration.http2ConnectionDebugInitializer)
    }

    private typealias Initializer = @Sendable (any Channel) -> EventLoopFuture<Void>

    private func checking(_ next: Initializer?) -> Initializer {
        { channel in
            guard hasPinnedKey(channel) else {
                let loop = channel.eventLoop
                // AsyncHTTPClient drops the connection without closing it.
                loop.execute { channel.close(promise: nil) }
                return loop.makeFailedFuture(PinnedKeyMismatch())
            }
            return next?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    private func hasPinnedKey(_ channel: any Channel) -> Bool {
        let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        guard let key = try? handler?.peerCertificate?.extractPublicKey().toSPKIBytes() else {
            return false
        }
        return keys.contains { $0.matches(key) }
    }
}

/// A server has none of the pinned keys.
struct PinnedKeyMismatch: Error, CustomStringConvertible {
    var description: String { "the server has none of the pinned keys" }
}
#endif
