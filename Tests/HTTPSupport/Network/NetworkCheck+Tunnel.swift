#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import TestSupport
import Testing

extension NetworkCheck {
    /// The server behind the network that `.ci/network` makes, as "ADDRESS:PORT"; nil where it does not run.
    private static let tunnel = ProcessInfo.processInfo.environment["PLEDGE_TUNNEL"]

    /// Whether this process runs in the network that `.ci/network` makes.
    package static var isBehindTunnel: Bool { tunnel != nil }

    /// The checks over a network that loses packets between two kernels, where a proxy can only withhold bytes.
    ///
    /// They have the names of the checks over a proxy, so a transport's differences are the same. The paths tell the
    /// network what to do.
    package static let overTunnel = [
        NetworkCheck(
            "silent flow", "the call ends by its timeout, and the next one is answered"
        ) { bench in
            let transport = try bench.transport()
            try await bench.expectOK(url("/ok"), over: transport)
            try await bench.expectTimeout(url("/silence"), over: transport)
            try await bench.expectOK(url("/ok"), over: transport)
        },
        NetworkCheck("dead address", "a call to it ends by its limit, and delays no other") {
            bench in
            let transport = try bench.transport()
            let nowhere = try url("/ok", at: dead)
            try await bench.expectTimeout(nowhere, over: transport)
            let first = transport.send(HTTPRequest(nowhere))
            try await bench.expectOthersAnswered(url("/ok"), beside: first, over: transport)
        },
        NetworkCheck("dead first address", "a call gets its answer from the name's next address") {
            bench in
            let name = try TestName([dead, try host])
            let transport = try bench.transport()
            try await bench.expectOK(url("/ok", at: name.host), over: transport)
        },
        NetworkCheck("moved silently", "after a failed attempt, the new address is found") {
            bench in
            let name = try TestName([dead])
            let transport = try bench.transport()
            let moving = try url("/ok", at: name.host)
            try await bench.expectTimeout(moving, over: transport)
            try name.move(to: [host])
            try await bench.expectOK(moving, over: transport)
        },
        NetworkCheck("half-open GET", "a GET on a forgotten connection is answered by a new one") {
            bench in
            let transport = try bench.transport()
            try await bench.expectOK(url("/forget"), over: transport)
            try await bench.expectOK(url("/ok"), over: transport)
        },
        NetworkCheck("half-open POST", "a POST on a forgotten connection is processed once at most")
        {
            bench in
            let transport = try bench.transport()
            try await bench.expectOK(url("/forget"), over: transport)
            let path = "/post-\(UInt64.random(in: 0 ... .max))"
            let post = HTTPRequest(.post, try url(path), body: .data(Data("this".utf8)))
            let isAnswered =
                if case .success = await transport.send(post).resultSoon { 1 } else { 0 }
            let count = transport.send(HTTPRequest(try url("/count" + path)))
            #expect(try await count.soon.text == "\(isAnswered)")
        },
        NetworkCheck("reset in a body, length", "half a body is a lost connection") { bench in
            let transport = try bench.transport()
            try await bench.expectLost(transport.send(HTTPRequest(url("/half"))))
        },
        NetworkCheck("bad line", "bytes that are late, lost and out of order arrive in the end") {
            bench in
            let transport = try bench.transport()
            let big = try url("/big", isBad: true)
            let calls = (0..<30).map { _ in transport.send(HTTPRequest(big)) }
            for call in calls { #expect(try await call.soon.body.count == 20_000) }
        },
    ]

    /// An address of that network that nobody has.
    private static let dead = "10.77.0.99"

    private static var host: String { get throws { try parts.host } }

    private static var parts: (host: String, port: Int) {
        get throws {
            let parts = try #require(tunnel).split(separator: ":").map(String.init)
            return (parts[0], try #require(Int(parts[1])))
        }
    }

    /// - Parameter isBad: Whether the line to the server is bad; its port is the next one.
    private static func url(
        _ path: String, at host: String? = nil, isBad: Bool = false
    ) throws -> URL {
        let (address, port) = try parts
        return try #require(
            URL(string: "http://\(host ?? address):\(port + (isBad ? 1 : 0))\(path)"))
    }
}
#endif
