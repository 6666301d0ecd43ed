package import Foundation
import PledgeFutures
package import TestSupport

/// A server whose connections a test controls, byte by byte.
///
/// Each connection has a thread of its own, which may block. For answers that are HTTP, LoopbackServer is
/// simpler.
package final class SocketServer: Sendable {
    /// The address that a server listens on.
    package enum Place: Sendable {
        case ipv4
        /// An address of this machine by its last byte, such as 2 for "127.0.0.2", and a port.
        case loopback(UInt8, port: UInt16)
        case ipv6
        /// A Unix domain socket at a path.
        case unix(String)
    }

    private struct State {
        var connections: [SocketConnection] = []
        var accepted = 0
        var isStopped = false
    }

    /// The port that the system has chosen; zero for a Unix domain socket.
    package let port: UInt16
    private let place: Place
    private let listener: Int32
    private let state = Locked(State())
    private let threads = DispatchGroup()

    /// Starts a server.
    ///
    /// - Parameter serve: Called with each connection on a thread of its own; the connection is closed when
    ///   it returns.
    package init(
        _ place: Place = .ipv4, serving serve: @escaping @Sendable (SocketConnection) -> Void
    ) throws {
        self.place = place
        (listener, port) = try Sockets.listen(at: place)
        run { [listener] server in
            while let number = Sockets.accept(listener) {
                guard let connection = server.add(number) else { return }
                server.run { server in
                    serve(connection)
                    server.remove(connection)
                }
            }
        }
    }

    /// The number of accepted connections.
    package var acceptedConnections: Int { state.withLock { $0.accepted } }

    /// The number of open connections.
    package var openConnections: Int { state.withLock { $0.connections.count } }

    /// The URL of a path: with brackets for IPv6, and with an arbitrary host for a Unix domain socket.
    package func url(_ path: String = "/") -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        switch place {
        case .ipv4: parts.host = "127.0.0.1"
        case .loopback(let last, _): parts.host = "127.0.0.\(last)"
        case .ipv6: parts.host = "[::1]"
        case .unix: parts.host = "some.host.test"
        }
        parts.port = port == 0 ? nil : Int(port)
        parts.path = path
        return parts.url ?? URL(fileURLWithPath: "/")
    }

    /// Ends all connections, and returns when all threads have ended.
    package func stop() {
        let wasStopped = state.withLock { state in
            for connection in state.connections { connection.shutDown() }
            defer { state.isStopped = true }
            return state.isStopped
        }
        if !wasStopped { Sockets.wake(listener) }
        threads.wait()
        if !wasStopped { Sockets.close(listener) }
    }

    private func run(_ body: @escaping @Sendable (SocketServer) -> Void) {
        threads.enter()
        Thread.detachNewThread { [self] in
            body(self)
            threads.leave()
        }
    }

    private func add(_ number: Int32) -> SocketConnection? {
        let connection = SocketConnection(number)
        let isTaken = state.withLock { state in
            if state.isStopped { return false }
            connection.index = state.accepted
            state.accepted += 1
            state.connections.append(connection)
            return true
        }
        if !isTaken { connection.close() }
        return isTaken ? connection : nil
    }

    private func remove(_ connection: SocketConnection) {
        state.withLock { state in
            state.connections.removeAll { $0 === connection }
            connection.close()
        }
    }
}

extension SocketServer {
    /// A server whose first three connections answer one request each, at the same time, and then go silent.
    ///
    /// Further connections answer every request.
    ///
    /// - Parameter heads: A log of the connections on which requests have arrived; an answer is the connection's number.
    package static func silentAfterThree(logging heads: TestLog<Int>) throws -> SocketServer {
        try SocketServer { connection in
            while connection.head() != nil {
                heads.append(connection.index)
                let count = heads.elements.count { $0 == connection.index }
                if connection.index < 3, count > 1 { return connection.awaitEnd() }
                while heads.elements.count < 3 {}
                connection.answer("\(connection.index)")
            }
        }
    }
}
