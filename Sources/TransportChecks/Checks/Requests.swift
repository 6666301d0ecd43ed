import Pledge
import PledgeTesting

extension TransportCheck {
    /// A request's method arrives unchanged.
    static var methods: [TransportCheck] {
        let bodiless = ["GET", "HEAD", "DELETE", "OPTIONS", "PURGE"].map { word in
            TransportCheck(
                "method \(word)", "\(word) arrives as \(word), without a body"
            ) { bench in
                let request = try await bench.arrived(HTTPRequest(.init(rawValue: word), .anywhere))
                try require("the method", request.method, is: word)
                try require("the body's size", request.body.count, is: 0)
            }
        }
        let carrying = ["POST", "PUT", "PATCH", "DELETE", "QUERY", "REPORT"].map { word in
            TransportCheck(
                "method \(word) with a body", "\(word) arrives with its body"
            ) { bench in
                let request = try await bench.arrived(
                    HTTPRequest(
                        .init(rawValue: word), .anywhere,
                        body: .data(Data("content".utf8), contentType: "text/plain")))
                try require("the method", request.method, is: word)
                try require("the body", request.text, is: "content")
                try require("Content-Type", request.header("Content-Type"), is: "text/plain")
                try require("Content-Length", request.headers("Content-Length"), is: ["7"])
                try require("Transfer-Encoding", request.headers("Transfer-Encoding"), is: [])
                try require("Expect", request.headers("Expect"), is: [])
            }
        }
        return bodiless + carrying
    }

    /// A request's target arrives unchanged, byte by byte.
    static var targets: [TransportCheck] {
        let targets = [
            "/", "/a/b", "/a%2Fb", "/a%20b", "/%E2%82%AC", "/a//b/", "/a;b=c,d", "/a?b=c&b=d",
            "/a?", "/a?b=%26%3D+%2B", "/a?x=y/z?", "/~a-b_c.d!$&'()*+,;=:@",
        ]
        let exact = targets.map { target in
            TransportCheck(
                "target \(target)", "the target arrives as it was encoded"
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
            TransportCheck("scheme in capitals", "a scheme in any case is the same scheme") {
                bench in
                let server = try LoopbackServer(answering: { .text($0.target) })
                defer { server.stop() }
                for scheme in ["HTTP", "hTTp"] {
                    let url = try server.at("/a?b", scheme: scheme)
                    try require("the body", try await bench.send(.init(url)).text, is: "/a?b")
                }
            },
            TransportCheck("user in the URL", "a name and a password in the URL are not sent") {
                bench in
                let server = try LoopbackServer(answering: { .text($0.target) })
                defer { server.stop() }
                for user in ["joe:hunter2@", "joe@", ":@", "a%40b:c%3Ad@"] {
                    let url = try server.at("/a@b?c=@", user: user)
                    try require("the body", try await bench.send(.init(url)).text, is: "/a@b?c=@")
                }
                let sent = server.requests.compactMap { $0.header("Authorization") }
                try require("Authorization", sent, is: [])
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

    /// A request's headers arrive complete, and none can be injected.
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
            refusal("no scheme", HTTPRequest(.get, .anywhere)) { _ in "/relative" },
            refusal("another scheme", HTTPRequest(.get, .anywhere)) { "ftp://127.0.0.1:\($0)/" },
            TransportCheck("an empty body", "a GET with a body of no bytes is sent") { bench in
                let request = try await bench.arrived(
                    HTTPRequest(.get, .anywhere, body: .data(Data())))
                try require("the method", request.method, is: "GET")
                try require("the body's size", request.body.count, is: 0)
            },
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

    private static func refusal(
        _ name: String, _ request: HTTPRequest,
        to url: @escaping @Sendable (_ port: UInt16) -> String = { "http://127.0.0.1:\($0)/" }
    ) -> TransportCheck {
        TransportCheck(name, "what cannot be sent is refused with Endpoint.Error, unsent") {
            bench in
            let server = try LoopbackServer(answering: { _ in .text("ok") })
            defer { server.stop() }
            var request = request
            request.url = URL(string: url(server.port)) ?? server.url
            try await bench.requireRefused(bench.transport.send(request))
            if let stream = bench.transport.stream {
                try await bench.requireRefused(stream(request))
            }
            try require("the number of connections", server.acceptedConnections, is: 0)
        }
    }
}

extension URL {
    /// A placeholder; the check puts its server's URL there.
    static var anywhere: URL { URL(fileURLWithPath: "/") }
}

extension TransportBench {
    /// Fails the check if a call does not fail because of its request.
    fileprivate func requireRefused<Value>(_ call: Future<Value>) async throws {
        switch await settled(call) {
        case .failure(is Endpoint.Error): break
        case let other: throw Unexpected("it gives \(other)")
        }
    }

    /// Returns the request as it arrives at a server that answers with 200.
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

extension TransportCheck {
    /// A URL works with an IP address in place of a host name.
    static var addresses: [TransportCheck] {
        [
            TransportCheck(
                "IPv6 literal", "a URL with an IPv6 address reaches it, and Host names it"
            ) {
                bench in
                let server = try LoopbackServer(at: .v6) { _ in Future(value: .text("ok")) }
                defer { server.stop() }
                let text = "http://[::1]:\(server.port)/a?b=%26"
                guard let url = URL(string: text) else { throw Unexpected("\(text) is no URL") }
                let response = try await bench.send(HTTPRequest(.get, url))
                try require("the body", response.text, is: "ok")
                try require("the response's URL", response.url?.absoluteString ?? "", is: text)
                let request = server.requests.first
                try require("the target", request?.target ?? "", is: "/a?b=%26")
                try require("Host", request?.headers("Host") ?? [], is: ["[::1]:\(server.port)"])
            },
            TransportCheck(
                "IPv6 redirect", "a redirect from an IPv6 address comes with its Location"
            ) {
                bench in
                let server = try LoopbackServer(at: .v6) { _ in
                    Future(value: .response(302, headers: ["Location": "/b"]))
                }
                defer { server.stop() }
                guard let url = URL(string: "http://[::1]:\(server.port)/") else { return }
                let response = try await bench.send(HTTPRequest(.get, url))
                try require("the status", response.status, is: 302)
                try require("Location", response.headers["Location"] ?? "", is: "/b")
            },
        ]
    }
}

extension TransportCheck {
    /// Bodies from every kind of source arrive complete.
    static var requestBodies: [TransportCheck] {
        [
            TransportCheck("empty POST", "a POST without a body says that it has none") { bench in
                let request = try await bench.arrived(HTTPRequest(.post, .anywhere))
                try require("the body's size", request.body.count, is: 0)
                try require("Content-Length", request.header("Content-Length") ?? "0", is: "0")
            },
            TransportCheck("big body", "5 MB arrive whole") { bench in
                let data = Pattern.bytes(5_000_000)
                let request = try await bench.arrived(
                    HTTPRequest(.put, .anywhere, body: .data(data)))
                try require("whether the body is the same", request.body == data, is: true)
                try require("Content-Length", request.header("Content-Length"), is: "5000000")
            },
            TransportCheck("file body", "a file arrives whole, with its length") { bench in
                let file = FileManager.default.temporaryDirectory
                    .appendingPathComponent("pledge-check-\(UUID().uuidString)")
                let data = Pattern.bytes(1_000_000)
                try data.write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                for _ in 0..<2 {
                    let request = try await bench.arrived(
                        HTTPRequest(.put, .anywhere, body: .file(file, contentType: "a/b")))
                    try require("whether the body is the same", request.body == data, is: true)
                    try require(
                        "Content-Length", request.headers("Content-Length"), is: ["1000000"])
                    try require("Content-Type", request.header("Content-Type"), is: "a/b")
                }
            },
            TransportCheck("missing file", "what is no file is bodyUnreadable, and unsent") {
                bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let missing = URL(fileURLWithPath: "/pledge/no/such/file")
                for file in [missing, FileManager.default.temporaryDirectory] {
                    let request = HTTPRequest(.put, server.url, body: .file(file))
                    let error = try await bench.failure(request)
                    try require("the code", error.code, is: .bodyUnreadable)
                    try require("whether it has a cause", error.cause != nil, is: true)
                }
                try require("the number of requests", server.requests.count, is: 0)
            },
            TransportCheck("stream body", "a stream of a known length arrives whole") { bench in
                let data = Pattern.bytes(300_000)
                let source = HTTPRequest.BodySource(length: Int64(data.count), isReplayable: true) {
                    HTTPBodyStream(data, chunksOf: 7_001)
                }
                let request = try await bench.arrived(
                    HTTPRequest(.put, .anywhere, body: .stream(source)))
                try require("whether the body is the same", request.body == data, is: true)
                try require("Content-Length", request.header("Content-Length"), is: "300000")
            },
            TransportCheck("stream of unknown length", "a stream of no known length arrives whole")
            {
                bench in
                let data = Pattern.bytes(300_000)
                let source = HTTPRequest.BodySource(isReplayable: true) {
                    let chunks = HTTPBodyStream(data, chunksOf: 7_001)
                    return HTTPBodyStream(next: { chunks.next() })
                }
                let request = try await bench.arrived(
                    HTTPRequest(.put, .anywhere, body: .stream(source)))
                try require("whether the body is the same", request.body == data, is: true)
            },
            mismatch("stream too short", gives: 5, announcing: 10),
            mismatch("stream too long", gives: 15, announcing: 10),
            TransportCheck("failing stream", "a body that fails fails the call with its error") {
                bench in
                struct Broken: Error {}
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let sources = [
                    HTTPRequest.BodySource(length: 10, isReplayable: true) {
                        HTTPBodyStream(length: 10, next: { Future(error: Broken()) })
                    },
                    HTTPRequest.BodySource(length: 10, isReplayable: true) { throw Broken() },
                ]
                for source in sources {
                    let request = HTTPRequest(.put, server.url, body: .stream(source))
                    switch await bench.settled(bench.transport.send(request)) {
                    case .failure(is Broken): break
                    case .failure(let error as HTTPError)
                    where error.code == .bodyUnreadable && error.cause is Broken: break
                    case let other: throw Unexpected("it gives \(other)")
                    }
                }
            },
            TransportCheck("single-pass body", "a body that can be sent once is sent once") {
                bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let source = HTTPRequest.BodySource(length: 1, isReplayable: false) {
                    HTTPBodyStream(Data("x".utf8))
                }
                let request = HTTPRequest(.put, server.url, body: .stream(source))
                _ = try await bench.send(request)
                try require(
                    "the code", try await bench.failure(request).code, is: .bodyNotReplayable)
                try require("the number of requests", server.requests.count, is: 1)
            },
            TransportCheck("cancelled upload", "cancelling a call cancels the stream of its body") {
                bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let (read, cancelled) = (Promise<Void>(), Promise<Void>())
                let never = Promise<Data?>()
                let source = HTTPRequest.BodySource(length: 3, isReplayable: true) {
                    HTTPBodyStream(
                        length: 3,
                        next: {
                            read.resolve(with: ())
                            return never
                        }, cancel: { cancelled.resolve(with: ()) })
                }
                let call = bench.transport.send(
                    HTTPRequest(.post, server.url, body: .stream(source)))
                _ = try await bench.inTime(read)
                call.cancel()
                try await bench.requireCancelled(call)
                _ = try await bench.inTime(cancelled)
                _ = try await bench.inTime(server.connectionsOpen(atMost: 0))
            },
        ]
    }

    private static func mismatch(
        _ name: String, gives given: Int, announcing length: Int64
    ) -> TransportCheck {
        TransportCheck(name, "a stream of another length than announced fails the call") { bench in
            let server = try LoopbackServer(answering: { _ in .text("ok") })
            defer { server.stop() }
            let source = HTTPRequest.BodySource(length: length, isReplayable: true) {
                HTTPBodyStream(Pattern.bytes(given))
            }
            let request = HTTPRequest(.put, server.url, body: .stream(source))
            try require("the code", try await bench.failure(request).code, is: .bodyLengthMismatch)
        }
    }
}

/// Reproducible bytes that show whether a part was shifted.
package enum Pattern {
    /// They repeat after 64 KiB, so that a debug build makes megabytes of them quickly.
    package static func bytes(_ count: Int) -> Data {
        var bytes = Data(capacity: count + period.count)
        while bytes.count < count { bytes.append(period) }
        return bytes.prefix(count)
    }

    private static let period = Data(
        (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}
