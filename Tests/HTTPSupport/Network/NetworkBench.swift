#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

/// A transport as a ``NetworkCheck`` uses it, and the servers behind the networks.
struct NetworkBench: Sendable {
    /// The limit of a call that is expected to hang.
    static let limit = Duration.seconds(3)

    let make: NetworkCheck.Maker
    /// How long a call that must succeed may take.
    let patience: Duration

    /// A transport for http.
    func transport() throws -> any HTTPTransport { try make(ConnectionSettings()) }

    /// Runs a check with a server behind a network whose first flow has answered a GET.
    func withKeptFlow(
        _ check: (NetworkServer, FaultyNetwork, any HTTPTransport) async throws -> Void
    ) async throws {
        let server = try NetworkServer()
        defer { server.stop() }
        let network = try FaultyNetwork(to: server.port)
        defer { network.stop() }
        let transport = try transport()
        try await expectOK(network.url(), over: transport)
        try await check(server, network, transport)
    }

    /// Requires that a GET is answered.
    func expectOK(_ url: URL, over transport: any HTTPTransport) async throws {
        let call = transport.send(HTTPRequest(url)).timeout(patience)
        #expect(try await call.value.text == "ok")
    }

    /// Requires that a call fails since its connection was lost.
    func expectLost(_ call: Future<HTTPResponse>) async throws {
        #expect(try await call.httpError.code == .connectionLost)
    }

    /// Requires that an attempt ends by its limit, with the error of the policy.
    func expectTimeout(_ url: URL, over transport: any HTTPTransport) async throws {
        let service = stack(.timeout(Self.limit), over: transport.send)
        let error = try #require(await service(HTTPRequest(url)).errorSoon)
        #expect((error as? ServiceError)?.code == .timedOut, "\(error)")
    }

    /// Requires that a call ends at the deadline of its context, with the error of the transport.
    func expectDeadline(_ url: URL, over transport: any HTTPTransport) async throws {
        let context = CallContext(deadline: CallDeadline(after: Self.limit))
        let call = context.run { transport.send(HTTPRequest(url)) }
        let error = try #require(await call.timeout(patience).errorSoon)
        let cause = (error as? HTTPError)?.cause as? ServiceError
        #expect((error as? HTTPError)?.code == .timedOut, "\(error)")
        #expect(cause?.code == .deadlineExceeded, "\(error)")
    }

    /// Requires that later calls are answered although a first one has got nothing and never will.
    func expectOthersAnswered(
        _ url: URL, beside first: Future<HTTPResponse>, over transport: any HTTPTransport
    ) async throws {
        let later = (0..<5).map { _ in transport.send(HTTPRequest(url)).timeout(patience) }
        for call in later { #expect(try await call.value.status == 200) }
        #expect(!first.isSettled)
        first.cancel()
        #expect(await first.errorSoon != nil)
    }
}

extension Future {
    /// The error; nil if there is a value.
    fileprivate var errorSoon: (any Error)? {
        get async {
            if case .failure(let error) = await resultSoon { error } else { nil }
        }
    }
}

/// A server over HTTP/1.1 that answers each whole request with "ok", and logs the methods.
struct NetworkServer {
    let server: SocketServer
    let methods: TestLog<String>

    init() throws {
        let methods = TestLog<String>()
        self.methods = methods
        server = try SocketServer { connection in
            while let head = connection.head() {
                let length = head.firstMatch(of: /(?i)\r\ncontent-length: *([0-9]+)/)?.1
                guard connection.bytes(length.flatMap { Int($0) } ?? 0) != nil else { return }
                methods.append(String(head.prefix { $0 != " " }))
                connection.answer("ok")
            }
        }
    }

    var port: UInt16 { server.port }

    func stop() { server.stop() }
}

extension HTTP2Site {
    /// A site for checks that answers every request with "ok", over HTTP/2 or HTTP/1.1.
    static func answering(offering protocols: String = "h2,http/1.1") async throws -> HTTP2Site? {
        try await start(offering: protocols) { connection, head in
            answer(connection, head) { _ in ("ok", 200) }
        } http2: { _, frames in
            frames.serve { stream in
                frames.answer(stream, "ok")
                return true
            }
        }
    }

    /// The port of the front.
    var frontPort: UInt16 { UInt16(url.port ?? 0) }
}

extension FaultyNetwork {
    /// The URL over https, for a certificate of 127.0.0.1.
    var secureURL: URL { URL(string: "https://127.0.0.1:\(port)/")! }
}
#endif
