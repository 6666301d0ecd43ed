import CPledgeCurl
import Dispatch
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeObservation
import PledgeServices
import PledgeStorage
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime)
struct CurlTransportStreamTests {
    private let transport: CurlTransport

    /// Without an idle timeout: a test among thousands may wait for its turn for minutes.
    init() throws { transport = try .with { $0.idleTimeout = nil } }

    @Test func aSlowReaderHoldsTheServerBack() async throws {
        let size = 64 << 20
        let sent = Locked(0)
        let server = try SocketServer { connection in
            while let head = connection.head() {
                guard head.contains("/large") else {
                    connection.answer("ok")
                    continue
                }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                let piece = [UInt8](repeating: 7, count: 1 << 16)
                while sent.withLock({ $0 }) < size, connection.send(piece) {
                    sent.withLock { $0 += piece.count }
                }
            }
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url("/large"))).soon
        #expect(await comesTrue { sent.withLock { $0 } > 1 << 20 })
        // Turns in which the server could continue.
        for _ in 0..<200 { _ = try await transport.get(server.url("/small")).soon }
        // The sockets hold some megabytes; the transport holds at most the unread bytes that the limit
        // allows.
        #expect(sent.withLock { $0 } < 24 << 20)
        var count = 0
        for try await chunk in response.body {
            #expect(chunk.allSatisfy { $0 == 7 })
            // The unread bytes that the limit allows, and one of libcurl's buffers, although the sockets hold
            // more.
            #expect(chunk.count <= (1 << 20) + 65_536)
            count += chunk.count
        }
        #expect(count == size)
        try await transport.close().soon
        server.stop()
    }

    @Test func anUploadsServerHasNoBytesThatWereOnlyReadAhead() async throws {
        let folder = try TestFolder()
        let file = try folder.file("film", Data())
        #expect(truncate(file.path, 64 << 20) == 0)
        let read = Locked<Int64>(0)
        let turn = DispatchSemaphore(value: 0)
        let server = try SocketServer { connection in
            while let head = connection.head() {
                switch head.prefix(4) {
                case "POST":
                    connection.send(
                        "HTTP/1.1 201 Created\r\nLocation: /up\r\nContent-Length: 0\r\n\r\n")
                case "PATC":
                    turn.wait()
                    return
                case "HEAD":
                    // It claims all that the transport has read of the file.
                    let offset = read.withLock { $0 }
                    connection.send("HTTP/1.1 204 No Content\r\nUpload-Offset: \(offset)\r\n\r\n")
                default: connection.answer("ok")
                }
            }
        }
        defer { server.stop() }
        let sent = Locked<Int64>(0)
        var client = HTTPClient(base: server.url(), over: transport)
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        client.circuitBreaker = nil
        client.aroundCall = .init(changing: { request in
            var request = request
            let note = request.context.noteSentBytes
            request.context.noteSentBytes = { count in
                sent.withLock { $0 = max($0, count) }
                note?(count)
            }
            return request
        })
        let upload = client.futures.upload(file, to: "/files", by: .tus) { count, _ in
            // libcurl may begin again with a body whose connection was lost.
            read.withLock { $0 = max($0, count) }
        }
        #expect(await comesTrue { read.withLock { $0 } > 1 << 18 })
        // Turns in which the sockets fill up.
        for _ in 0..<200 { _ = try await transport.get(server.url("/small")).soon }
        turn.signal()
        let error = await #expect(throws: HTTPError.self) { try await upload.soon }
        #expect(error?.code == .badResponse && error?.request?.method != .patch)
        let (readCount, sentCount) = (read.withLock { $0 }, sent.withLock { $0 })
        #expect(sentCount > 0 && sentCount < readCount && readCount < 64 << 20)
        try await transport.close().soon
    }

    @Test func theTimeLimitsDoNotCountTheTimeInWhichBytesInMemoryAreSent() async throws {
        let upload = try SlowUpload()
        defer { upload.stop() }
        var client = HTTPClient(
            base: nil, over: try CurlTransport.with(on: upload.scheduler) { _ in })
        client.scheduler = upload.scheduler
        client.attemptTimeout = .seconds(10)
        client.deadline = .seconds(15)
        client.retry = nil
        try await upload.expectLimitsToBeginAfterwards(client.futures.send)
    }

    @Test(arguments: [nil, Duration.seconds(60)])
    func onlyTheCallersDeadlineEndsAStreamedBody(caller: Duration?) async throws {
        let scheduler = ManualScheduler()
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            let steps = LoopbackAnswer.text("whole").steps
            return LoopbackAnswer([steps[0], .hold(go)] + steps.dropFirst())
        }
        var client = HTTPClient(base: nil, over: try CurlTransport.with(on: scheduler) { _ in })
        client.scheduler = scheduler
        client.deadline = .seconds(15)
        let own = caller.map { CallDeadline(after: $0, on: scheduler) }
        let request = HTTPRequest(server.url)
        let call = CallContext(deadline: own).run { client.futures.stream(request) }
        let body = try await call.soon.collected(upTo: 100)
        scheduler.advance(by: .seconds(59))
        #expect(!body.isSettled)
        scheduler.advance(by: .seconds(1))
        if caller == nil {
            go.resolve()
            #expect(try await body.soon.text == "whole")
        } else {
            let error = await #expect(throws: HTTPError.self) { try await body.soon }
            #expect(error?.code == .timedOut)
            go.resolve()
        }
    }

    @Test func aSlowServerHoldsTheSourceBack() async throws {
        let goes = Promise<Void>()
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            while !goes.isSettled {}
            guard connection.bytes(64 << 20) != nil else { return }
            connection.answer("ok")
            connection.awaitEnd()
        }
        let asked = Locked(0)
        let source = HTTPRequest.BodySource(length: 64 << 20, isReplayable: true) {
            HTTPBodyStream(
                length: 64 << 20,
                next: {
                    let count = asked.withLock { asked in
                        asked += 1
                        return asked
                    }
                    return Future(value: count > 1_024 ? nil : Data(count: 65_536))
                })
        }
        let call = transport.send(HTTPRequest(.put, server.url(), body: .stream(source)))
        let other = try LoopbackServer { _ in .text("ok") }
        #expect(await comesTrue { asked.withLock { $0 } >= 4 })
        for _ in 0..<200 { _ = try await transport.get(other).soon }
        // The bytes in the two sockets, and those that are read ahead.
        #expect(asked.withLock { $0 } < 512)
        goes.resolve()
        #expect(try await call.soon.text == "ok")
        try await transport.close().soon
        server.stop()
    }

    @Test func aBodyMayBeSentWhileTheAnswerIsRead() async throws {
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            // Each chunk comes as "1\r\nx\r\n", and goes back as it is; the last one has a byte less.
            while let chunk = connection.bytes(5), chunk.first == UInt8(ascii: "1"),
                let last = connection.bytes(1)
            {
                connection.send(chunk + last)
            }
            connection.send("0\r\n\r\n")
        }
        let source = ScriptedSource()
        let body = HTTPRequest.BodySource(isReplayable: true) { source.stream() }
        let call = transport.stream(HTTPRequest(.post, server.url(), body: .stream(body)))
        let response = try await call.soon
        for (index, text) in ["a", "b", "c", "d", "e"].enumerated() {
            #expect(await comesTrue { source.asked == index + 1 })
            source.give(text)
            #expect(try await response.body.next().soon == Data(text.utf8))
        }
        #expect(await comesTrue { source.asked == 6 })
        source.give(nil)
        #expect(try await response.body.next().soon == nil)
        try await transport.close().soon
        server.stop()
    }

    @Test func aSourceThatFailsFailsTheCall() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let sources = [
            HTTPRequest.BodySource(isReplayable: true) { throw Broken() },
            HTTPRequest.BodySource(isReplayable: true) {
                HTTPBodyStream(next: { Future(error: Broken()) })
            },
        ]
        for source in sources {
            let request = HTTPRequest(.post, server.url, body: .stream(source))
            let error = try await transport.send(request).httpError
            #expect(error.code == .bodyUnreadable)
            #expect(error.cause is Broken)
        }
        #expect(server.requests.isEmpty)
    }
}

/// What a server has said comes back byte by byte.
///
/// In the texts here a character stands for a byte.
@Suite(.oneAtATime) struct CurlTransportBytesTests {
    /// A server that answers each request with the next status and fields, and records the requests' heads.
    private final class Site: Sendable {
        private let heads = Locked<[String]>([])
        private let server: SocketServer

        init(_ answers: (status: Int, fields: String)...) throws {
            let left = Locked(answers[...])
            server = try SocketServer { [heads] connection in
                while let head = connection.headBytes() {
                    heads.withLock { $0.append(HTTPHeaders.text(ofLatin1: head)) }
                    let (status, fields) = left.withLock { $0.popFirst() } ?? (200, "X: y")
                    let answer =
                        "HTTP/1.1 \(status) Status\r\n\(fields)\r\nContent-Length: 2\r\n\r\nok"
                    connection.send(HTTPHeaders.bytes(ofLatin1: answer) ?? [])
                }
            }
        }

        func stop() { server.stop() }

        var url: URL { server.url() }

        /// The lines of the heads, in order.
        var requests: [[String]] {
            heads.withLock { $0 }.map { head in
                head.unicodeScalars.split(separator: "\n").map { String($0.dropLast()) }
            }
        }
    }

    private func send(_ service: HTTPService, to site: Site) async throws -> HTTPResponse {
        try await service(HTTPRequest(.get, site.url)).soon
    }

    @Test func locationAndCookiesKeepTheirBytes() async throws {
        let site = try Site(
            (302, "Location: /caf\u{E9}\r\nSet-Cookie: a=\u{E9}\u{85}; Path=/"))
        defer { site.stop() }
        let service: HTTPService = stack(
            .redirect(), .cookies(sharing: CookieJar()), over: CurlTransport.patient.send)

        #expect(try await send(service, to: site).status == 200)
        #expect(site.requests.last?.first == "GET /caf%E9 HTTP/1.1")
        #expect(site.requests.last?.contains("Cookie: a=\u{E9}\u{85}") == true)
    }

    @Test(arguments: ["\u{85}", "\u{E9}", "\u{C2}\u{85}", "\u{EF}\u{BF}\u{BD}", "\u{80}\u{FF}"])
    func aValidatorKeepsItsBytes(bytes: String) async throws {
        let fields =
            "Cache-Control: max-age=0\r\nETag: \"\(bytes)\"\r\nLast-Modified: \(bytes)"
        let site = try Site((200, fields), (200, fields))
        defer { site.stop() }
        let service: HTTPService = stack(
            .cache(sharing: HTTPCache()), over: CurlTransport.patient.send)

        for _ in 1...3 { #expect(try await send(service, to: site).status == 200) }
        #expect(site.requests.count == 3)
        for request in site.requests.dropFirst() {
            #expect(request.contains("If-None-Match: \"\(bytes)\""))
            #expect(request.contains("If-Modified-Since: \(bytes)"))
        }
    }

    @Test func aValidatorWithAControlCharacterIsLeftOut() async throws {
        let fields = "Cache-Control: max-age=0\r\nETag: \"v\u{7F}\"\r\nLast-Modified: \u{1}"
        let site = try Site((200, fields), (200, fields))
        defer { site.stop() }
        let service: HTTPService = stack(
            .cache(sharing: HTTPCache()), over: CurlTransport.patient.send)

        for _ in 1...2 { #expect(try await send(service, to: site).status == 200) }
        #expect(site.requests.count == 2)
        #expect(site.requests.joined().allSatisfy { !$0.hasPrefix("If-") })
    }

    @Test func aNonceKeepsItsBytes() async throws {
        let nonce = "nonce=\"n\u{85}\u{E9}\""
        let site = try Site(
            (401, "WWW-Authenticate: Digest realm=\"r\u{FF}\", qop=\"auth\", \(nonce)"))
        defer { site.stop() }
        let service: HTTPService = stack(
            .authorize(.digest(user: "u", password: "p"), for: .all),
            over: CurlTransport.patient.send)

        for _ in 1...2 { #expect(try await send(service, to: site).status == 200) }
        #expect(site.requests.count == 3)
        for request in site.requests.dropFirst() {
            #expect(request.contains { $0.contains("realm=\"r\u{FF}\"") && $0.contains(nonce) })
        }
    }

    @Test func aLineWithoutAFieldsNameIsDroppedAndABareCRIsASpace() async throws {
        let site = try Site((200, "X-A : 1\r\n folded\r\nX-B: 2\rX-C: 3\r\nX-D: 4"))
        defer { site.stop() }

        // From 8.21 on, libcurl refuses a bare CR.
        if ccurl_version_number() >= 0x081500 {
            let error = try await CurlTransport.patient.get(site.url).httpError
            #expect("\(error)".contains("a line of its head has a bare carriage return"))
            return
        }
        let response = try await send(CurlTransport.patient.send, to: site)

        #expect(response.status == 200 && response.text == "ok")
        #expect(response.headers.map(\.name) == ["X-B", "X-D", "Content-Length"])
        #expect(response.headers["X-B"] == "2 X-C: 3")
    }
}

@Suite(.oneAtATime)
struct CurlTransportDeliveryTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer { .text($0.target) } }

    @Test func inlineIsTheTransportsThread() async throws {
        let transport = try CurlTransport.with(delivery: .inline) { _ in }
        let threads = TestLog<String?>()
        let seen = Promise<Void>()
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        // The second call begins where the first one ends: on the transport's thread.
        transport.get(server).observe { _ in
            threads.append(Thread.current.name)
            transport.get(server).observe { _ in
                threads.append(Thread.current.name)
                seen.resolve()
            }
        }
        go.resolve()
        try await seen.soon
        #expect(threads.elements == ["Pledge.Curl", "Pledge.Curl"])
    }

    @Test func serialIsAQueueInTheOrderOfTheResponses() async throws {
        let queue = DispatchQueue(label: "results")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let transport = try CurlTransport.with(delivery: .serial(queue)) {
            // On one connection, the responses have the order of the requests.
            $0.maxConnectionsPerHost = 1
        }
        // An observer that is added after the response runs where it is added, so no response comes before
        // all are added.
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        let log = TestLog<String>()
        let done = Locked(0)
        for number in 0..<100 {
            transport.get(server, "\(number)").observe { result in
                let isThere = DispatchQueue.getSpecific(key: key) == true
                log.append("\((try? result.get())?.text ?? "failed") \(isThere)")
                done.withLock { $0 += 1 }
            }
        }
        go.resolve()
        #expect(await comesTrue { done.withLock { $0 } == 100 })
        #expect(log.elements == server.requests.map { "\($0.target) true" })
    }

    @Test func concurrentLetsAnObserverBlock() async throws {
        let transport = CurlTransport.patient
        let gate = DispatchSemaphore(value: 0)
        let blocked = Promise<Void>()
        transport.get(server).observe { _ in
            blocked.resolve()
            gate.wait()
        }
        try await blocked.soon
        for number in 0..<20 {
            #expect(try await transport.get(server, "\(number)").soon.text == "/\(number)")
        }
        gate.signal()
    }

    @Test(arguments: ["inline", "serial", "concurrent"])
    func aBodyIsReadInOrder(name: String) async throws {
        let delivery: CurlTransport.Delivery =
            switch name {
            case "inline": .inline
            case "serial": .serial(DispatchQueue(label: "results"))
            default: .concurrent
            }
        let transport = try CurlTransport.with(delivery: delivery) { $0.maxUnreadBytes = 100 }
        let pieces = (0..<2_000).map { "\($0) " }
        let server = try LoopbackServer { _ in .chunked(pieces) }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
        var text = ""
        for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text == pieces.joined())
    }
}

/// The events that the transport reports to observers.
@Suite(.oneAtATime)
struct CurlTransportObservedTests {
    @Test func aWaterfallShowsByWhatConnectionAResponseCame() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let transport = CurlTransport.patient
        let recorder = CallRecorder()
        let send = stack(
            .observed(by: recorder.observer, named: { (_: HTTPRequest) in "load" }),
            over: transport.send)

        var notes: [String] = []
        for _ in 0..<2 {
            _ = try await send(HTTPRequest(.get, server.url)).value
            let waterfall = try #require(recorder.lastCall?.waterfall())
            notes += waterfall.split(separator: "\n").filter { $0.contains("* note") }.map(
                String.init)
        }

        let place = "HTTP/1.1 127.0.0.1:\(try #require(server.url.port))"
        try #require(notes.count == 4, "\(notes)")
        #expect(notes[0].contains("\(place), new"))
        #expect(notes[1].contains("connected") && notes[1].contains("first byte"))
        #expect(notes[2].contains("\(place), reused"))
        #expect(!notes[3].contains("connected") && notes[3].contains("first byte"))
        try await transport.close().value
    }

    @Test func aStreamedResponseIsToldOfAtItsHead() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let transport = CurlTransport.patient
        let recorder = CallRecorder()
        let stream: HTTPStreamingService = stack(
            .observed(by: recorder.observer, named: { _ in "load" }), over: transport.stream)
        _ = try await stream(HTTPRequest(.get, server.url)).value.collected(upTo: 100).value
        #expect(recorder.lastCall?.waterfall().contains("* note") == true)
        try await transport.close().value
    }
}
