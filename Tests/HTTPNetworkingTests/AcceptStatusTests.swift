import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPNetworking
@testable import PledgeHTTPTransportKit

@Suite struct AcceptStatusTests {
    private let request = HTTPRequest(.get, URL(string: "https://a.example/p")!)

    private func failure<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(throws: HTTPError.self) { try future.result?.get() }
    }

    @Test(arguments: [
        (200, true), (204, true), (299, true), (199, false), (304, false), (500, false),
    ])
    func onlySuccessIsAcceptedUnlessSaid(status: Int, isAccepted: Bool) throws {
        let service = stack(
            .acceptStatus(), over: { _ in Future(value: HTTPResponse(status: status)) })
        let result = try #require(service(request).result)
        #expect((try? result.get().status) == (isAccepted ? status : nil))
    }

    @Test func otherRangesAreAccepted() throws {
        let answer: HTTPService = { _ in Future(value: HTTPResponse(status: 404)) }
        #expect(try stack(.acceptStatus(..<500), over: answer)(request).result?.get().status == 404)
        let refusing = stack(.acceptStatus(200..<300), over: answer)
        #expect(try failure(refusing(request)).status == 404)
    }

    @Test func theErrorKeepsRequestAndResponse() throws {
        let response = HTTPResponse(
            status: 409, headers: ["Content-Type": "text/plain"],
            body: Data(String(repeating: "x", count: 100).utf8), url: request.url,
            timing: HTTPTiming(total: .seconds(1)))
        let service = stack(.acceptStatus(keeping: 10), over: { _ in Future(value: response) })
        let future = service(request)
        let error = try failure(future)
        #expect(error.code == .unacceptableStatus && error.cause == nil)
        #expect(error.request == request && error.response == response)
        #expect(error.response?.timing == response.timing)
        #expect(future.failureOrigin == nil)
    }

    private func streaming(
        _ status: Int, _ body: HTTPBodyStream, keeping limit: Int = 8
    ) -> Future<HTTPStreamedResponse> {
        let service: HTTPStreamingService = stack(
            .acceptStatus(keeping: limit),
            over: { _ in Future(value: HTTPStreamedResponse(status: status, body: body)) })
        return service(request)
    }

    @Test func aBodyOnItsWayIsKeptInTheError() throws {
        let error = try failure(streaming(500, HTTPBodyStream(Data("12345678".utf8), chunksOf: 3)))
        #expect(error.response?.text == "12345678" && error.cause == nil)
        #expect(error.request == request)
    }

    @Test func anErrorKeepsTheBeginningOfALongBody() throws {
        let body = HTTPBodyStream(Data("123456789".utf8), chunksOf: 3)
        let error = try failure(streaming(500, body))
        #expect(error.response?.text == "12345678")
        #expect((error.cause as? HTTPError)?.code == .bodyTooLarge)
        #expect(throws: CancellationError.self) { try body.next().result?.get() }
    }

    @Test func anErrorKeepsWhatCameOfABodyThatFails() throws {
        let chunks = Locked<[Future<Data?>]>([
            Future(value: Data("abc".utf8)), Future(error: HTTPError(code: .connectionLost)),
        ])
        let body = HTTPBodyStream(next: { chunks.withLock { $0.removeFirst() } })
        let error = try failure(streaming(500, body))
        #expect(error.response?.text == "abc" && error.status == 500)
        #expect((error.cause as? HTTPError)?.code == .connectionLost)
    }

    @Test func anErrorKeepsWhatComesOfASlowBodyWithinASecond() throws {
        let (source, scheduler) = (ScriptedSource(), ManualScheduler())
        let service: HTTPStreamingService = stack(
            .acceptStatus(on: scheduler),
            over: { _ in Future(value: HTTPStreamedResponse(status: 503, body: source.stream())) })
        let future = service(request)
        for text in ["a", "b", "c"] {
            scheduler.advance(by: .milliseconds(300))
            source.give(text)
        }
        #expect(future.result == nil)
        scheduler.advance(by: .milliseconds(100))
        let error = try failure(future)
        #expect(error.status == 503 && error.response?.text == "abc")
        #expect((error.cause as? HTTPError)?.code == .timedOut)
        #expect(source.cancelled == 1)
        #expect(scheduler.isIdle)
    }

    @Test func aTimerDoesNotOutliveTheBody() throws {
        let (source, scheduler) = (ScriptedSource(), ManualScheduler())
        let service: HTTPStreamingService = stack(
            .acceptStatus(within: .seconds(9), on: scheduler),
            over: { _ in Future(value: HTTPStreamedResponse(status: 503, body: source.stream())) })
        let future = service(request)
        source.give("busy")
        source.give(nil)
        #expect(try failure(future).response?.text == "busy")
        #expect(scheduler.isIdle)
    }

    @Test func anAcceptedBodyIsNotTouched() throws {
        let wasAsked = Locked(false)
        let body = HTTPBodyStream(next: {
            wasAsked.withLock { $0 = true }
            return Future(value: nil)
        })
        #expect(try streaming(200, body).result?.get().body === body)
        #expect(!wasAsked.withLock { $0 })
    }

    @Test func cancellingStopsTheReadingOfAnErrorsBody() throws {
        let wasCancelled = Locked(false)
        let pending = Promise<Data?>()
        let body = HTTPBodyStream(
            next: { pending }, cancel: { wasCancelled.withLock { $0 = true } })
        let future = streaming(500, body)
        #expect(future.result == nil)
        future.cancel()
        #expect(wasCancelled.withLock { $0 })
        #expect(throws: CancellationError.self) { try future.result?.get() }
    }

    @Test func otherErrorsPassAcceptStatus() throws {
        let service: HTTPService = stack(
            .acceptStatus(), over: { _ in Future(error: HTTPError(code: .timedOut)) })
        #expect(try failure(service(request)).code == .timedOut)
    }
}

/// A redirect above `.acceptStatus()` has the same effect as beneath it.
@Suite struct ResultAnswerTests {
    private func error<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(future.errorNow as? HTTPError)
    }

    @Test func redirectFollowsA302WithinAnError() {
        let server = ScriptedServer { request in
            request.url.path == "/1" ? .redirect(to: "/2") : HTTPResponse(status: 200)
        }
        let send = stack(.redirect(), .acceptStatus(), over: server.send)
        let response = send(HTTPRequest(at: "https://a/1")).valueNow
        #expect(response?.status == 200 && response?.url?.path == "/2")
        let stream = stack(.redirect(), .acceptStatus(), over: server.stream())
        #expect(stream(HTTPRequest(at: "https://a/1")).valueNow?.url?.path == "/2")
    }

    @Test func whatRedirectDoesNotFollowIsGivenBackAsTheError() throws {
        let server = ScriptedServer([
            .redirect(to: "app://done", "go on"), HTTPResponse(status: 404),
        ])
        let send = stack(.redirect(), .acceptStatus(), over: server.send)
        for status in [302, 404] {
            let error = try error(send(HTTPRequest(at: "https://a/1")))
            #expect(error.code == .unacceptableStatus && error.status == status)
            #expect(error.response?.text == (status == 302 ? "go on" : ""))
            #expect(error.response?.url?.path == "/1")
        }
    }

    @Test func aCircleOfErrorsFailsToo() throws {
        let server = ScriptedServer { _ in .redirect(to: "/1", "round") }
        let send = stack(.redirect(), .acceptStatus(), over: server.stream())
        let error = try error(send(HTTPRequest(at: "https://a/1")))
        #expect(error.code == .tooManyRedirects && error.response?.text == "round")
    }
}

@Suite struct HTTPBodyStreamBeginningTests {
    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8])
    func theBeginningOfABodyHasAsManyBytesAsAllowed(limit: Int) throws {
        let body = HTTPBodyStream(Data("abcdef".utf8), chunksOf: 2)
        let beginning = try #require(
            try body.beginning(upTo: limit, within: .seconds(1), on: ManualScheduler()).result?
                .get())
        #expect(beginning.data == Data("abcdef".utf8).prefix(limit))
        #expect((beginning.missing == nil) == (limit >= 6))
    }

    @Test func theBeginningOfManyChunksNeedsNoStack() throws {
        let left = Locked(100_000)
        let body = HTTPBodyStream(next: {
            left.withLock { left in
                left -= 1
                return Future(value: left < 0 ? nil : Data([1]))
            }
        })
        #expect(
            try body.beginning(upTo: 200_000, within: .seconds(1), on: ManualScheduler()).result?
                .get().data.count == 100_000)
    }
}
