#if AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import NIOCore
import NIOHTTP1
import NIOSSL
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct HTTPErrorAsyncHTTPClientTests {
    let transport = AHCTransport()

    @Test func tellsThatThereIsNoTLS() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.get, url)).value
        }
        #expect(error?.code == .insecureConnection)
        #expect(
            error?.reason == "the server speaks no TLS, or no version of it that is accepted")
    }

    @Test(arguments: [
        (ECONNREFUSED, HTTPError.Code.cannotConnect), (ENOENT, .cannotConnect),
        (EHOSTUNREACH, .cannotConnect),
        (ENETUNREACH, .notConnected), (ECONNRESET, .connectionLost), (EPIPE, .connectionLost),
        (ETIMEDOUT, .timedOut), (EIO, .other),
    ])
    func knowsTheSystemsErrors(number: CInt, code: HTTPError.Code) {
        let error = IOError(errnoCode: number, reason: "test")
        #expect(HTTPError.Code(asyncHTTPClient: error) == code)
    }

    @Test func knowsTheLibrariesErrors() {
        let errors: [(any Error, HTTPError.Code)] = [
            (NIOSSLError.uncleanShutdown, .connectionLost),
            (NIOSSLError.unableToValidateCertificate, .insecureConnection),
            (ChannelError.connectTimeout(.seconds(1)), .timedOut),
            (ChannelError.eof, .connectionLost),
            (HTTPParserError.invalidEOFState, .connectionLost),
            (HTTPParserError.invalidStatus, .badResponse),
            (CancellationError(), .other),
        ]
        for (error, code) in errors { #expect(HTTPError.Code(asyncHTTPClient: error) == code) }
    }
}
#endif
