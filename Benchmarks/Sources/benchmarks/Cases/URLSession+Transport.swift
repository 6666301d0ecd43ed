import Foundation
import PledgeHTTPMessages
import PledgeURLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Case {
    /// The transport's cost on top of the session below it.
    static let sessionAlone = Case(
        name: "URLSession, one request at a time", counted: 0, ways: ways(at: 1))

    /// The transport's cost on top of the session below it, with many requests in flight.
    static let sessionTogether = Case(
        name: "URLSession, 32 requests at a time", counted: 0, ways: ways(at: 32))

    private static func ways(at once: Int) -> [Way] {
        [
            Way("Pledge", at: once) {
                try await transport.send(HTTPRequest(.get, Loopback.url)).value.body
            },
            Way("URLSession", at: once) {
                await withCheckedContinuation { continuation in
                    session.dataTask(with: URLRequest(url: Loopback.url)) { body, _, _ in
                        continuation.resume(returning: body)
                    }.resume()
                }
            },
        ]
    }

    private static let connections = 8

    private static let transport = SessionTransport(
        SessionTransport.Configuration(maxConnectionsPerHost: connections))

    /// A session with as many connections as the transport, and without a cache, like the transport.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()
}
