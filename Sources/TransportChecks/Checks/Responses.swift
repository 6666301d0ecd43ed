import Pledge
import PledgeTesting

extension TransportCheck {
    /// A response's head arrives as it was sent.
    static var responses: [TransportCheck] {
        let statuses = [200, 201, 203, 205, 299, 400, 404, 418, 429, 500, 503, 599].map { status in
            TransportCheck(
                "status \(status)", "\(status) is a response, with its body"
            ) { bench in
                let response = try await bench.get(
                    .text(status == 205 ? "" : "said \(status)", status: status))
                try require("the status", response.status, is: status)
                if status != 205 { try require("the body", response.text, is: "said \(status)") }
            }
        }
        let bodiless = [204, 304].map { status in
            TransportCheck("status \(status)", "\(status) has no body") { bench in
                let server = try LoopbackServer(answers: [.response(status), .text("next")])
                defer { server.stop() }
                let response = try await bench.get(server)
                try require("the status", response.status, is: status)
                try require("the body's size", response.body.count, is: 0)
                try require("the next body", try await bench.get(server).text, is: "next")
            }
        }
        return statuses + bodiless + [
            TransportCheck("HEAD", "HEAD has headers and no body, whatever its length says") {
                bench in
                let server = try LoopbackServer(answers: [.text("12345"), .text("next")])
                defer { server.stop() }
                let response = try await bench.send(HTTPRequest(.head, server.url))
                try require("the body's size", response.body.count, is: 0)
                try require("Content-Length", response.headers["Content-Length"], is: "5")
                try require("the next body", try await bench.get(server).text, is: "next")
            },
            TransportCheck("challenge", "401 with a challenge keeps headers and body") { bench in
                let challenges = [
                    "Basic realm=\"a\"", "Digest realm=\"a\", nonce=\"b\", qop=\"auth\"", "Basic",
                    "Bearer", "Nonsense",
                ]
                for challenge in challenges {
                    let server = try LoopbackServer(answering: { _ in
                        .text("who?", status: 401, headers: ["WWW-Authenticate": challenge])
                    })
                    defer { server.stop() }
                    let response = try await bench.get(server)
                    try require("the status", response.status, is: 401)
                    try require("the body", response.text, is: "who?")
                    let header = response.headers["WWW-Authenticate"]
                    try require("WWW-Authenticate", header, is: challenge)
                    try require("the number of requests", server.requests.count, is: 1)
                }
            },
            TransportCheck("proxy challenge", "407 is delivered with its body") { bench in
                let response = try await bench.get(
                    .text("who?", status: 407, headers: ["Proxy-Authenticate": "Basic realm=\"a\""])
                )
                try require("the status", response.status, is: 407)
                try require("the body", response.text, is: "who?")
            },
            TransportCheck("response headers", "values come as they were sent, in any case") {
                bench in
                let response = try await bench.get(
                    .text(
                        "x",
                        headers: ["x-lower": "a, b; c=\"d\"", "X-EMPTY": "", "X-Space": "  v  "]))
                try require("X-Lower", response.headers["X-Lower"], is: "a, b; c=\"d\"")
                try require("x-empty", response.headers["x-empty"] ?? "", is: "")
                try require("X-Space", response.headers["X-Space"], is: "v")
            },
            TransportCheck("repeated response headers", "every value of a name comes") { bench in
                let response = try await bench.get(
                    .text("x", headers: ["X-A": "1", "X-B": "2", "X-A": "3"]))
                let values = response.headers["X-A"]?.filter { $0 != " " }
                try require("X-A", values, is: "1,3")
            },
            TransportCheck("Set-Cookie", "cookies come apart, dates and all, and none is sent back")
            {
                bench in
                let cookies = [
                    "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2, 3; Path=/", "c=\"4\"",
                ]
                let server = try LoopbackServer(answering: { _ in
                    .text(
                        "x",
                        headers: [
                            "Set-Cookie": cookies[0], "Set-Cookie": cookies[1],
                            "Set-Cookie": cookies[2],
                        ])
                })
                defer { server.stop() }
                for _ in 0..<2 {
                    let values = try await bench.get(server).headers.values(for: "Set-Cookie")
                    try require("the cookies", values, is: cookies)
                }
                let sent = server.requests.compactMap { $0.header("Cookie") }
                try require("the cookies that were sent", sent, is: [])
            },
            TransportCheck("many headers", "100 headers come") { bench in
                let lines = (0..<100).map { "X-\($0): v\($0)\r\n" }.joined()
                let response = try await bench.get(
                    .raw("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 1\r\n\r\nx"))
                let missing = (0..<100).filter { response.headers["X-\($0)"] != "v\($0)" }
                try require("the headers that are missing", missing, is: [])
            },
            TransportCheck("no reason phrase", "a status line without a reason is read") { bench in
                let response = try await bench.get(
                    .raw("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"))
                try require("the body", response.text, is: "ok")
            },
            TransportCheck("interim responses", "100 and 103 are not the answer") { bench in
                let response = try await bench.get(
                    .raw(
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
                try require("the status", response.status, is: 200)
                try require("the body", response.text, is: "ok")
            },
            TransportCheck("place and time", "the response says its URL and how long it took") {
                bench in
                let server = try LoopbackServer(answering: { _ in .text("x") })
                defer { server.stop() }
                let url = server.at("/a?b=c")
                let response = try await bench.send(HTTPRequest(.get, url))
                try require("the URL", response.url, is: url)
                guard let total = response.timing.total, let head = response.timing.untilHeaders
                else { throw Unexpected("it measures no time") }
                try require(head > .zero && head <= total, "the head took \(head) of \(total)")
            },
            TransportCheck("its request", "a response has the request that it answers") { bench in
                let server = try LoopbackServer(answering: { _ in .text("no", status: 403) })
                defer { server.stop() }
                let request = HTTPRequest(.put, server.url, headers: ["X-A": "1"])
                try require("the request", try await bench.send(request).request, is: request)
                guard bench.transport.stream != nil else { return }
                try require("the request", try await bench.stream(request).request, is: request)
            },
        ]
    }
}

extension TransportCheck {
    /// Bodies arrive complete, with every kind of framing.
    static var responseBodies: [TransportCheck] {
        let framed: [(String, String, LoopbackAnswer, String)] = [
            ("length", "a body of a known length comes", .text("content"), "content"),
            ("no body", "a body of length 0 comes", .text(""), ""),
            ("chunked", "chunks are put together", .chunked(["con", "t", "ent"]), "content"),
            ("no chunks", "a chunked body may be empty", .chunked([]), ""),
            (
                "chunk extensions", "extensions of chunks are no part of the body",
                .raw(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "3;a=b\r\ncon\r\n4;c=\"d\"\r\ntent\r\n0\r\n\r\n"), "content"
            ),
            (
                "until close", "a body without a length ends with its connection",
                .untilClose("content"), "content"
            ),
            (
                "HTTP/1.0", "an answer of HTTP/1.0 is read to its end",
                .raw("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\ncontent"), "content"
            ),
        ]
        let checks = framed.map { name, requirement, answer, body in
            TransportCheck(name, requirement) { bench in
                try require("the body", try await bench.get(answer).text, is: body)
            }
        }
        return checks + [
            TransportCheck("trailers", "trailers after the last chunk do no harm") { bench in
                let server = try LoopbackServer(answers: [
                    LoopbackAnswer([
                        .send(
                            Data(
                                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
                                    + "7\r\ncontent\r\n0\r\nX-T: 1\r\n\r\n").utf8))
                    ]), .text("next"),
                ])
                defer { server.stop() }
                try require("the body", try await bench.get(server).text, is: "content")
                try require("the next body", try await bench.get(server).text, is: "next")
            },
            TransportCheck("big answer", "8 MiB come whole") { bench in
                let data = Pattern.bytes(8 * 1_048_576)
                let response = try await bench.get(.response(body: data))
                try require("whether the body is the same", response.body == data, is: true)
            },
            TransportCheck("binary", "every byte comes as it is") { bench in
                let data = Data((0...255).map { UInt8($0) })
                try require("the body", try await bench.get(.response(body: data)).body, is: data)
            },
            TransportCheck("slow answer", "a body that comes piece by piece is put together") {
                bench in
                let pieces = (0..<5).map { _ in Promise<Void>() }
                var steps: [LoopbackAnswer.Step] = [
                    .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".utf8))
                ]
                for piece in pieces { steps += [.hold(piece), .body(Data("x".utf8))] }
                let server = try LoopbackServer(answers: [LoopbackAnswer(steps)])
                defer { server.stop() }
                let call = bench.transport.send(HTTPRequest(.get, server.url))
                _ = try await bench.inTime(server.received(1))
                for piece in pieces { piece.resolve(with: ()) }
                try require("the body", try await bench.inTime(call).text, is: "xxxxx")
            },
            TransportCheck("too large", "a body over the bound is bodyTooLarge") { bench in
                let data = Data(count: bench.maxBodySize + 100_000)
                try await bench.refuses(.response(body: data))
            },
            TransportCheck("too large in chunks", "so is one that did not say its length") {
                bench in
                let part = Data(count: bench.maxBodySize / 2 + 50_000)
                let size = String(part.count, radix: 16)
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n"
                try await bench.refuses(
                    LoopbackAnswer([
                        .send(Data(head.utf8)), .send(part), .send(Data("\r\n\(size)\r\n".utf8)),
                        .send(part), .send(Data("\r\n0\r\n\r\n".utf8)),
                    ]))
            },
            TransportCheck("coded body", "a coded body is decoded, or comes with its coding named")
            {
                bench in
                // "content", compressed by zlib into the gzip format (RFC 1952).
                let zipped = Data(base64Encoded: "H4sIAAAAAAAC/0vOzytJzSsBAKkwxf4HAAAA") ?? Data()
                let response = try await bench.get(
                    .response(headers: ["Content-Encoding": "gzip"], body: zipped))
                let isDecoded = response.headers["Content-Encoding"] == nil
                try require(
                    "the body", response.body, is: isDecoded ? Data("content".utf8) : zipped)
            },
        ]
    }

    /// The transport returns redirects, and doesn't follow them.
    static var redirects: [TransportCheck] {
        let followed = [301, 302, 303, 307, 308].map { status in
            TransportCheck(
                "redirect \(status)",
                "\(status) comes back with its Location and body, and is not followed"
            ) { bench in
                for place in ["/next", "http://127.0.0.1:9/next", "?a=%2F"] {
                    let server = try LoopbackServer(answering: { request in
                        request.target == "/"
                            ? .text("moved", status: status, headers: ["Location": place])
                            : .text("followed")
                    })
                    defer { server.stop() }
                    let response = try await bench.send(
                        HTTPRequest(.post, server.url, body: .data(Data("x".utf8))))
                    try require("the status", response.status, is: status)
                    try require("the body", response.text, is: "moved")
                    try require("Location", response.headers["Location"], is: place)
                    try require("the number of requests", server.requests.count, is: 1)
                }
            }
        }
        return followed + [
            TransportCheck("no Location", "a 3xx without Location keeps its body") { bench in
                let response = try await bench.get(.text("where?", status: 302))
                try require("the status", response.status, is: 302)
                try require("the body", response.text, is: "where?")
            },
            TransportCheck("strange Location", "an unusable Location does no harm") { bench in
                for place in ["http://", "::::", "ftp://a", "http://[", "%", "//", "\u{fffd}"] {
                    let response = try await bench.get(
                        .text("where?", status: 302, headers: ["Location": place]))
                    try require("the status for \(place)", response.status, is: 302)
                    try require("the body for \(place)", response.text, is: "where?")
                }
            },
        ]
    }
}

extension TransportBench {
    /// Requires that an answer is too large, and that the error keeps none of its bytes.
    fileprivate func refuses(_ answer: LoopbackAnswer) async throws {
        let error = try await failure(answer)
        try require("the code", error.code, is: .bodyTooLarge)
        try require("the bytes that the error keeps", error.body.count, is: 0)
    }
}
