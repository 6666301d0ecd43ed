import CLibcurlLoop
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeLibcurlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if Peers
import AsyncHTTPClient
#endif

extension Case {
    /// The transport over libcurl, compared with URLSession and with a C loop over libcurl.
    static let curlAlone = Case(
        name: "libcurl, one request at a time", counted: 0, obstacle: Nginx.obstacle,
        ways: ways(at: 1, over: { transport }, beside: { loopAlone }))

    /// The comparison of `curlAlone`, with results delivered on the I/O thread.
    static let curlAloneInline = Case(
        name: "libcurl inline, one request at a time", counted: 0, obstacle: Nginx.obstacle,
        ways: ways(at: 1, over: { inlineTransport }, beside: { loopInline }))

    /// The comparison of `curlAlone`, with many requests in flight.
    static let curlTogether = Case(
        name: "libcurl, 32 requests at a time", counted: 0, obstacle: Nginx.obstacle,
        ways: ways(at: 32, over: { transport }, beside: { loopTogether }))

    /// A hundred requests at a time, on one connection over HTTP/2 and TLS.
    static let curlHTTP2 = Case(
        name: "libcurl, HTTP/2, 100 requests at a time", counted: 0, obstacle: Nginx.obstacle,
        ways: [
            Way("Pledge", calledBackAt: 100) { completion in
                secure.send(HTTPRequest(.get, nginx.secureURL)).observe { result in
                    keep(try! result.get().body)
                    completion()
                }
            },
            Way("C loop") { count in secureLoop.run(count) },
        ])

    private static func ways(
        at once: Int, over transport: @escaping @Sendable () -> CurlTransport,
        beside loop: @escaping @Sendable () -> LibcurlLoop
    ) -> [Way] {
        [
            Way("Pledge", calledBackAt: once) { completion in
                transport().send(HTTPRequest(.get, nginx.url)).observe { result in
                    keep(try! result.get().body)
                    completion()
                }
            },
            Way("C loop") { count in loop().run(count) },
            Way("URLSession", calledBackAt: once) { completion in
                session.dataTask(with: URLRequest(url: nginx.url)) { body, _, _ in
                    keep(body!)
                    completion()
                }.resume()
            },
        ] + peers(at: once)
    }

    private static func peers(at once: Int) -> [Way] {
        #if Peers
        [
            Way("AsyncHTTPClient", calledBackAt: once) { completion in
                AsyncHTTPClient.HTTPClient.shared.get(url: nginx.url.absoluteString).whenComplete {
                    keep(try! $0.get().body)
                    completion()
                }
            }
        ]
        #else
        []
        #endif
    }
}

extension Case {
    /// The server; used only after ``Nginx/obstacle()`` has returned nil.
    private static let nginx = Nginx.shared!
    private static let transport = CurlTransport()
    private static let inlineTransport = try! CurlTransport(delivery: .inline)

    private static let secure: CurlTransport = {
        let limits = CurlTransport.Configuration(maxConnectionsPerHost: 1)
        var settings = ConnectionSettings()
        settings.tls.authorities = .only(nginx.certificate)
        return try! CurlTransport(limits, connecting: settings)
    }()

    private static let loopAlone = LibcurlLoop(nginx.url, at: 1)
    private static let loopInline = LibcurlLoop(nginx.url, at: 1, isInline: true)
    private static let loopTogether = LibcurlLoop(nginx.url, at: 32)
    private static let secureLoop = LibcurlLoop(
        nginx.secureURL, at: 100, version: 4, connections: 1, authorities: nginx.certificate)

    /// A session with as many connections as the transport, and without a cache, like the transport.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = LibcurlLoop.connections
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }()
}

/// A C loop over libcurl, which runs until the process ends.
private struct LibcurlLoop: @unchecked Sendable {
    /// As many as a transport makes by default.
    static let connections = 8

    private let pointer: OpaquePointer

    init(
        _ url: URL, at once: Int, isInline: Bool = false, version: Int = 2,
        connections: Int = LibcurlLoop.connections,
        authorities: URL? = nil
    ) {
        pointer = libcurl_loop_make(
            url.absoluteString, Int32(once), isInline ? 1 : 0, version, connections,
            authorities?.path)!
    }

    func run(_ count: Int) {
        precondition(libcurl_loop_run(pointer, count) == 0, "a request failed")
    }
}
