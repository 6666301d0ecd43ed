#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import NIOCore

/// How many connections a client has made.
///
/// AsyncHTTPClient does not say whether a request went over a connection that was kept; but it did,
/// where none was made meanwhile.
final class ConnectionCount: Sendable {
    private let number = Locked(0)

    var value: Int { number.withLock { $0 } }

    /// Makes a client count its connections here.
    func count(_ configuration: inout HTTPClient.Configuration) {
        let note: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            self.number.withLock { $0 += 1 }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http1_1ConnectionDebugInitializer = note
        configuration.http2ConnectionDebugInitializer = note
    }
}
#endif
