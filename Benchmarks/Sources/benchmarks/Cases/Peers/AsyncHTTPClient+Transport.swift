#if Peers
import AsyncHTTPClient
import PledgeAsyncHTTPClientTransport
import PledgeHTTPMessages

extension Case {
    /// The transport's cost on top of the client below it.
    static let asyncHTTPClientAlone = Case(
        name: "AsyncHTTPClient, one request at a time", counted: 0, ways: ways(at: 1))

    /// The transport's cost on top of the client below it, with many requests in flight.
    static let asyncHTTPClientTogether = Case(
        name: "AsyncHTTPClient, 32 requests at a time", counted: 0, ways: ways(at: 32))

    private static func ways(at once: Int) -> [Way] {
        [
            Way(
                "Pledge", at: once, over: { AHCTransport() },
                closing: { try await $0.close().value }
            ) {
                try await $0.send(HTTPRequest(.get, Loopback.url)).value.body
            },
            Way(
                "AsyncHTTPClient", at: once, over: makeClient, closing: { try await $0.shutdown() }
            ) {
                let request = HTTPClientRequest(url: Loopback.url.absoluteString)
                let answer = try await $0.execute(request, timeout: .seconds(5))
                return try await answer.body.collect(upTo: 1_024)
            },
            Way(
                "AsyncHTTPClient's futures", at: once, over: makeClient,
                closing: { try await $0.shutdown() }
            ) {
                try await $0.get(url: Loopback.url.absoluteString).get().body
            },
        ]
    }

    @Sendable
    private static func makeClient() -> HTTPClient {
        HTTPClient(configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
    }
}
#endif
