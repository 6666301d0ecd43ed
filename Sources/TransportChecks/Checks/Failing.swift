import Pledge
import PledgeTesting

extension TransportCheck {
    /// A call ends, whatever the server does, and its error says what happened.
    static var brokenAnswers: [TransportCheck] {
        let lost: [(String, String, LoopbackAnswer)] = [
            ("hang up", "a server that leaves without an answer is connectionLost", .hangUp),
            (
                "reset", "a server that breaks off without an answer is connectionLost",
                LoopbackAnswer([.reset])
            ),
            (
                "reset in the head", "a head that breaks off is connectionLost",
                LoopbackAnswer([.send(Data("HTTP/1.1 200 OK\r\nX-A: ".utf8)), .reset])
            ),
            (
                "truncated head", "a head that ends too soon is connectionLost",
                .raw("HTTP/1.1 200 OK\r\nX-A: ")
            ),
            (
                "truncated body", "a body that ends too soon is connectionLost",
                .truncated("short", of: 100)
            ),
            (
                "reset in the body", "a body that breaks off is connectionLost",
                LoopbackAnswer([
                    .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".utf8)), .reset,
                ])
            ),
            (
                "truncated chunks", "chunks that end too soon are connectionLost",
                .chunked(["con", "te"], isComplete: false)
            ),
            (
                "truncated chunk", "a chunk that ends too soon is connectionLost",
                .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc")
            ),
        ]
        let garbled: [(String, String)] = [
            ("garbage", "\u{1}\u{2}no HTTP at all\r\n\r\n"),
            ("bare text", "hello"),
            ("bad status line", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
            ("bad version", "HTTX/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
            (
                "bad chunk size",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"
            ),
            ("bad length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc"),
            (
                "two lengths",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"
            ),
            ("length no number", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nabcde"),
            (
                "endless length",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc"
            ),
            (
                "header without a colon",
                "HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\nok"
            ),
            ("NUL in a header", "HTTP/1.1 200 OK\r\nX-A: a\u{0}b\r\nContent-Length: 2\r\n\r\nok"),
            (
                "endless head",
                "HTTP/1.1 200 OK\r\n"
                    + String(
                        repeating: "X-A: \(String(repeating: "a", count: 300))\r\n", count: 4_300)
            ),
        ]
        let codes: Set<HTTPError.Code> = [.badResponse, .connectionLost, .bodyTooLarge]
        return lost.map { name, requirement, answer in
            TransportCheck(name, requirement) { bench in
                let error = try await bench.failure(answer)
                try require("the code", error.code, is: .connectionLost)
                try require("the method of its request", error.request?.method, is: .get)
            }
        } + [
            TransportCheck("part of a body", "the error of half a body has the head and that half")
            {
                bench in
                let answers = [
                    LoopbackAnswer.truncated("half", of: 8), .chunked(["half"], isComplete: false),
                ]
                for answer in answers {
                    let error = try await bench.failure(answer)
                    try require("the status", error.status, is: 200)
                    try require("the body", error.response?.text, is: "half")
                }
            }
        ]
            + garbled.map { name, text in
                TransportCheck(name, "what is no HTTP is an error or an answer, and never a hang") {
                    bench in
                    let server = try LoopbackServer(answering: { _ in .raw(text) })
                    defer { server.stop() }
                    switch await bench.settled(bench.transport.send(HTTPRequest(.get, server.url)))
                    {
                    case .success: break
                    case .failure(let error as HTTPError) where codes.contains(error.code): break
                    case .failure(let error): throw Unexpected("it fails with \(error)")
                    }
                }
            } + [refused, unknownHost]
    }

    private static var refused: TransportCheck {
        TransportCheck("refused", "a closed port is cannotConnect, and certainly unsent") { bench in
            let closed = try ClosedPort()
            let error = try await bench.failure(HTTPRequest(.post, closed.url))
            try require("the code", error.code, is: .cannotConnect)
            try require("the request", error.request?.url, is: closed.url)
        }
    }

    private static var unknownHost: TransportCheck {
        // Names in .invalid never resolve (RFC 6761, section 6.4).
        TransportCheck("unknown host", "a name that leads nowhere is cannotFindHost") { bench in
            let url = URL(string: "http://no-such-host.invalid/") ?? .anywhere
            let error = try await bench.failure(HTTPRequest(.get, url))
            try require("the code", error.code, is: .cannotFindHost)
        }
    }

    /// The transport reuses connections, and replaces those that the server closes.
    static var connections: [TransportCheck] {
        [
            TransportCheck("keep-alive", "calls one after the other share a connection") { bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                for _ in 0..<5 { _ = try await bench.get(server) }
                try require("the number of connections", server.acceptedConnections, is: 1)
            },
            TransportCheck(
                "early close", "a kept connection that the server has closed is replaced"
            ) {
                bench in
                let server = try LoopbackServer(answering: { _ in
                    LoopbackAnswer(LoopbackAnswer.text("ok").steps + [.close])
                })
                defer { server.stop() }
                for _ in 0..<20 {
                    try require("the body", try await bench.get(server).text, is: "ok")
                }
            },
            TransportCheck(
                "lost GET", "what may be repeated is sent again if a kept connection is lost"
            ) { bench in
                for method in [HTTPMethod.get, .head, .put, .delete] {
                    for step in [LoopbackAnswer.Step.close, .reset] {
                        let source = HTTPRequest.BodySource(length: 1, isReplayable: true) {
                            HTTPBodyStream(Data("x".utf8))
                        }
                        let request = HTTPRequest(
                            method, .anywhere, body: method == .put ? .stream(source) : .none)
                        let (call, sent) = try await bench.losesConnection(of: request, by: step)
                        try require("the status", try call.get().status, is: 200)
                        try require("the number of attempts", sent.count, is: 2)
                        let text = method == .put ? "x" : ""
                        try require("the bodies", sent.map(\.text), is: [text, text])
                    }
                }
            },
            TransportCheck(
                "lost POST", "a POST that may have arrived is connectionLost, and sent once"
            ) { bench in
                for step in [LoopbackAnswer.Step.close, .reset] {
                    let request = HTTPRequest(.post, .anywhere, body: .data(Data("x".utf8)))
                    let (call, sent) = try await bench.losesConnection(of: request, by: step)
                    guard case .failure(let error as HTTPError) = call else {
                        throw Unexpected("it gives \(call)")
                    }
                    try require("the code", error.code, is: .connectionLost)
                    try require("the number of attempts", sent.count, is: 1)
                }
            },
            TransportCheck(
                "lost POST with a key", "a POST with an idempotency key is sent again, with its key"
            ) { bench in
                let request = HTTPRequest(
                    .post, .anywhere, body: .data(Data("x".utf8)),
                    context: .init(idempotencyKey: "k"))
                let (call, sent) = try await bench.losesConnection(of: request, by: .close)
                try require("the status", try call.get().status, is: 200)
                let keys = sent.map { $0.header("Idempotency-Key") }
                try require("the keys", keys, is: ["k", "k"])
                try require("the bodies", sent.map(\.text), is: ["x", "x"])
            },
            TransportCheck("too much", "bytes after an answer spoil no other") { bench in
                // The extra bytes come in one piece with the answer. After the next request, a client couldn't tell
                // them from that request's answer.
                let answers = """
                    HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/0\
                    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nextra
                    """
                let spoilt = LoopbackAnswer([.send(Data(answers.utf8))])
                let server = try LoopbackServer(answering: { request in
                    request.target == "/0" ? spoilt : .text(request.target)
                })
                defer { server.stop() }
                for index in 0..<5 {
                    let text = try await bench.get(server, "/\(index)").text
                    try require("the body", text, is: "/\(index)")
                }
            },
            TransportCheck("a thousand at once", "1,000 concurrent calls each get their own answer")
            {
                bench in
                let server = try LoopbackServer(answering: { .text("for \($0.target)") })
                defer { server.stop() }
                let calls = (0..<1_000).map { index in
                    bench.transport.send(HTTPRequest(.get, server.at("/\(index)")))
                }
                for (index, call) in calls.enumerated() {
                    try require("the body", try await bench.inTime(call).text, is: "for /\(index)")
                }
            },
        ]
    }
}

extension TransportBench {
    /// Sends a request on a connection that has answered one, and that the server then ends.
    ///
    /// - Returns: The result, and the request as often as it has arrived.
    fileprivate func losesConnection(
        of request: HTTPRequest, by step: LoopbackAnswer.Step
    ) async throws -> (Result<HTTPResponse, any Error>, [LoopbackRequest]) {
        for _ in 0..<20 {
            let kept = Locked<Int?>(nil)
            let server = try LoopbackServer(answering: { request in
                guard request.target == "/again" else {
                    kept.withLock { $0 = request.connection }
                    return .text("ok")
                }
                return request.connection == kept.withLock { $0 }
                    ? LoopbackAnswer([step]) : .text("ok")
            })
            defer { server.stop() }
            try require("the first body", try await get(server).text, is: "ok")
            var request = request
            request.url = server.at("/again")
            let result = await settled(transport.send(request))
            let sent = server.requests.filter { $0.target == "/again" }
            // On a busy machine, a transport may have opened a second connection for the first request.
            if sent.first?.connection == kept.withLock({ $0 }) { return (result, sent) }
        }
        throw Unexpected("it uses no connection again")
    }
}

extension TransportCheck {
    /// An answer that can't be parsed isn't reported as a lost connection, after which a retry would repeat the call.
    static var spoiltAnswers: [TransportCheck] {
        let spoilt: [(String, String, String)] = [
            (
                "bad chunk size is told", "a chunk without a size is badResponse",
                "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"
            ),
            (
                "bad length is told", "a Content-Length that is no number is badResponse",
                "Content-Length: five\r\n\r\nabcde"
            ),
            (
                "negative length is told", "a Content-Length below zero is badResponse",
                "Content-Length: -5\r\n\r\nabcde"
            ),
            (
                "two lengths are told", "two different Content-Lengths are badResponse",
                "Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde"
            ),
            (
                "hexadecimal length is told",
                "a Content-Length that only begins like a number is badResponse",
                "Content-Length: 0x5\r\n\r\nabcde"
            ),
            (
                "missing colon is told", "a header without a colon is badResponse",
                "no colon here\r\nContent-Length: 2\r\n\r\nok"
            ),
        ]
        return spoilt.map { name, requirement, rest in
            TransportCheck(name, requirement) { bench in
                let error = try await bench.failure(.raw("HTTP/1.1 200 OK\r\n" + rest))
                try require("the code", error.code, is: .badResponse)
            }
        } + [
            TransportCheck("no TLS", "a server that speaks no TLS is insecureConnection") { bench in
                let server = try LoopbackServer(answering: { _ in .text("x") })
                defer { server.stop() }
                let url = URL(string: "https://127.0.0.1:\(server.port)/") ?? .anywhere
                let error = try await bench.failure(HTTPRequest(.get, url))
                try require("the code", error.code, is: .insecureConnection)
            },
            TransportCheck("Latin-1 header", "a value that is not UTF-8 is read as ISO-8859-1") {
                bench in
                let fields: [(name: String, value: [UInt8])] = [
                    ("X-Latin", [0x63, 0x61, 0x66, 0xE9]), ("X-Broken", [0xC3, 0xA9, 0xFF]),
                    ("X-UTF8", [0xC3, 0xA9]),
                ]
                // Each round's server sends its answer twice; in the second, after an interim response.
                for start in ["", "HTTP/1.1 103 Early Hints\r\nX-Latin: a\r\n\r\n"] {
                    var head = Data((start + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n").utf8)
                    for field in fields {
                        head += Data("\(field.name): ".utf8) + field.value + Data("\r\n".utf8)
                    }
                    let answer = LoopbackAnswer([.send(head + Data("\r\nok".utf8))])
                    let server = try LoopbackServer(answering: { _ in answer })
                    defer { server.stop() }
                    for _ in 0..<2 {
                        let response = try await bench.get(server)
                        let headers = response.headers
                        try require("X-Latin", headers["X-Latin"], is: "caf\u{e9}")
                        try require("X-Broken", headers["X-Broken"], is: "\u{c3}\u{a9}\u{ff}")
                        try require("X-UTF8", headers["X-UTF8"], is: "\u{e9}")
                        try require("the body", response.text, is: "ok")
                    }
                }
            },
        ]
    }
}
