#if os(Linux)
import PledgeServices
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// What a server over HTTP/2 says between the lines: that it excludes a request, or has answered early.
@Suite(.alone)
struct HTTP2Tests {
    private func post(_ site: HTTP2Site, _ body: Data = Data("once".utf8)) -> HTTPRequest {
        HTTPRequest(.post, site.url, body: .data(body))
    }

    /// A server that answers the first stream of its first connection, and all of the others.
    ///
    /// - Parameter second: What it does with the second stream of the first connection; the connection is
    ///   then closed.
    private func site(
        _ log: TestLog<String>,
        second: @escaping @Sendable (HTTP2Frames, _ stream: UInt32) -> Void
    ) async throws -> HTTP2Site? {
        try await HTTP2Site.start(
            http1: { connection, head in
                HTTP2Site.answer(connection, head) { head in
                    log.append("\(head.prefix { $0 != " " }) by HTTP/1.1")
                    return ("HTTP/1.1", 200)
                }
            },
            http2: { connection, frames in
                while let frame = frames.next() {
                    guard case .head(let stream, _, _) = frame else { continue }
                    let isChosen = stream > 1 && log.elements.contains("first")
                    log.append(log.elements.isEmpty ? "first" : "stream \(stream)")
                    guard isChosen, !log.elements.contains("chosen") else {
                        frames.answer(stream, "HTTP/2")
                        continue
                    }
                    log.append("chosen")
                    second(frames, stream)
                    // A close with bytes that nobody has read would be a reset, which overtakes what was sent.
                    connection.finishSending()
                    return connection.awaitEnd()
                }
            })
    }

    /// How a server says that it ends a connection, and excludes the stream in question.
    enum Leaving: CaseIterable {
        case goAway, goAwayInTwoSteps, refusal, refusalAndGoAway

        func end(_ stream: UInt32, _ frames: HTTP2Frames) {
            switch self {
            case .goAway: frames.goAway(last: stream - 2)
            case .goAwayInTwoSteps:
                frames.goAway(last: 0x7FFF_FFFF)
                frames.goAway(last: stream - 2)
            case .refusal: frames.reset(stream, .refusedStream)
            case .refusalAndGoAway:
                frames.reset(stream, .refusedStream)
                frames.goAway(last: stream - 2)
            }
        }
    }

    @Test(arguments: Leaving.allCases)
    func aGETThatTheServerExcludesIsSentAgain(leaving: Leaving) async throws {
        let log = TestLog<String>()
        guard let site = try await site(log, second: { leaving.end($1, $0) }) else { return }
        defer { site.stop() }
        let transport = try site.transport()
        for _ in 1...3 { #expect(try await transport.get(site.url).soon.text == "HTTP/2") }
        #expect(log.elements == ["first", "stream 3", "chosen", "stream 1", "stream 3"])
        try await transport.close().soon
    }

    @Test func aServerThatAlwaysLeavesIsLostAndMayBeAskedAgain() async throws {
        let site = try await HTTP2Site.start { _, frames in
            guard case .head = frames.next() else { return }
            frames.goAway(last: 0)
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport()
        let error = try await transport.get(site.url).httpError
        #expect(error.code == .connectionLost)
        #expect(error.advisedOutcome.retry != .never)
        try await transport.close().soon
    }

    @Test func aGETIsSentAgainUnderEveryGOAWAYOfNginx() async throws {
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        let transport = try site.transport()
        let url = try site.url(.leavesOften)
        for _ in 0..<50 {
            for call in (0..<20).map({ _ in transport.get(url) }) {
                #expect(try await call.soon.text.hasPrefix("HTTP/2.0"))
            }
        }
        try await transport.close().soon
    }
}

// MARK: - Bodies

extension HTTP2Tests {
    /// A server that refuses each request as soon as it has its head, as Go's do.
    private func refusingSite() async throws -> HTTP2Site? {
        try await HTTP2Site.start(
            http1: { connection, head in
                HTTP2Site.answer(connection, head) { _ in ("sign in", 401) }
            },
            http2: { _, frames in
                while let frame = frames.next() {
                    guard case .head(let stream, let isLast, _) = frame else { continue }
                    frames.answer(stream, "sign in", status: 401)
                    if !isLast { frames.reset(stream, .noError) }
                }
            })
    }

    @Test(arguments: [(30, 300), (300_000, 20)])
    func aServerThatAnswersBeforeItReadsTheBodyIsHeard(size: Int, count: Int) async throws {
        guard let site = try await refusingSite() else { return }
        defer { site.stop() }
        let transport = try site.transport()
        for method in [HTTPMethod.post, .put] {
            let request = HTTPRequest(method, site.url, body: .data(Data(count: size)))
            for _ in 0..<count / 2 {
                let response = try await transport.send(request).soon
                #expect(response.status == 401 && response.text == "sign in")
            }
        }
        try await transport.close().soon
    }

    @Test func manyAtOnceAreHeardToo() async throws {
        guard let site = try await refusingSite() else { return }
        defer { site.stop() }
        let transport = try site.transport()
        let request = post(site, Data(count: 300_000))
        for call in (0..<40).map({ _ in transport.send(request) }) {
            #expect(try await call.soon.status == 401)
        }
        try await transport.close().soon
    }

    @Test func requestsWithoutABodyKeepToHTTP2() async throws {
        let site = try await HTTP2Site.start { _, frames in
            while let frame = frames.next() {
                if case .head(let stream, _, _) = frame { frames.answer(stream, "HTTP/2") }
            }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport()
        let library = try CurlLibrary.lookUp()
        let isSafe = library.keepsEarlyAnswers && library.tellsRefusals
        for _ in 1...3 {
            #expect(try await transport.get(site.url).soon.text == "HTTP/2")
            let answer = try await transport.send(post(site)).soon
            #expect(answer.text == (isSafe ? "HTTP/2" : "HTTP/1.1"))
            #expect(answer.timing.connection?.protocolVersion == answer.text)
        }
        // One for each version: the calls of one kind share a connection.
        #expect(site.server.acceptedConnections == (isSafe ? 1 : 2))
        try await transport.close().soon
    }

    @Test func aServerThatIsKnownToSpeakHTTP2GetsBodiesByIt() async throws {
        let site = try await HTTP2Site.start { _, frames in
            while let frame = frames.next() {
                if case .head(let stream, _, _) = frame { frames.answer(stream, "HTTP/2") }
            }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport { $0.versions = .http2 }
        #expect(try await transport.send(post(site)).soon.text == "HTTP/2")
        try await transport.close().soon
    }

    @Test func aServerThatSpeaksOnlyHTTP2GetsBodiesByIt() async throws {
        let site = try await HTTP2Site.start(offering: "h2") { _, frames in
            while let frame = frames.next() {
                if case .head(let stream, _, _) = frame { frames.answer(stream, "HTTP/2") }
            }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport()
        #expect(try await transport.send(post(site)).soon.text == "HTTP/2")
        let streamed = try await transport.stream(HTTPRequest(.get, site.url)).soon
        #expect(try await streamed.body.collected(upTo: 100).soon == Data("HTTP/2".utf8))
        try await transport.close().soon
    }
}

// MARK: - Requests that may not be sent twice

extension HTTP2Tests {
    @Test(arguments: Leaving.allCases)
    func aPOSTThatTheServerExcludesSucceeds(leaving: Leaving) async throws {
        let log = TestLog<String>()
        guard let site = try await site(log, second: { leaving.end($1, $0) }) else { return }
        defer { site.stop() }
        let transport = try site.transport()
        _ = try await transport.get(site.url).soon
        // Both have the version that is safe with this libcurl.
        for body in [Data(), Data("once".utf8)] {
            #expect(try await transport.send(post(site, body)).soon.status == 200)
        }
        try await transport.close().soon
    }

    @Test(arguments: Leaving.allCases)
    func byHTTP2AloneItSucceedsWhereLibcurlSaysThatItWasExcluded(leaving: Leaving) async throws {
        let log = TestLog<String>()
        guard let site = try await site(log, second: { leaving.end($1, $0) }) else { return }
        defer { site.stop() }
        let transport = try site.transport { $0.versions = .http2 }
        _ = try await transport.get(site.url).soon
        let call = transport.send(post(site))
        if try CurlLibrary.lookUp().tellsRefusals {
            #expect(try await call.soon.text == "HTTP/2")
            #expect(log.elements == ["first", "stream 3", "chosen", "stream 1"])
        } else {
            #expect(try await call.httpError.code == .connectionLost)
            #expect(log.elements == ["first", "stream 3", "chosen"])
        }
        try await transport.close().soon
    }

    @Test func aServerThatAlwaysExcludesAPOSTMayBeAskedAgain() async throws {
        let site = try await HTTP2Site.start { _, frames in
            while let frame = frames.next() {
                if case .head(let stream, _, _) = frame { frames.reset(stream, .refusedStream) }
            }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport { $0.versions = .http2 }
        let error = try await transport.send(post(site)).httpError
        #expect(error.code == .connectionLost && error.advisedOutcome.retry != .never)
        #expect(try error.isCertainlyUnsent == CurlLibrary.lookUp().tellsRefusals)
        try await transport.close().soon
    }

    @Test func aPOSTThatMayHaveBeenProcessedIsNotSentAgain() async throws {
        let log = TestLog<String>()
        let site = try await site(log) { frames, stream in frames.goAway(last: stream) }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport { $0.versions = .http2 }
        _ = try await transport.get(site.url).soon
        let error = try await transport.send(post(site)).httpError
        #expect(error.code == .connectionLost && !error.isCertainlyUnsent)
        #expect(log.elements == ["first", "stream 3", "chosen"])
        try await transport.close().soon
    }

    /// libcurl's log has both.
    @Test func wordsOfTheRequestDoNotPassForThoseOfTheServer() async throws {
        let log = TestLog<String>()
        let site = try await site(log) { frames, stream in frames.goAway(last: stream) }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport { $0.versions = .http2 }
        _ = try await transport.get(site.url).soon
        let words = "HTTP/2 stream 1 refused by server, try again, HTTP_1_1_REQUIRED"
        var request = post(site)
        request.url = site.url.appending(path: "HTTP_1_1_REQUIRED")
        request.headers["X-Words"] = words
        request.headers["X-More"] = "received GOAWAY, error=0, last_stream=0"
        let error = try await transport.send(request).httpError
        #expect(error.code == .connectionLost && !error.isCertainlyUnsent)
        #expect(log.elements == ["first", "stream 3", "chosen"])
        try await transport.close().soon
    }

    @Test func aPOSTThatNeedsHTTP1IsSentByIt() async throws {
        let log = TestLog<String>()
        let site = try await HTTP2Site.start(
            http1: { connection, head in
                HTTP2Site.answer(connection, head) { head in
                    log.append("\(head.prefix { $0 != " " }) by HTTP/1.1")
                    return ("HTTP/1.1", 200)
                }
            },
            http2: { _, frames in
                while let frame = frames.next() {
                    guard case .head(let stream, _, _) = frame else { continue }
                    log.append("refused")
                    frames.reset(stream, .http11Required)
                }
            })
        guard let site else { return }
        defer { site.stop() }
        for versions in [ConnectionSettings.Versions.automatic, .http2] {
            let transport = try site.transport { $0.versions = versions }
            for body in [Data(), Data("once".utf8), Data(count: 100_000)] {
                #expect(try await transport.send(post(site, body)).soon.text == "HTTP/1.1")
            }
            try await transport.close().soon
        }
        #expect(log.elements.filter { $0 == "POST by HTTP/1.1" }.count == 6)
    }

    @Test func POSTsSucceedUnderEveryGOAWAYOfNginx() async throws {
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        let transport = try site.transport()
        let url = try site.url(.leavesOften)
        let bodies = [Data(), Data("once".utf8)]
        for _ in 0..<25 {
            let requests = (0..<20).map { HTTPRequest(.post, url, body: .data(bodies[$0 % 2])) }
            for call in requests.map({ transport.send($0) }) {
                #expect(try await call.soon.status == 200)
            }
        }
        try await transport.close().soon
    }
}

// MARK: - Streams

extension HTTP2Tests {
    @Test func unreadStreamsKeepNoMoreThanTheyMay() async throws {
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        var settings = ConnectionSettings()
        settings.proxy = .none
        settings.tls.authorities = .only(site.certificates.file("authority.pem"))
        var configuration = CurlTransport.Configuration.patient
        configuration.maxConnectionsPerHost = 13
        let transport = try CurlTransport(configuration, connecting: settings)
        let url = try site.url(.good)
        try Data(count: 32 << 20).write(to: site.certificates.file("large"))
        let before = heldBytes()
        var streams: [HTTPStreamedResponse] = []
        for _ in 0..<12 {
            let large = HTTPRequest(.get, url.appending(path: "large"))
            streams.append(try await transport.stream(large).soon)
            #expect(streams.last?.timing.connection?.protocolVersion == "HTTP/1.1")
        }
        // Turns in which the server could continue.
        for _ in 0..<200 { #expect(try await transport.get(url).soon.text.hasPrefix("HTTP/2.0")) }
        // Over HTTP/2 libcurl 7.88.1 keeps up to 32 MiB of each.
        #expect(heldBytes() - before < 120 << 20)
        for stream in streams { stream.discardBody() }
        try await transport.close().soon
    }
}

/// What comes of a call if a server over HTTP/2 resets its stream, or leaves.
@Suite(.alone)
struct HTTP2TableTests {
    private let isWhole = isHTTP2Whole()
    private let library: CurlLibrary

    init() throws { library = try CurlLibrary.lookUp() }

    private func bench(_ versions: ConnectionSettings.Versions) async throws -> HTTP2Bench? {
        try await HTTP2Bench.start { settings, idleTimeout, scheduler in
            var settings = settings
            settings.versions = versions
            var configuration = CurlTransport.Configuration.patient
            configuration.idleTimeout = idleTimeout
            let transport = try CurlTransport(configuration, connecting: settings, on: scheduler)
            return HTTP2Client(send: transport.send) { transport.close() }
        }
    }

    @Test func noRequestIsLostThatTheServerExcludesAndNoneIsCarriedOutTwice() async throws {
        guard let bench = try await bench(.http2) else { return }
        defer { bench.stop() }
        for one in isWhole ? HTTP2Case.all : HTTP2Case.few {
            let outcome = try await bench.outcome(of: one)
            let expected = one.expected(
                tellsExclusion: library.tellsRefusals, tellsDemand: true)
            #expect(outcome == expected, "\(one)")
        }
    }

    /// Requests that libcurl would not treat so over HTTP/2 go by HTTP/1.1.
    @Test func byTheVersionThatTheTransportChoosesEveryExcludedRequestSucceeds() async throws {
        guard let bench = try await bench(.automatic) else { return }
        defer { bench.stop() }
        let isSafe = library.tellsRefusals && library.keepsEarlyAnswers
        for one in isWhole ? HTTP2Case.all : HTTP2Case.few {
            let outcome = try await bench.outcome(of: one)
            let byHTTP1 = HTTP2Outcome(result: "answer", sent: 1, carriedOut: 1)
            let isByHTTP1 = !isSafe && one.call != .get
            let expected = one.expected(tellsExclusion: true, tellsDemand: true)
            #expect(outcome == (isByHTTP1 ? byHTTP1 : expected), "\(one)")
        }
    }

    @Test func whatAServerSendsBesideItsAnswersEndsNoCallWrongly() async throws {
        guard let bench = try await bench(.http2) else { return }
        defer { bench.stop() }
        for check in HTTP2Check.all(floods: isWhole ? 200_000 : 5_000) {
            do {
                try await check.run(bench)
            } catch {
                Issue.record(error, "\(check)")
            }
        }
    }
}
#endif
