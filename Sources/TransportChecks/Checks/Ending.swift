import Pledge
import PledgeTesting

extension TransportCheck {
    /// A cancelled call ends, in this process and on the wire.
    static var cancelling: [TransportCheck] {
        [
            TransportCheck("cancel at once", "a call cancelled at once ends as cancelled") {
                bench in
                let server = try LoopbackServer(answeringLater: { _ in Promise<LoopbackAnswer>() })
                defer { server.stop() }
                for _ in 0..<20 {
                    let call = bench.transport.send(HTTPRequest(.get, server.url))
                    call.cancel()
                    try await bench.requireCancelled(call)
                }
                // A transport may keep a connection that it opened for one of these calls, if it sent no request on it.
                // So only the hang-ups of requests that have arrived are awaited.
                _ = try await bench.inTime(server.allHungUp())
            },
            TransportCheck("cancel before the call", "a cancelled task's call sends nothing") {
                bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let transport = bench.transport
                for method in [HTTPMethod.get, .post] {
                    let call = await Task {
                        withUnsafeCurrentTask { $0?.cancel() }
                        return transport.send(HTTPRequest(method, server.url))
                    }.value
                    try await bench.requireCancelled(call)
                }
                try require("the body", try await bench.get(server).text, is: "ok")
                try require("the number of requests", server.requests.count, is: 1)
            },
            TransportCheck("cancel before the answer", "cancelling closes the connection") {
                bench in
                let answer = Promise<LoopbackAnswer>()
                let server = try LoopbackServer(answeringLater: { _ in answer })
                defer { server.stop() }
                let call = bench.transport.send(HTTPRequest(.get, server.url))
                _ = try await bench.inTime(server.received(1))
                call.cancel()
                try await bench.requireCancelled(call)
                _ = try await bench.inTime(server.connectionsOpen(atMost: 0))
            },
            TransportCheck("cancel in the body", "cancelling in the body closes the connection") {
                bench in
                let rest = Promise<Void>()
                let server = try LoopbackServer(answers: [
                    .stopping(after: "abc", of: 9, until: rest)
                ])
                defer { server.stop() }
                let call = bench.transport.send(HTTPRequest(.get, server.url))
                _ = try await bench.inTime(server.received(1))
                call.cancel()
                try await bench.requireCancelled(call)
                _ = try await bench.inTime(server.connectionsOpen(atMost: 0))
            },
            TransportCheck("cancel afterwards", "cancelling what has ended does no harm") { bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let call = bench.transport.send(HTTPRequest(.get, server.url))
                try require("the body", try await bench.inTime(call).text, is: "ok")
                call.cancel()
                try require("the next body", try await bench.get(server).text, is: "ok")
            },
            TransportCheck("cancel among many", "cancelling every other call leaves the others") {
                bench in
                let server = try LoopbackServer(answering: { .text($0.target) })
                defer { server.stop() }
                let calls = (0..<200).map { index in
                    bench.transport.send(HTTPRequest(.get, server.at("/\(index)")))
                }
                for index in stride(from: 0, to: 200, by: 2) { calls[index].cancel() }
                for index in stride(from: 1, to: 200, by: 2) {
                    let text = try await bench.inTime(calls[index]).text
                    try require("the body", text, is: "/\(index)")
                }
            },
            TransportCheck("cancel one of four", "cancelling a call closes its connection alone") {
                bench in
                let rest = Promise<Void>()
                let server = try LoopbackServer(answering: { request in
                    LoopbackAnswer([.hold(rest)] + LoopbackAnswer.text(request.target).steps)
                })
                defer { server.stop() }
                let calls = (0..<4).map { index in
                    bench.transport.send(HTTPRequest(.get, server.at("/\(index)")))
                }
                _ = try await bench.inTime(server.received(4))
                calls[2].cancel()
                try await bench.requireCancelled(calls[2])
                _ = try await bench.inTime(server.hungUp(1))
                rest.resolve(with: ())
                for index in [0, 1, 3] {
                    let text = try await bench.inTime(calls[index]).text
                    try require("the body", text, is: "/\(index)")
                }
            },
        ]
    }

    /// A deadline ends a call on time, and not earlier.
    static var timeLimits: [TransportCheck] {
        [
            TransportCheck("deadline", "a silent server meets the deadline of the context") {
                bench in
                let answer = Promise<LoopbackAnswer>()
                let server = try LoopbackServer(answeringLater: { _ in answer })
                defer { server.stop() }
                let deadline = CallDeadline(after: .milliseconds(300))
                let error = try await bench.failure(HTTPRequest(server.url), by: deadline)
                try require("the code", error.code, is: .timedOut)
                try require("what it says of the server", error.advisedOutcome, is: .outOfTime)
                try require("whether it came too soon", deadline.remaining > .zero, is: false)
                _ = try await bench.inTime(server.connectionsOpen(atMost: 0))
            },
            TransportCheck("deadline in the body", "a body that stops meets the deadline") {
                bench in
                let rest = Promise<Void>()
                let server = try LoopbackServer(answers: [
                    .stopping(after: "abc", of: 9, until: rest)
                ])
                defer { server.stop() }
                let deadline = CallDeadline(after: .milliseconds(300))
                let error = try await bench.failure(HTTPRequest(server.url), by: deadline)
                try require("the code", error.code, is: .timedOut)
            },
            TransportCheck("deadline passed", "a deadline that has passed sends nothing") { bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let deadline = CallDeadline(after: .seconds(-1))
                let error = try await bench.failure(HTTPRequest(server.url), by: deadline)
                try require("the code", error.code, is: .timedOut)
                try require("the number of requests", server.requests.count, is: 0)
            },
            TransportCheck("deadline's timer", "a call that has ended keeps no timer") { bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let scheduler = ManualScheduler()
                let deadline = CallDeadline(after: .seconds(5), on: scheduler)
                let call = CallContext(deadline: deadline).run {
                    bench.transport.send(HTTPRequest(.get, server.url))
                }
                try require("the body", try await bench.inTime(call).text, is: "ok")
                try require("whether a timer is left", scheduler.isIdle, is: true)
            },
        ]
    }
}

extension TransportBench {
    func requireCancelled<Value>(_ call: Future<Value>) async throws {
        switch await settled(call) {
        case .failure(is CancellationError): return
        case let other: throw Unexpected("it gives \(other) instead of CancellationError")
        }
    }
}

extension TransportCheck {
    /// Creates a check that a transport handles any bytes from a server.
    ///
    /// The check isn't in ``all``, because the caller provides the bytes, such as a corpus of randomly mutated
    /// responses. A server answers each request with one element of the array, and then closes the connection. The call
    /// must end, with a response or with an `HTTPError`. The body must not be longer than the bytes sent.
    ///
    /// - Parameter responses: Bytes as they go over the wire. Leave out `Content-Encoding`, because a decompressed body
    ///   may be longer than its bytes.
    public static func survives(_ responses: [Data]) -> TransportCheck {
        TransportCheck(
            "survives", "whatever a server sends, the call ends, and the next one works"
        ) { bench in
            let server = try LoopbackServer { request in
                guard let number = Int(request.target.dropFirst()) else {
                    return .text("still here")
                }
                return LoopbackAnswer([.send(responses[number]), .close])
            }
            defer { server.stop() }
            for (number, bytes) in responses.enumerated() {
                let request = HTTPRequest(.get, server.at("/\(number)"))
                let sent = String(decoding: bytes, as: UTF8.self).debugDescription
                switch await bench.settled(bench.transport.send(request)) {
                case .success(let response):
                    try require(
                        response.body.count <= bytes.count,
                        "a body of \(response.body.count) bytes came of \(sent)")
                case .failure(let error as Unexpected):
                    throw Unexpected("\(error.text) after \(sent)")
                case .failure(let error):
                    try require(
                        error is HTTPError, "\(type(of: error)): \(error) came of \(sent)")
                }
            }
            let last = try await bench.get(server, "/end")
            try require("the body of the next response", last.text, is: "still here")
        }
    }
}
