import CPledgeCurl
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// The texts of failures.
@Suite(.oneAtATime)
struct HTTPErrorCurlTests {
    private let never = Promise<Void>()

    /// The text after the method and the URL in the error that a call rejects with.
    private func text(
        _ transport: CurlTransport = CurlTransport.patient, at place: String,
        scheme: String = "http"
    ) async throws -> String {
        let url = try #require(
            URL(string: "\(scheme)://planted-user:planted-word@\(place)/a?key=planted-key"))
        let error = try await transport.get(url).httpError
        let text = "\(error)"
        #expect(error.localizedDescription == text)
        #expect(!text.contains("planted"))
        let start = "GET \(scheme)://…@\(place)/a?key=… failed: "
        #expect(text.hasPrefix(start), "\(text)")
        return String(text.dropFirst(start.count))
    }

    private func text(
        _ transport: CurlTransport = CurlTransport.patient, ofAnswer answer: String
    ) async throws -> String {
        let server = try SocketServer { connection in
            if connection.head() != nil { connection.send(answer) }
        }
        defer { server.stop() }
        return try await text(transport, at: "127.0.0.1:\(server.port)")
    }

    private func words(_ code: Int32) -> String {
        "\(String(cString: ccurl_words(code))) (libcurl \(code))"
    }

    @Test func theErrorOfARefusedConnectionSaysSo() async throws {
        let closed = try ClosedPort()
        #expect(
            try await text(at: "127.0.0.1:\(closed.port)")
                == "the host refused the connection (cause: \(words(7)))")
        #expect(words(7).contains("connect"))
        withExtendedLifetime(closed) {}
    }

    @Test func theErrorOfAnUnknownHostSaysSo() async throws {
        #expect(
            try await text(at: "no-such-host.invalid")
                == "the host was not found (cause: \(words(6)))")
    }

    @Test func theErrorOfATimeoutSaysWhichTimeIsOver() async throws {
        let server = try SocketServer { $0.awaitEnd() }
        let place = "127.0.0.1:\(server.port)"
        let slow = try CurlTransport.with { $0.connectTimeout = .milliseconds(50) }
        #expect(
            try await text(slow, at: place, scheme: "https")
                == "it timed out (cause: the connect limit of 0.05 seconds)")
        let scheduler = ManualScheduler()
        let idle = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(5) }
        async let idleText = text(idle, at: place)
        // The server may have the connection before the caller has begun to count the time.
        #expect(await comesTrue { server.acceptedConnections == 2 && !scheduler.isIdle })
        scheduler.advance(by: .seconds(11))
        #expect(try await idleText == "it timed out (cause: the idle limit of 5.0 seconds)")
        server.stop()
    }

    @Test func theErrorOfAMalformedAnswerSaysWhatIsWrong() async throws {
        let start = "the answer is no valid HTTP response"
        let head = "HTTP/1.1 200 OK\r\n"
        let chunked = head + "Transfer-Encoding: chunked\r\n\r\n3\r\n"
        // From 8.21 on, libcurl reads a trailer as it reads a line of the head.
        let trailer =
            ccurl_version_number() >= 0x081500
            ? "a line of its head has no colon" : "a chunk's size or a trailer is malformed"
        let causes = [
            ("SSH-2.0-OpenSSH_9.2\r\n", "its first line is no status line"),
            (head + ": value\r\n\r\n", "a line of its head has no colon"),
            (head + "Content-Length: -1\r\n\r\n", "its Content-Length is not one number"),
            (head + "Content-Length: 0x1\r\n\r\na", "its Content-Length is not one number"),
            (head + "no colon\r\n\r\n", "a line of its head has no colon"),
            (head + " A: 1\r\n\r\n", "the first field of its head is a folded line"),
            (
                head + String(repeating: "a", count: 120_000),
                "a line of its head has more than 102400 bytes, which is libcurl's limit"
            ),
            (chunked + "abcdef\r\n", "its chunks are malformed"),
            (chunked + "abc\r\n0\r\nno colon\r\n\r\n", trailer),
            (
                head + "Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n", trailer
            ),
        ]
        for (answer, cause) in causes {
            // Of a body, the part before its fault has arrived.
            let text = try await text(ofAnswer: answer)
            let words = text.replacing(" (3 bytes in its body)", with: "")
            #expect(words == "\(start) (cause: \(cause))")
        }
        #expect(words(8) != "(libcurl 8)")
    }

    @Test func theErrorOfALostConnectionSaysSo() async throws {
        let start = "the connection was lost"
        #expect(try await text(ofAnswer: "") == "\(start) (cause: \(words(52)))")
        #expect(
            try await text(ofAnswer: "HTTP/1.1 200 OK\r\nContent-Len")
                == "\(start) (cause: it ended within the head of the answer)")
    }

    @Test func theErrorOfABodyThatIsTooLargeSaysSo() async throws {
        let transport = try CurlTransport.with { $0.maxBodySize = 10 }
        for length in ["Content-Length: 11", "A: b"] {
            #expect(
                try await text(
                    transport, ofAnswer: "HTTP/1.1 200 OK\r\n\(length)\r\n\r\nelevenbytes")
                    == "the body is too large (cause: its body has more than 10 bytes)")
        }
    }

    @Test func theErrorOfAProxyThatRefusesSaysSo() async throws {
        let proxy = try LoopbackServer { _ in .text("no", status: 407) }
        let transport = try CurlTransport.connecting {
            $0.proxy = .server(proxy.url, user: "planted-name", password: "planted-secret")
        }
        #expect(
            try await text(transport, at: "api.example.invalid", scheme: "https")
                == "the proxy refused to connect to the host (cause: the proxy answered 407)")
    }
}
