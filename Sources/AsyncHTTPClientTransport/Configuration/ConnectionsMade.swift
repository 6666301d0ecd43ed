#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import NIOCore

/// What is known of the connections that a client makes, of which AsyncHTTPClient itself says nothing.
///
/// A request went over a connection that was kept, where none was made meanwhile. And a call whose
/// connection is on another event loop than its own goes back and forth between two threads, so that
/// calls that follow one another are made where the last connection is.
final class ConnectionsMade: Sendable {
    private struct State {
        var count = 0
        var callsUnderWay = 0
        var lastLoop: (any EventLoop)?
    }

    private let state = Locked(State())

    /// How many connections were made so far.
    var count: Int { state.withLock { $0.count } }

    /// Begins a call: where it is to be made.
    func enter() -> HTTPClient.EventLoopPreference {
        state.withLock { state in
            state.callsUnderWay += 1
            // Several are for AsyncHTTPClient to spread.
            guard state.callsUnderWay == 1, let loop = state.lastLoop else { return .indifferent }
            return .delegate(on: loop)
        }
    }

    /// Ends a call.
    func leave() { state.withLock { $0.callsUnderWay -= 1 } }

    /// Hears of the connections that a client with this configuration makes.
    func watch(_ configuration: inout HTTPClient.Configuration) {
        let note: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            self.state.withLock {
                $0.count += 1
                $0.lastLoop = channel.eventLoop
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http1_1ConnectionDebugInitializer = note
        configuration.http2ConnectionDebugInitializer = note
    }
}
#endif
