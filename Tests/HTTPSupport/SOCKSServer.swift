package import Foundation
import PledgeFutures

/// A proxy that implements version 5 of SOCKS (RFC 1928, RFC 1929), and connects to 127.0.0.1 for every host.
package final class SOCKSServer: Sendable {
    private let server: SocketServer
    private let log: Locked<[String]>

    /// Starts a proxy.
    ///
    /// - Parameter user: Name and password, with a colon between, that a client must send; nil for any
    ///   client.
    package init(user: String? = nil) throws {
        let log = Locked<[String]>([])
        self.log = log
        server = try SocketServer { connection in
            guard Self.greet(connection, user), let place = Self.place(connection) else { return }
            log.withLock { $0.append("\(place.host):\(place.port)") }
            let done: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
            if connection.forward(toPort: place.port, saying: done) { return }
            connection.send([5, 5] + done.dropFirst(2))
        }
    }

    /// The requested places, as "host:port": names unchanged, IPv6 in brackets.
    package var asked: [String] { log.withLock { $0 } }

    /// Its URL.
    package func url(_ scheme: String) -> URL {
        URL(string: "\(scheme)://127.0.0.1:\(server.port)") ?? server.url()
    }

    /// Ends all connections.
    package func stop() { server.stop() }

    /// Agrees on a method; returns false if the client is refused.
    private static func greet(_ connection: SocketConnection, _ user: String?) -> Bool {
        guard let start = connection.bytes(2), start[0] == 5,
            let methods = connection.bytes(Int(start[1]))
        else { return false }
        let method: UInt8 = user == nil ? 0 : 2
        guard methods.contains(method) else {
            connection.send([5, 255])
            return false
        }
        connection.send([5, method])
        guard let user else { return true }
        guard connection.bytes(1) == [1], let name = text(connection), let word = text(connection)
        else { return false }
        let isKnown = "\(name):\(word)" == user
        connection.send([1, isKnown ? 0 : 1])
        return isKnown
    }

    /// The place that the client asks to be connected to.
    private static func place(_ connection: SocketConnection) -> (host: String, port: UInt16)? {
        guard let start = connection.bytes(4), start.starts(with: [5, 1]) else { return nil }
        let host: String?
        switch start[3] {
        case 1: host = connection.bytes(4)?.map { "\($0)" }.joined(separator: ".")
        case 3: host = text(connection)
        default: host = connection.bytes(16).map { "[\($0)]" }
        }
        guard let host, let port = connection.bytes(2) else { return nil }
        return (host, UInt16(port[0]) << 8 | UInt16(port[1]))
    }

    /// Reads a text that is preceded by a byte with its length.
    private static func text(_ connection: SocketConnection) -> String? {
        guard let count = connection.bytes(1)?.first, let bytes = connection.bytes(Int(count))
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
