#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import TestSupport
import Testing

// MARK: - Half-open connections

extension NetworkCheck {
    /// The server has forgotten a connection that the client has kept, and says so when the client uses it.
    ///
    /// They prove that a GET is repeated on a new connection, and that a POST is not, whether it or its answer was
    /// lost: no POST is processed twice.
    static let halfOpen = [
        NetworkCheck("half-open GET", "a GET on a forgotten connection is answered by a new one") {
            bench in
            try await bench.checkHalfOpen(.forgotten(end: "\r\n\r\n")) { url, transport in
                try await bench.expectOK(url, over: transport)
                return ["GET", "GET"]
            }
        },
        NetworkCheck("half-open POST", "a POST on a forgotten connection is lost, and not repeated")
        {
            bench in
            try await bench.checkHalfOpen(.forgotten(end: "this")) { url, transport in
                try await bench.expectLostPost(url, transport)
                return ["GET"]
            }
        },
        NetworkCheck("forgotten answer", "a POST whose answer is lost was processed once") {
            bench in
            try await bench.checkHalfOpen(.forgottenAnswers) { url, transport in
                try await bench.expectLostPost(url, transport)
                return ["GET", "POST"]
            }
        },
    ]
}

extension NetworkBench {
    /// Makes a call on a kept connection that the server has forgotten.
    ///
    /// - Parameter call: Makes the call, and returns the methods that the server must have seen at the end.
    fileprivate func checkHalfOpen(
        _ rule: FaultyNetwork.Rule, _ call: (URL, any HTTPTransport) async throws -> [String]
    ) async throws {
        try await withKeptFlow { server, network, transport in
            network.apply(rule, to: 0)
            let methods = try await call(network.url(), transport)
            #expect(server.methods.elements == methods)
            // The next call finds a connection that works.
            try await expectOK(network.url(), over: transport)
        }
    }

    fileprivate func expectLostPost(_ url: URL, _ transport: any HTTPTransport) async throws {
        let post = HTTPRequest(.post, url, body: .data(Data("this".utf8)))
        try await expectLost(transport.send(post))
    }
}

// MARK: - Resets in the middle

extension NetworkCheck {
    /// A reset comes after half of a body.
    ///
    /// They prove that half a body never counts as a whole one, however its end is told.
    static let resets = BodyFraming.allCases.flatMap { framing in
        [
            NetworkCheck("reset in a body, \(framing)", "half a body is a lost connection") {
                bench in
                try await bench.checkReset(framing) { url, transport, half in
                    let call = transport.send(HTTPRequest(url))
                    await half.arrives()
                    half.reset()
                    try await bench.expectLost(call)
                }
            },
            NetworkCheck(
                "reset in a streamed body, \(framing)", "the stream ends with a lost connection"
            ) { bench in
                try await bench.checkReset(framing) { url, transport, half in
                    let response = try await transport.stream(HTTPRequest(url)).soon
                    var text = ""
                    let error = await #expect(throws: HTTPError.self) {
                        for try await bytes in response.body {
                            text += String(decoding: bytes, as: UTF8.self)
                            if text == BodyFraming.half { half.reset() }
                        }
                    }
                    #expect(error?.code == .connectionLost)
                    #expect(text == BodyFraming.half)
                }
            },
        ]
    }
}

/// How a server tells where a body ends.
enum BodyFraming: CaseIterable {
    case length, chunked

    static let half = "the first half, "

    /// The head and the first half of a body.
    fileprivate var beginning: String {
        switch self {
        case .length:
            "HTTP/1.1 200 OK\r\nContent-Length: \(2 * Self.half.utf8.count)\r\n\r\n\(Self.half)"
        case .chunked:
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "\(String(Self.half.utf8.count, radix: 16))\r\n\(Self.half)\r\n"
        }
    }
}

/// Half of an answer on its way over the only flow of a network.
private struct HalfAnswer {
    let network: FaultyNetwork
    let count: Int

    func arrives() async {
        #expect(await comesTrue { network.arrivedCount(0) >= count })
    }

    func reset() { network.reset(0) }
}

extension NetworkBench {
    fileprivate func checkReset(
        _ framing: BodyFraming,
        _ call: (URL, any HTTPTransport, HalfAnswer) async throws -> Void
    ) async throws {
        let heads = TestLog<String>()
        let server = try SocketServer { connection in
            while let head = connection.head() {
                heads.append(head)
                if heads.elements.count > 1 {
                    connection.send(framing.beginning)
                } else {
                    connection.answer("ok")
                }
            }
        }
        defer { server.stop() }
        let network = try FaultyNetwork(to: server.port)
        defer { network.stop() }
        let transport = try transport()
        try await expectOK(network.url(), over: transport)
        let count = network.arrivedCount(0) + framing.beginning.utf8.count
        try await call(network.url(), transport, HalfAnswer(network: network, count: count))
        #expect(heads.elements.count == 2 && network.flowCount == 1)
    }
}
#endif
