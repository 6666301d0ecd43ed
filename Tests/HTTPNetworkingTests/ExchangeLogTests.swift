import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import Testing

@Suite struct ExchangeLogTests {
    private let scheduler = ManualScheduler()
    private let exchanges = Locked<[HTTPExchange]>([])
    private let request = HTTPRequest(
        .get, URL(string: "https://me:pw@a.example/p?key=s3cret")!,
        headers: ["Authorization": "s3cret"])

    private var lines: [String] { exchanges.withLock { $0.map(\.logLine) } }

    private func logged<Output: HTTPResponseHead>(
        _ service: @escaping Service<HTTPRequest, Output>
    ) -> Service<HTTPRequest, Output> {
        let exchanges = exchanges
        return stack(
            .exchangeLog(on: scheduler) { exchange in exchanges.withLock { $0.append(exchange) } },
            over: service)
    }

    @Test func anExchangeIsOneLineAtItsEnd() throws {
        let scheduler = scheduler
        let service = logged { _ in
            Future(value: HTTPResponse(status: 200, body: Data("12345".utf8)))
                .delay(.milliseconds(35), on: scheduler)
        }
        _ = service(request)
        #expect(lines.isEmpty)
        scheduler.advance(by: .milliseconds(35))
        #expect(
            lines == [
                #"method=GET url="https://…@a.example/p?key=…" attempt=1 status=200 bytes=5 duration_ms=35"#
            ])
    }

    @Test func theWorkOfTheCallItselfCounts() {
        let scheduler = scheduler
        let service = logged { _ in
            scheduler.advance(by: .milliseconds(50))
            return Future(value: HTTPResponse(status: 204))
        }
        _ = service(request)
        #expect(exchanges.withLock { $0.map(\.duration) } == [.milliseconds(50)])
    }

    @Test func theLogNamesAFailure() throws {
        let service: HTTPService = logged { _ in Future(error: HTTPError(code: .timedOut)) }
        _ = service(request)
        #expect(
            lines.first?.hasSuffix(#"bytes=0 duration_ms=0 error=HTTPError code=timedOut"#)
                == true)
        #expect(exchanges.withLock { $0.first?.isFailure } == true)
    }

    @Test func anAnswerThatWasMadeAnErrorBeneathIsTold() {
        let service = logged(
            stack(
                .acceptStatus(),
                over: { _ in
                    Future(
                        value: HTTPResponse(
                            status: 404, headers: ["Server": "x"], body: Data("none".utf8)))
                }))
        _ = service(request)
        #expect(lines.first?.contains(" status=404 bytes=4 ") == true)
        #expect(lines.first?.hasSuffix(" error=HTTPError code=404") == true)
        #expect(exchanges.withLock { $0.first?.headers["Server"] } == "x")
    }

    @Test func theLogTellsEachAttempt() throws {
        let exchanges = exchanges
        let service: HTTPService = stack(
            .retry(Retry(attempts: 2, backoff: .constant(.zero)), on: scheduler),
            .exchangeLog(on: scheduler) { exchange in exchanges.withLock { $0.append(exchange) } },
            over: { _ in Future(error: HTTPError(code: .connectionLost)) })
        _ = service(request)
        #expect(exchanges.withLock { $0.map(\.attempt) } == [1, 2])
    }

    @Test func aLineJoinsTheEventsOfItsCall() throws {
        let (exchanges, events) = (exchanges, Locked<[PolicyEvent]>([]))
        let observer = ServiceObserver { event in events.withLock { $0.append(event) } }
        let service: HTTPService = stack(
            .observed(by: observer, on: scheduler),
            .retry(Retry(attempts: 2, backoff: .constant(.zero)), on: scheduler),
            .exchangeLog(on: scheduler) { exchange in exchanges.withLock { $0.append(exchange) } },
            over: { _ in Future(error: HTTPError(code: .connectionLost)) })
        _ = service(request)
        let attempts = events.withLock { events in
            events.filter { if case .began = $0.kind { $0.policy == "retry" } else { false } }
        }
        #expect(attempts.count == 2)
        #expect(exchanges.withLock { $0.map(\.call) } == attempts.map(\.call))
        #expect(exchanges.withLock { $0.map(\.span) } == attempts.map(\.span))
        for (line, attempt) in zip(lines, attempts) {
            #expect(line.hasPrefix("call=\(attempt.call) span=\(attempt.span) method=GET "))
        }
    }

    @Test func headersAreShownOnRequest() throws {
        let service = logged { _ in
            Future(
                value: HTTPResponse(status: 404, headers: ["Server": "x", "Set-Cookie": "s3cret"]))
        }
        _ = service(request)
        let exchange = try #require(exchanges.withLock { $0.first })
        #expect(
            exchange.logLineWithHeaders
                .hasSuffix(
                    #"request_headers="[Authorization: …]" response_headers="[Server: x, Set-Cookie: …]""#
                ))
        #expect(exchange.isFailure && !exchange.logLine.contains("Server"))
    }

    private func streamed(_ body: HTTPBodyStream) -> HTTPStreamingService {
        logged { _ in Future(value: HTTPStreamedResponse(status: 200, body: body)) }
    }

    @Test func aBodyOnItsWayEndsTheExchange() throws {
        let service = streamed(HTTPBodyStream(Data("123456".utf8), chunksOf: 4))
        let response = try #require(service(request).result).get()
        #expect(response.body.length == 6)
        _ = response.body.next()
        _ = response.body.next()
        #expect(lines.isEmpty)
        scheduler.advance(by: .seconds(1))
        #expect(try response.body.next().result?.get() == .some(nil))
        #expect(lines.count == 1 && lines[0].hasSuffix("status=200 bytes=6 duration_ms=1000"))
        response.body.cancel()
        _ = response.body.next()
        #expect(lines.count == 1)
    }

    @Test func theLogTellsABodyThatFails() throws {
        let body = HTTPBodyStream(next: { Future(error: HTTPError(code: .connectionLost)) })
        let response = try #require(streamed(body)(request).result).get()
        _ = response.body.next()
        #expect(lines.count == 1 && lines[0].contains("error=HTTPError"))
        #expect(exchanges.withLock { $0[0].isFailure })
    }

    @Test func theLogTellsABodyThatIsReleased() throws {
        let wasCancelled = Locked(false)
        let body = HTTPBodyStream(
            next: { Future(value: Data([1])) }, cancel: { wasCancelled.withLock { $0 = true } })
        do {
            let response = try #require(streamed(body)(request).result).get()
            _ = response.body.next()
        }
        #expect(wasCancelled.withLock { $0 })
        #expect(
            lines.count == 1 && lines[0].contains("bytes=1")
                && lines[0].contains("CancellationError"))
        #expect(exchanges.withLock { !$0[0].isFailure })
    }

    @Test func aBodyGivenUpWhileAChunkIsAwaitedIsToldOnce() throws {
        let pending = Promise<Data?>()
        let body = HTTPBodyStream(next: { pending })
        let response = try #require(streamed(body)(request).result).get()
        let chunk = response.body.next()
        response.body.cancel()
        #expect(lines.count == 1 && lines[0].hasSuffix("error=CancellationError"))
        #expect(throws: CancellationError.self) { try chunk.result?.get() }
    }

    @Test func aCallThatIsCancelledIsToldOnce() throws {
        let pending = Promise<HTTPResponse>()
        let call = logged { _ in pending }(request)
        call.cancel()
        pending.resolve(with: HTTPResponse(status: 200))
        #expect(lines.count == 1 && lines[0].hasSuffix("error=CancellationError"))
    }
}

@Suite struct HTTPExchangeTests {
    @Test func noTextOfAnExchangeShowsASecretOrASecondLine() throws {
        let told = Locked<HTTPExchange?>(nil)
        let request = HTTPRequest(
            "GET\r\nX: y", URL(string: "https://s3cret@a.example/?a=s3cret#s3cret")!,
            headers: ["Cookie": "s3cret"], body: .data(Data("s3cret".utf8)))
        let service: HTTPService = stack(
            .exchangeLog { exchange in told.withLock { $0 = exchange } },
            over: { _ in Future(value: HTTPResponse(status: 200, body: Data("s3cret".utf8))) })
        _ = service(request)
        let exchange = try #require(told.withLock { $0 })
        for text in texts(of: exchange) + [exchange.logLineWithHeaders] {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(!exchange.logLine.contains { $0.isNewline })
        #expect(exchange.bytes == 6 && exchange.request == request)
    }
}
