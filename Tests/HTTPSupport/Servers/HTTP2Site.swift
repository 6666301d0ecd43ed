#if os(Linux)
package import Foundation
import PledgeFutures
import PledgeHTTPMessages
import TestSupport

/// A server with TLS whose frames a test controls: Python's TLS in front of a ``SocketServer``.
///
/// Clients choose between HTTP/2 and HTTP/1.1 as everywhere, by ALPN.
package struct HTTP2Site: SecureSite {
    package let program: Program
    package let server: SocketServer
    package let certificates: Certificates
    /// The file to which the front writes its port.
    private let port: URL

    /// Starts the server; nil if Python or openssl is not installed, and is not required.
    ///
    /// - Parameters:
    ///   - protocols: What it offers.
    ///   - http1: Answers the requests of a connection over HTTP/1.1, the first of which has this head.
    ///   - http2: Answers those of a connection over HTTP/2.
    package static func start(
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
            let arguments = ["-c", front, "\(server.port)", protocols]
            return HTTP2Site(
                program: try Program(python, arguments, in: folder), server: server,
                certificates: certificates, port: certificates.file("port.txt"))
        }
    }

    /// Answers each request over HTTP/1.1 as soon as its head has arrived, and then reads its body.
    ///
    /// - Parameter answer: The text and the status for a head.
    package static func answer(
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

    package var url: URL {
        let port = try? String(contentsOf: port, encoding: .utf8)
        return URL(string: "https://127.0.0.1:\(port ?? "")/")!
    }

    /// Whether the front listens.
    package func answers() async -> Bool { url.port != nil }

    package func stop() {
        program.stop()
        server.stop()
    }

    private static let front = """
        import os, select, socket, ssl, sys, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("good.pem", "good.key")
        context.set_alpn_protocols(sys.argv[2].split(","))
        def forward(tls, inner):
            # Neither side waits for the other one, as long as 256 KiB suffice.
            other, unsent = {tls: inner, inner: tls}, {tls: b"", inner: b""}
            for one in other: one.setblocking(False)
            ended = False
            while not (ended and not unsent[tls]):
                readers = [one for one in other if len(unsent[other[one]]) < 262144 and not ended]
                writers = [one for one in other if unsent[one]]
                wait = 0 if tls in readers and tls.pending() else None
                ready, free, _ = select.select(readers, writers, [], wait)
                if wait == 0 and tls not in ready: ready.append(tls)
                for one in ready:
                    try: data = one.recv(65536)
                    except (BlockingIOError, ssl.SSLWantReadError): continue
                    if not data:
                        if one is tls: return
                        ended = True
                    unsent[other[one]] += data
                for one in free:
                    try: unsent[one] = unsent[one][one.send(unsent[one]):]
                    except (BlockingIOError, ssl.SSLWantWriteError): continue
            # Bytes that nobody reads would make a close a reset, which overtakes what was sent.
            tls.shutdown(socket.SHUT_WR)
            tls.setblocking(True)
            while tls.recv(65536): pass
        def serve(plain):
            try:
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                hello = plain.recv(4096, socket.MSG_PEEK)
                if sys.argv[2] == "h2" and b"\\x02h2" not in hello:
                    # Python would go on without a protocol; others send the alert no_application_protocol.
                    plain.sendall(b"\\x15\\x03\\x03\\x00\\x02\\x02\\x78")
                    return plain.close()
                tls = context.wrap_socket(plain, server_side=True)
                inner = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                inner.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with tls, inner: forward(tls, inner)
            except OSError: plain.close()
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        with open("port.new", "w") as file: file.write(str(listener.getsockname()[1]))
        os.rename("port.new", "port.txt")
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """
}
#endif
