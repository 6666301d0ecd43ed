#if os(Linux)
import Foundation
import Futures
import HTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import LibcurlTransport

/// A server with TLS whose frames a test controls: Python's TLS in front of a ``SocketServer``.
///
/// Clients choose between HTTP/2 and HTTP/1.1 as everywhere, by ALPN.
struct HTTP2Site: SecureSite {
    let program: Program
    let server: SocketServer
    let certificates: Certificates
    private let port: UInt16

    /// Starts the server; nil if Python or openssl is not installed, and is not required.
    ///
    /// - Parameters:
    ///   - protocols: What it offers.
    ///   - http1: Answers the requests of a connection over HTTP/1.1, the first of which has this head.
    ///   - http2: Answers those of a connection over HTTP/2.
    static func start(
        offering protocols: String = "h2,http/1.1",
        http1: @escaping @Sendable (SocketConnection, String) -> Void = { connection, head in
            Self.answer(connection, head) { _ in ("HTTP/1.1", 200) }
        },
        http2: @escaping @Sendable (SocketConnection, HTTP2Frames) -> Void
    ) async throws -> HTTP2Site? {
        guard let python = try Program.find("python3", of: "python3"),
            let certificates = try Certificates(in: TestFolder())
        else { return nil }
        try certificates.make("good", for: "IP:127.0.0.1")
        let server = try SocketServer { connection in
            guard let head = connection.head() else { return }
            guard head.hasPrefix("PRI ") else { return http1(connection, head) }
            if let frames = HTTP2Frames(connection) { http2(connection, frames) }
        }
        let folder = certificates.folder.url
        return try await Program.serving {
            let port = try Program.freePort()
            let arguments = ["-c", front, "\(port)", "\(server.port)", protocols]
            return HTTP2Site(
                program: try Program(python, arguments, in: folder), server: server,
                certificates: certificates, port: port)
        }
    }

    /// Answers each request over HTTP/1.1 as soon as its head has arrived, and then reads its body.
    ///
    /// - Parameter answer: The text and the status for a head.
    static func answer(
        _ connection: SocketConnection, _ first: String, by answer: (String) -> (String, Int)
    ) {
        var next: String? = first
        while let head = next {
            let (text, status) = answer(head)
            connection.answer(text, status: status)
            let length = head.firstMatch(of: /(?i)\r\ncontent-length: *([0-9]+)/)?.1
            guard connection.bytes(length.flatMap { Int($0) } ?? 0) != nil else { return }
            next = connection.head()
        }
    }

    var url: URL { URL(string: "https://127.0.0.1:\(port)/")! }

    /// Whether TLS is there: a connection without a request reaches no script.
    func answers() async -> Bool {
        let settings = try? transport { $0.tls.authorities = .system }
        return await (try? settings?.get(url).httpError.code) == .insecureConnection
    }

    func stop() {
        program.stop()
        server.stop()
    }

    private static let front = """
        import select, socket, ssl, sys, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("good.pem", "good.key")
        context.set_alpn_protocols(sys.argv[3].split(","))
        def serve(plain):
            try:
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                hello = plain.recv(4096, socket.MSG_PEEK)
                if sys.argv[3] == "h2" and b"\\x02h2" not in hello:
                    # Python would go on without a protocol; others send the alert no_application_protocol.
                    plain.sendall(b"\\x15\\x03\\x03\\x00\\x02\\x02\\x78")
                    return plain.close()
                tls = context.wrap_socket(plain, server_side=True)
                inner = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
                inner.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with tls, inner:
                    while True:
                        ready = [tls] if tls.pending() else select.select([tls, inner], [], [])[0]
                        for one in ready:
                            data = one.recv(65536)
                            if not data: return
                            (inner if one is tls else tls).sendall(data)
            except OSError: plain.close()
        listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=512)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """
}
#endif
