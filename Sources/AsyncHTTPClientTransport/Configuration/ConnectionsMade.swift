#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import NIOCore

/// What is known of the connections that a client makes, of which AsyncHTTPClient itself says nothing.
///
/// A request went over a connection that was kept, where none was made meanwhile. And a call that is made
/// on another event loop than its connection's goes back and forth between two threads, and wakes the
/// other one each time; so calls are made where the connections are.
final class ConnectionsMade: Sendable {
    private struct State {
        var count = 0
        var callsUnderWay = 0
        /// The event loops of the connections that are open, each as often as it has connections.
        var connected: [any EventLoop] = []
        /// Whose turn it is to take a call, modulo the number of those who take turns.
        var turn: UInt = 0
    }

    private let loops: [any EventLoop]
    private let limit: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - group: Where connections are made.
    ///   - limit: How many connections there may be to one host.
    init(in group: any EventLoopGroup, limit: Int) {
        loops = Array(group.makeIterator())
        self.limit = limit
    }

    /// How many connections were made so far.
    var count: Int { state.withLock { $0.count } }

    /// Begins a call: where it is to be made.
    ///
    /// A connection is made where the call is that needs it. So while there may have to be more of them,
    /// the calls take turns on all event loops, and then on those that have connections.
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
