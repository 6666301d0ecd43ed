#if os(Linux)
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An address of this machine that answers no attempt to connect, as behind a firewall.
///
/// Its backlog is full, so the kernel ignores further clients. 127.0.0.1 is not used, so that a server can have the
/// same port there.
package final class SilentAddress: Sendable {
    /// The address, such as "127.0.0.2".
    package let address: String
    private let sockets: [Int32]

    /// Takes an address.
    ///
    /// - Parameters:
    ///   - last: The last byte of the address.
    ///   - port: The port.
    package init(_ last: UInt8 = 2, port: UInt16) throws {
        address = "127.0.0.\(last)"
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(last)).bigEndian
        let listener = socket(AF_INET, Sockets.streamSocket, 0)
        let isBound = Self.with(&place) { bind(listener, $0, $1) == 0 }
        guard isBound, listen(listener, 0) == 0 else { throw POSIXError(.EADDRINUSE) }
        // A backlog of zero has room for one client.
        let clients = (0..<3).map { _ in
            let client = socket(AF_INET, Sockets.streamSocket, 0)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            _ = Self.with(&place) { connect(client, $0, $1) }
            return client
        }
        sockets = [listener] + clients
    }

    deinit { for socket in sockets { Sockets.close(socket) } }

    private static func with<Result>(
        _ place: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
#endif
