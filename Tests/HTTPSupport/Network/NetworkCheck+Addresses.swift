#if os(Linux)
import Foundation
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import TestSupport
import Testing

// MARK: - Dead addresses

extension NetworkCheck {
    /// An address does not answer an attempt to connect.
    ///
    /// The first proves that a call to it ends by its limit, and that calls to other hosts don't wait for it. The second
    /// proves that all addresses of a name are tried.
    static let deadAddresses = [
        NetworkCheck("dead address", "a call to it ends by its limit, and delays no other") {
            bench in
            let server = try NetworkServer()
            defer { server.stop() }
            let dead = try SilentAddress(port: server.port)
            let transport = try bench.transport()
            let url = try #require(URL(string: "http://\(dead.address):\(server.port)/"))
            try await bench.expectTimeout(url, over: transport)
            let first = transport.send(HTTPRequest(url))
            try await bench.expectOthersAnswered(
                server.server.url(), beside: first, over: transport)
        },
        NetworkCheck("dead first address", "a call gets its answer from the name's next address") {
            bench in
            let server = try NetworkServer()
            defer { server.stop() }
            let dead = try SilentAddress(port: server.port)
            let name = try TestName([dead.address, "127.0.0.1"])
            let transport = try bench.transport()
            try await bench.expectOK(name.url(server.port), over: transport)
        },
    ]
}

// MARK: - Moved names

extension NetworkCheck {
    /// A name gets another address.
    ///
    /// They prove that the attempt after a failed connect asks the resolver again.
    static let movedNames = [
        NetworkCheck(
            "moved name", "after one attempt at most, the server is found at its new address"
        ) { bench in
            let server = try NetworkServer()
            defer { server.stop() }
            let old = try FaultyNetwork(
                to: server.port, at: .loopback(2, port: server.port))
            let name = try TestName(["127.0.0.2"])
            let transport = try bench.transport()
            let url = try name.url(server.port)
            try await bench.expectOK(url, over: transport)
            try name.move(to: ["127.0.0.1"])
            old.stop()
            // The old address refuses now. Whoever keeps no address succeeds at once.
            _ = await transport.send(HTTPRequest(url)).resultSoon
            try await bench.expectOK(url, over: transport)
            #expect(old.flowCount == 1)
        },
        NetworkCheck(
            "moved silently",
            "after an attempt at the old address, which says nothing, the new one is found"
        ) { bench in
            let server = try NetworkServer()
            defer { server.stop() }
            let dead = try SilentAddress(port: server.port)
            let name = try TestName([dead.address])
            let transport = try bench.transport()
            let url = try name.url(server.port)
            try await bench.expectTimeout(url, over: transport)
            try name.move(to: ["127.0.0.1"])
            try await bench.expectOK(url, over: transport)
        },
    ]
}

extension TestName {
    fileprivate func url(_ port: UInt16) throws -> URL {
        try #require(URL(string: "http://\(host):\(port)/"))
    }
}
#endif
