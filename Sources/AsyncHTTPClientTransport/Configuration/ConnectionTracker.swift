#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import NIOCore

/// The connections that a client has made, which AsyncHTTPClient itself does not report.
///
/// If no connection was made during a request, the request was sent on a kept connection. And a call on
/// another event loop than its connection's goes back and forth between two threads, and wakes the other
/// thread each time; so calls are made on the event loops that have connections.
final class ConnectionTracker: Sendable {
    private struct State {
        var count = 0
        var callsUnderWay = 0
        /// The event loops of the open connections, each once for each of its connections.
        var connected: [any EventLoop] = []
        /// The turn of the next call, modulo the number of event loops that take turns.
        var turn: UInt = 0
    }

    private let loops: [any EventLoop]
    private let limit: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - group: The event loops of the connections.
    ///   - limit: The maximum number of connections to one host.
    init(in group: any EventLoopGroup, limit: Int) {
        loops = Array(group.makeIterator())
        self.limit = limit
    }

    /// The number of connections made so far.
    var count: Int { state.withLock { $0.count } }

    /// Begins a call, and returns the event loop for it.
    ///
    /// A connection is made on the event loop of the call that needs it. So while more connections may be
    /// needed, the calls take turns on all event loops; after that, on those that have connections.
    func enter() -> HTTPClient.EventLoopPreference {
        state.withLock { state in
            state.callsUnderWay += 1
            state.turn &+= 1
            let count = state.connected.count
            let isEnough = count > 0 && (state.callsUnderWay <= count || count >= limit)
            let loops = isEnough ? state.connected : loops
            return .delegate(on: loops[Int(state.turn % UInt(loops.count))])
        }
    }

    /// Ends a call.
    func leave() { state.withLock { $0.callsUnderWay -= 1 } }

    /// Observes the connections that a client with this configuration makes.
    func watch(_ configuration: inout HTTPClient.Configuration, decoding: ResponseDecoding) {
        let note: @Sendable (any Channel) -> Void = { channel in
            let loop = channel.eventLoop
            self.state.withLock {
                $0.count += 1
                $0.connected.append(loop)
            }
            channel.closeFuture.whenComplete { _ in self.forget(loop) }
        }
        configuration.http1_1ConnectionDebugInitializer = { channel in
            note(channel)
            return decoding.install(on: channel)
        }
        configuration.http2ConnectionDebugInitializer = { channel in
            note(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    private func forget(_ loop: any EventLoop) {
        state.withLock { state in
            guard let place = state.connected.firstIndex(where: { $0 === loop }) else { return }
            state.connected.remove(at: place)
        }
    }
}
#endif
