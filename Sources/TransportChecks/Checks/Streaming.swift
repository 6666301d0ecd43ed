import Pledge
import PledgeTesting

extension TransportCheck {
    /// A body can be read while it arrives, and can be abandoned.
    static var streaming: [TransportCheck] {
        [
            TransportCheck(
                "streamed head", "the head comes before the body is whole", needsStreaming: true
            ) { bench in
                let rest = Promise<Void>()
                let server = try LoopbackServer(answers: [
                    LoopbackAnswer([
                        .send(
                            Data("HTTP/1.1 201 Yes\r\nContent-Length: 6\r\nX-A: 1\r\n\r\nabc".utf8)),
                        .hold(rest), .send(Data("def".utf8)),
                    ])
                ])
                defer { server.stop() }
                let response = try await bench.stream(HTTPRequest(.get, server.url))
                try require("the status", response.status, is: 201)
                try require("X-A", response.headers["X-A"], is: "1")
                try require("the URL", response.url, is: server.url)
                try require("the length", response.body.length, is: 6)
                try require(
                    "whether a time is known", response.timing.untilHeaders != nil, is: true)
                try require(
                    "the first chunk", try await bench.inTime(response.body.next()),
                    is: Data("abc".utf8))
                rest.resolve(with: ())
                try require(
                    "the rest", try await bench.inTime(response.body.collected(upTo: 10)),
                    is: Data("def".utf8))
                try require("the end", try await bench.inTime(response.body.next()), is: nil)
            },
            TransportCheck(
                "streamed bulk", "8 MiB come whole, chunk by chunk", needsStreaming: true
            ) { bench in
                let data = Pattern.bytes(8 * 1_048_576)
                let server = try LoopbackServer(answering: { _ in .response(body: data) })
                defer { server.stop() }
                let response = try await bench.stream(HTTPRequest(.get, server.url))
                let body = try await bench.inTime(response.body.collected(upTo: data.count))
                try require("whether the body is the same", body == data, is: true)
            },
            TransportCheck(
                "streamed without a body", "HEAD, 204 and 304 end at once", needsStreaming: true
            ) { bench in
                let server = try LoopbackServer(answers: [
                    .text("x"), .response(204), .response(304),
                ])
                defer { server.stop() }
                for (method, status) in [(HTTPMethod.head, 200), (.get, 204), (.get, 304)] {
                    let response = try await bench.stream(HTTPRequest(method, server.url))
                    try require("the status", response.status, is: status)
                    try require("the end", try await bench.inTime(response.body.next()), is: nil)
                }
            },
            TransportCheck(
                "streamed statuses", "a response with any status is streamed, and not followed",
                needsStreaming: true
            ) { bench in
                for status in [301, 302, 401, 404, 500] {
                    let server = try LoopbackServer(answering: { _ in
                        .text(
                            "why", status: status,
                            headers: ["Location": "/next", "WWW-Authenticate": "Basic realm=\"a\""])
                    })
                    defer { server.stop() }
                    let response = try await bench.stream(HTTPRequest(.get, server.url))
                    try require("the status", response.status, is: status)
                    let body = try await bench.inTime(response.body.collected(upTo: 10))
                    try require("the body", body, is: Data("why".utf8))
                    try require("the number of requests", server.requests.count, is: 1)
                }
            },
            TransportCheck(
                "streamed interim responses", "100 and 103 are not the head", needsStreaming: true
            ) { bench in
                let server = try LoopbackServer(answering: { _ in
                    .raw(
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                })
                defer { server.stop() }
                let response = try await bench.stream(HTTPRequest(.get, server.url))
                try require("the status", response.status, is: 200)
                let body = try await bench.inTime(response.body.collected(upTo: 10))
                try require("the body", body, is: Data("ok".utf8))
            },
            TransportCheck(
                "streams after each other", "a connection whose stream was read is used again",
                needsStreaming: true
            ) { bench in
                let server = try LoopbackServer(answering: { _ in .chunked(["a", "bc"]) })
                defer { server.stop() }
                for _ in 0..<3 {
                    let response = try await bench.stream(HTTPRequest(.get, server.url))
                    let body = try await bench.inTime(response.body.collected(upTo: 10))
                    try require("the body", body, is: Data("abc".utf8))
                    try require("the end", try await bench.inTime(response.body.next()), is: nil)
                }
                try require("the number of connections", server.acceptedConnections, is: 1)
            },
            TransportCheck(
                "stream hang up", "a stream without an answer is connectionLost",
                needsStreaming: true
            ) { bench in
                let server = try LoopbackServer(answering: { _ in .hangUp })
                defer { server.stop() }
                guard let stream = bench.transport.stream else { return }
                let error = try await bench.failure(of: stream(HTTPRequest(.get, server.url)))
                try require("the code", error.code, is: .connectionLost)
            },
            TransportCheck(
                "stream cancelled before its head", "cancelling closes the connection",
                needsStreaming: true
            ) { bench in
                let server = try LoopbackServer(answeringLater: { _ in Promise<LoopbackAnswer>() })
                defer { server.stop() }
                guard let stream = bench.transport.stream else { return }
                let call = stream(HTTPRequest(.get, server.url))
                _ = try await bench.inTime(server.received(1))
                call.cancel()
                try await bench.requireCancelled(call)
                _ = try await bench.inTime(server.connectionsOpen(atMost: 0))
            },
            TransportCheck(
                "late reader", "a reader who comes after a failure gets it", needsStreaming: true
            ) { bench in
                let rest = Promise<Void>()
                let server = try LoopbackServer(answers: [
                    .stopping(after: "", of: 4, until: rest, then: [.reset])
                ])
                defer { server.stop() }
                let response = try await bench.stream(HTTPRequest(.get, server.url))
                rest.resolve(with: ())
                _ = try await bench.inTime(server.connectionsOpen(atMost: 0))
                for _ in 0..<2 {
                    let error = try await bench.failure(of: response.body.next())
                    try require("the code", error.code, is: .connectionLost)
                }
            },
            TransportCheck(
                "stream breaks off", "a body that breaks off fails the stream, after what came",
                needsStreaming: true
            ) { bench in
                let rest = Promise<Void>()
                let server = try LoopbackServer(answers: [
                    .stopping(after: "abc", of: 9, until: rest, then: [.close])
                ])
                defer { server.stop() }
                let response = try await bench.stream(HTTPRequest(.get, server.url))
                try require(
                    "the chunk", try await bench.inTime(response.body.next()), is: Data("abc".utf8))
                rest.resolve(with: ())
                let error = try await bench.failure(of: response.body.next())
                try require("the code", error.code, is: .connectionLost)
            },
            slowReading,
            left("stream cancelled", "cancelling the stream closes the connection") {
                $0.body.cancel()
            },
            left("stream released", "releasing an unread stream closes the connection") { _ in },
            TransportCheck(
                "stream deadline", "the deadline holds for the body as well", needsStreaming: true
            ) { bench in
                let rest = Promise<Void>()
                let server = try LoopbackServer(answering: { _ in
                    .stopping(after: "abc", of: 9, until: rest)
                })
                defer { server.stop() }
                let response = try await bench.streamUntilDeadline(server)
                let error = try await bench.failure(of: response.body.collected(upTo: 10))
                try require("the code", error.code, is: .timedOut)
            },
            TransportCheck(
                "held back", "what is not read is not fetched without end", needsStreaming: true
            ) { bench in
                let size = 64 * 1_048_576
                let server = try LoopbackServer(answering: { _ in .response(body: Data(count: size))
                })
                defer { server.stop() }
                let response = try await bench.stream(HTTPRequest(.get, server.url))
                _ = try await bench.inTime(response.body.next())
                // Meanwhile other calls work, and then the rest of the body arrives.
                let other = try LoopbackServer(answering: { _ in .text("ok") })
                defer { other.stop() }
                for _ in 0..<50 { _ = try await bench.get(other) }
                var count = 0
                while let chunk = try await bench.inTime(response.body.next()) {
                    count += chunk.count
                }
                try require("whether the rest came", count > size / 2, is: true)
            },
        ]
    }

    private static func left(
        _ name: String, _ requirement: String,
        _ leave: @escaping @Sendable (HTTPStreamedResponse) -> Void
    ) -> TransportCheck {
        TransportCheck(name, requirement, needsStreaming: true) { bench in
            let rest = Promise<Void>()
            let server = try LoopbackServer(answers: [
                .stopping(after: "abc", of: 9, until: rest)
            ])
            defer { server.stop() }
            leave(try await bench.stream(HTTPRequest(.get, server.url)))
            try require("the number of requests", server.requests.count, is: 1)
            _ = try await bench.inTime(server.connectionsOpen(atMost: 0))
        }
    }
}

extension TransportBench {
    /// The response to a request whose deadline passes after the head has arrived.
    ///
    /// The first deadline is half a second. On a busy machine the head may come later, so each further try has ten
    /// times the last limit.
    fileprivate func streamUntilDeadline(
        _ server: LoopbackServer
    ) async throws -> HTTPStreamedResponse {
        var limit = Duration.milliseconds(500)
        while true {
            let deadline = CallDeadline(after: limit)
            do {
                return try await stream(HTTPRequest(server.url), by: deadline)
            } catch let error as HTTPError
                where error.code == .timedOut && limit < transport.patience
            {
                limit *= 10
            }
        }
    }
}

extension TransportCheck {
    /// A slow reader gets the whole body.
    static var slowReading: TransportCheck {
        TransportCheck(
            "slow reader", "48 MiB come whole to a reader who is slower than the server",
            needsStreaming: true
        ) { bench in
            let piece = Pattern.bytes(1_048_576)
            let count = 48
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(count * piece.count)\r\n\r\n"
            let pieces = (0..<count).map { _ in LoopbackAnswer.Step.send(piece) }
            let server = try LoopbackServer(answering: { _ in
                LoopbackAnswer([.send(Data(head.utf8))] + pieces)
            })
            let other = try LoopbackServer(answering: { _ in .text("ok") })
            defer {
                server.stop()
                other.stop()
            }
            let response = try await bench.stream(HTTPRequest(.get, server.url))
            var received = 0
            while let chunk = try await bench.inTime(response.body.next()) {
                // After each chunk of the first 2 MiB, ten calls to another server make the reader slow.
                if received < 2 * piece.count {
                    for _ in 0..<10 { _ = try await bench.get(other) }
                }
                let first = received
                var rest = chunk[...]
                while !rest.isEmpty {
                    let expected = piece.dropFirst(received % piece.count).prefix(rest.count)
                    guard rest.prefix(expected.count) == expected else {
                        throw Unexpected("the chunk after \(first) bytes is another one")
                    }
                    received += expected.count
                    rest = rest.dropFirst(expected.count)
                }
            }
            try require("the number of bytes", received, is: count * piece.count)
        }
    }
}
