#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PledgeFutures

/// Tracks a client's connections, which AsyncHTTPClient doesn't report.
///
/// If none was made during a request, the request used a kept one.
///
/// A call on another event loop than its connection changes threads at each step, so calls begin on event loops with
/// connections.
///
/// Until a host has answered over HTTP/1.1, all its calls begin on the same event loop. An HTTP/2 connection is then on
/// that event loop too, so AsyncHTTPClient sends a short request in one piece, and doesn't lose the end of an upload
/// between two threads.
final class ConnectionTracker: Sendable {
    private struct State {
        var count = 0
        var callsUnderWay = 0
        /// The event loop of each open connection.
        var connected: [any EventLoop] = []
        /// Chooses the next call's event loop: this count, modulo the number of event loops that take turns.
        var turn: UInt = 0
        /// Hosts whose last answer used HTTP/1.1, as scheme and authority.
        var hostsOfHTTP1: Set<String> = []
    }

    private let loops: [any EventLoop]
    private let limit: Int
    private let state = Locked(State())

    /// `group` has the event loops of the connections, and `limit` is the most connections to one host.
    init(in group: any EventLoopGroup, limit: Int) {
        loops = Array(group.makeIterator())
        self.limit = limit
    }

    /// How many connections have been made.
    var count: Int { state.withLock { $0.count } }

    /// Begins a call, and returns its event loop.
    ///
    /// A connection is made on the event loop of the call that needs it. As long as more HTTP/1.1 connections may be
    /// needed, calls take turns on all event loops, and afterwards on those with connections.
    ///
    /// - Parameter host: The URL's scheme, host and port.
    func enterCall(to host: String) -> any EventLoop {
        state.withLock { state in
            state.callsUnderWay += 1
            guard state.hostsOfHTTP1.contains(host) else {
                let place = UInt(bitPattern: host.hashValue) % UInt(loops.count)
                return loops[Int(place)]
            }
            state.turn &+= 1
            let count = state.connected.count
            let isEnough = count > 0 && (state.callsUnderWay <= count || count >= limit)
            let loops = isEnough ? state.connected : loops
            return loops[Int(state.turn % UInt(loops.count))]
        }
    }

    /// Records the HTTP version of a host's answer.
    ///
    /// - Parameter host: The URL's scheme, host and port.
    func noteVersion(_ version: HTTPVersion, of host: String) {
        state.withLock { state in
            guard version.major == 1 else {
                state.hostsOfHTTP1.remove(host)
                return
            }
            if state.hostsOfHTTP1.count >= 1_024 { state.hostsOfHTTP1 = [] }
            state.hostsOfHTTP1.insert(host)
        }
    }

    func leave() { state.withLock { $0.callsUnderWay -= 1 } }

    /// Makes a client report its connections to this tracker.
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
        HTTP2StreamHandler.install(on: &configuration)
    }

    private func forget(_ loop: any EventLoop) {
        state.withLock { state in
            guard let place = state.connected.firstIndex(where: { $0 === loop }) else { return }
            state.connected.remove(at: place)
        }
    }
}
#endif
