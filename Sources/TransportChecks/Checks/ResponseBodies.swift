import Pledge
import PledgeTesting

extension TransportCheck {
    /// Bodies arrive complete, with every kind of framing.
    static var responseBodies: [TransportCheck] {
        let framed: [(Name, String, LoopbackAnswer, String)] = [
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
                // The output of zlib for "content", as members of RFC 1952.
                let zipped = Data(base64Encoded: "H4sIAAAAAAAC/0vOzytJzSsBAKkwxf4HAAAA") ?? Data()
                let response = try await bench.get(
                    .response(headers: ["Content-Encoding": "gzip"], body: zipped))
                let isDecoded = response.headers["Content-Encoding"] == nil
                try require(
                    "the body", response.body, is: isDecoded ? Data("content".utf8) : zipped)
            },
        ]
    }

    /// The transport returns redirects to the caller.
    static var redirects: [TransportCheck] {
        let followed = [301, 302, 303, 307, 308].map { status in
            TransportCheck(
                .init(rawValue: "redirect \(status)"),
                "\(status) comes back with its Location and body, and is not followed"
            ) { bench in
                let server = try LoopbackServer(answering: { request in
                    request.target == "/"
                        ? .text("moved", status: status, headers: ["Location": "/next"])
                        : .text("followed")
                })
                defer { server.stop() }
                let response = try await bench.send(
                    HTTPRequest(.post, server.url, body: .data(Data("x".utf8))))
                try require("the status", response.status, is: status)
                try require("the body", response.text, is: "moved")
                try require("Location", response.headers["Location"], is: "/next")
                try require("the number of requests", server.requests.count, is: 1)
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
    /// Requires that an answer is too large, and that its error keeps nothing of it.
    fileprivate func refuses(_ answer: LoopbackAnswer) async throws {
        let error = try await failure(answer)
        try require("the code", error.code, is: .bodyTooLarge)
        try require("the bytes that the error keeps", error.body.count, is: 0)
    }
}
