import Pledge
import PledgeTesting

extension TransportCheck {
    /// The method of a request arrives unchanged.
    static var methods: [TransportCheck] {
        let bodiless = ["GET", "HEAD", "DELETE", "OPTIONS", "PURGE"].map { word in
            TransportCheck(
                .init(rawValue: "method \(word)"), "\(word) arrives as \(word), without a body"
            ) { bench in
                let request = try await bench.arrived(HTTPRequest(.init(rawValue: word), .anywhere))
                try require("the method", request.method, is: word)
                try require("the body's size", request.body.count, is: 0)
            }
        }
        let carrying = ["POST", "PUT", "PATCH", "DELETE", "QUERY", "REPORT"].map { word in
            TransportCheck(
                .init(rawValue: "method \(word) with a body"), "\(word) arrives with its body"
            ) { bench in
                let request = try await bench.arrived(
                    HTTPRequest(
                        .init(rawValue: word), .anywhere,
                        body: .data(Data("content".utf8), contentType: "text/plain")))
                try require("the method", request.method, is: word)
                try require("the body", request.text, is: "content")
                try require("Content-Type", request.header("Content-Type"), is: "text/plain")
            }
        }
        return bodiless + carrying
    }

    /// The target of a request arrives unchanged, byte by byte.
    static var targets: [TransportCheck] {
        let targets = [
            "/", "/a/b", "/a%2Fb", "/a%20b", "/%E2%82%AC", "/a//b/", "/a;b=c,d", "/a?b=c&b=d",
            "/a?", "/a?b=%26%3D+%2B", "/a?x=y/z?", "/~a-b_c.d!$&'()*+,;=:@",
        ]
        let exact = targets.map { target in
            TransportCheck(
                .init(rawValue: "target \(target)"), "the target arrives as it was encoded"
            ) { bench in
                try require(
                    "the target",
                    try await bench.arrived(HTTPRequest(.get, .anywhere), at: target).target,
                    is: target)
            }
        }
        return exact + [
            TransportCheck("no fragment", "a fragment is not sent") { bench in
                let request = try await bench.arrived(HTTPRequest(.get, .anywhere), at: "/a?b#c")
                try require("the target", request.target, is: "/a?b")
            },
            TransportCheck("empty path", "a URL without a path asks for /") { bench in
                let request = try await bench.arrived(HTTPRequest(.get, .anywhere), at: "")
                try require("the target", request.target, is: "/")
            },
            TransportCheck("host", "Host names host and port, once") { bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                _ = try await bench.get(server)
                try require(
                    "Host", server.requests.first?.headers("Host") ?? [],
                    is: ["127.0.0.1:\(server.port)"])
            },
        ]
    }

    /// Headers arrive complete, and no header can be injected.
    static var requestHeaders: [TransportCheck] {
        [
            TransportCheck("header values", "values arrive as they are") { bench in
                let value = "a, b; c=\"d e\" (f) \\ %20 \u{20ac}"
                let request = try await bench.arrived(
                    HTTPRequest(.get, .anywhere, headers: ["X-Value": value, "X-Empty": ""]))
                try require("X-Value", request.header("X-Value"), is: value)
                try require("X-Empty", request.header("X-Empty") ?? "", is: "")
            },
            TransportCheck("repeated headers", "every value of a name arrives, in order") { bench in
                let request = try await bench.arrived(
                    HTTPRequest(.get, .anywhere, headers: ["X-A": "1", "X-B": "2", "x-a": "3"]))
                let values = request.headers("X-A").joined(separator: ",").filter { $0 != " " }
                try require("X-A", values, is: "1,3")
            },
            TransportCheck("long header", "a header of 6,000 bytes arrives") { bench in
                let value = String(repeating: "v", count: 6_000)
                let request = try await bench.arrived(
                    HTTPRequest(.get, .anywhere, headers: ["X-Long": value]))
                try require("X-Long", request.header("X-Long"), is: value)
            },
            TransportCheck("credentials", "Authorization and Cookie arrive as they are") { bench in
                let request = try await bench.arrived(
                    HTTPRequest(
                        .get, .anywhere,
                        headers: ["Authorization": "Bearer t", "Cookie": "a=b; c=d"]))
                try require("Authorization", request.header("Authorization"), is: "Bearer t")
                try require("Cookie", request.header("Cookie"), is: "a=b; c=d")
            },
            TransportCheck("idempotency key", "the context's key is sent") { bench in
                let request = try await bench.arrived(
                    HTTPRequest(.post, .anywhere, context: .init(idempotencyKey: "k-1")))
                try require("Idempotency-Key", request.header("Idempotency-Key"), is: "k-1")
            },
            reservedHeaders,
            TransportCheck(
                "host and length", "a Host and a right Content-Length of the caller's pass"
            ) {
                bench in
                let request = try await bench.arrived(
                    HTTPRequest(
                        .post, .anywhere,
                        headers: ["Host": "example.com:8080", "Content-Length": "7"],
                        body: .data(Data("content".utf8))))
                try require("Host", request.headers("Host"), is: ["example.com:8080"])
                try require("Content-Length", request.headers("Content-Length"), is: ["7"])
                try require("the body", request.text, is: "content")
            },
            refusal("injected header", HTTPRequest(.get, .anywhere, headers: ["A": "b\r\nC: d"])),
            refusal("no method", HTTPRequest("GE T", .anywhere)),
            refusal("a GET with a body", HTTPRequest(.get, .anywhere, body: .data(Data("x".utf8)))),
        ]
    }

    private static var reservedHeaders: TransportCheck {
        TransportCheck("reserved headers", "what is the transport's to set is refused, unsent") {
            bench in
            let server = try LoopbackServer(answering: { _ in .text("ok") })
            defer { server.stop() }
            let fields: [HTTPHeaders] = [
                ["Host": "evil", "host": "other"], ["Host": "evil, other"],
                ["Connection": "close, X-A", "X-A": "1"], ["TE": "trailers"], ["Trailer": "X-A"],
                ["Upgrade": "websocket"], ["Expect": "100-continue"], ["Keep-Alive": "timeout=5"],
                ["Proxy-Connection": "keep-alive"], ["transfer-encoding": "chunked"],
                ["Content-Length": "3"], ["Content-Length": "7", "content-length": "8"],
            ]
            for headers in fields {
                let request = HTTPRequest(
                    .post, server.url, headers: headers, body: .data(Data("content".utf8)))
                switch await bench.settled(bench.transport.send(request)) {
                case .failure(Endpoint.Error.reservedHeader): break
                case let other: throw Unexpected("\(headers.map(\.name)) gives \(other)")
                }
            }
            try require("the number of connections", server.acceptedConnections, is: 0)
        }
    }

    private static func refusal(_ name: Name, _ request: HTTPRequest) -> TransportCheck {
        TransportCheck(name, "what cannot be sent is refused with Endpoint.Error, unsent") {
            bench in
            let server = try LoopbackServer(answering: { _ in .text("ok") })
            defer { server.stop() }
            var request = request
            request.url = server.url
            switch await bench.settled(bench.transport.send(request)) {
            case .failure(is Endpoint.Error): break
            case let other: throw Unexpected("it gives \(other)")
            }
            try require("the number of connections", server.acceptedConnections, is: 0)
        }
    }
}

extension URL {
    /// A placeholder for the URL of a request; the check replaces it by its server's URL.
    static var anywhere: URL { URL(fileURLWithPath: "/") }
}

extension TransportBench {
    /// The request as it arrives at a server, which answers it with 200.
    func arrived(_ request: HTTPRequest, at target: String = "/") async throws -> LoopbackRequest {
        let server = try LoopbackServer(answering: { _ in .text("ok") })
        defer { server.stop() }
        var request = request
        request.url = server.at(target)
        let response = try await send(request)
        try require("the status", response.status, is: 200)
        guard let arrived = server.requests.first else { throw Unexpected("nothing arrived") }
        return arrived
    }
}
