import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct CoalesceSafeRequestsTests {
    private let scheduler = ManualScheduler()
    private let url = URL(string: "https://example.com/books")!

    /// The number of calls that two requests at the same time cause.
    private func calls(_ first: HTTPRequest, _ second: HTTPRequest) -> Int {
        let service = AnsweringService<HTTPResponse>(
            on: scheduler, Array(repeating: { HTTPResponse(status: 200) }, count: 2))
        let load = stack(.coalesceSafeRequests(), over: service.send)
        let answers = [load(first), load(second)]
        scheduler.run()
        #expect(answers.allSatisfy { $0.valueNow?.status == 200 })
        return service.requests.count
    }

    @Test(arguments: [HTTPMethod.get, .head, .options, .trace, .query])
    func safeRequestsThatAskForTheSameShareACall(_ method: HTTPMethod) {
        #expect(calls(HTTPRequest(method, url), HTTPRequest(method, url)) == 1)
    }

    @Test(arguments: [HTTPMethod.post, .put, .delete, .patch, "get"])
    func requestsThatAreNotSafeNeverShareACall(_ method: HTTPMethod) {
        #expect(calls(HTTPRequest(method, url), HTTPRequest(method, url)) == 2)
    }

    @Test(arguments: ["Authorization", "Cookie", "Accept", "Accept-Language", "Range", "X-Any"])
    func requestsWithAnyOtherHeaderShareNoCall(_ name: String) {
        let plain = HTTPRequest(.get, url)
        let one = HTTPRequest(.get, url, headers: [name: "1"])
        #expect(calls(plain, one) == 2)
        #expect(calls(one, HTTPRequest(.get, url, headers: [name: "2"])) == 2)
        #expect(calls(one, HTTPRequest(.get, url, headers: [name.lowercased(): "1"])) == 1)
    }

    @Test func requestsWithAnotherMethodOrURLShareNoCall() {
        let other = URL(string: "https://example.com/books?page=2")!
        #expect(calls(HTTPRequest(.get, url), HTTPRequest(.head, url)) == 2)
        #expect(calls(HTTPRequest(.get, url), HTTPRequest(.get, other)) == 2)
    }

    @Test func aQuestionInTheBodyIsPartOfIt() {
        func ask(_ text: String) -> HTTPRequest {
            HTTPRequest(.query, url, body: .data(Data(text.utf8)))
        }
        #expect(calls(ask("one"), ask("one")) == 1)
        #expect(calls(ask("one"), ask("two")) == 2)
    }

    @Test func bodiesThatAreNotInMemoryShareNothing() {
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data()) }
        let streamed = HTTPRequest(.query, url, body: .stream(source))
        let file = HTTPRequest(.query, url, body: .file(URL(fileURLWithPath: "/books")))
        #expect(calls(streamed, streamed) == 2)
        #expect(calls(file, file) == 2)
    }

    @Test func stacksCanShareAGroup() {
        let service = AnsweringService<HTTPResponse>(on: scheduler, [{ HTTPResponse(status: 200) }])
        let group = Coalescer<HTTPRequest, HTTPResponse>()
        let list = stack(.coalesceSafeRequests(sharing: group), over: service.send)
        let detail = stack(.coalesceSafeRequests(sharing: group), over: service.send)
        let answers = [list(HTTPRequest(.get, url)), detail(HTTPRequest(.get, url))]
        scheduler.run()
        #expect(answers.allSatisfy { $0.valueNow?.status == 200 })
        #expect(service.requests.count == 1)
    }

    /// The change of a PUT, of whatever fate, is not hidden by the answer to a GET from before.
    @Test(arguments: ["answered", "answered by an error", "lost", "given up"])
    func whoAsksAfterAChangeSharesNoCallFromBefore(_ fate: String) {
        let put = Promise<HTTPResponse>()
        let service = AnsweringService<HTTPResponse>(
            on: scheduler, (1...9).map { number in { HTTPResponse(status: 200 + number) } })
        let load = stack(
            .coalesceSafeRequests(),
            over: { $0.method == .put ? put : service.send($0) })
        let other = URL(string: "https://example.com/authors")!
        let save = load(HTTPRequest(.put, URL(string: "HTTPS://EXAMPLE.com:443/books#top")!))
        let before = [load(HTTPRequest(.get, url)), load(HTTPRequest(.get, url))]
        let elsewhere = load(HTTPRequest(.get, other))
        switch fate {
        case "answered": put.resolve(with: HTTPResponse(status: 204))
        case "answered by an error": put.resolve(with: HTTPResponse(status: 500))
        case "lost": put.reject(with: HTTPError(code: .connectionLost))
        default: save.cancel()
        }
        let after = [load(HTTPRequest(.get, url)), load(HTTPRequest(.get, url))]
        let elsewhereToo = load(HTTPRequest(.get, other))
        scheduler.run()
        #expect(before.map { $0.valueNow?.status } == [201, 201])
        #expect(after.map { $0.valueNow?.status } == [203, 203])
        #expect([elsewhere, elsewhereToo].map { $0.valueNow?.status } == [202, 202])
        #expect(service.requests.count == 3)
    }

    /// Before its answer, nobody can know whether a change has been made.
    @Test func untilAChangeIsAnsweredCallsAreShared() {
        let put = Promise<HTTPResponse>()
        let service = AnsweringService<HTTPResponse>(on: scheduler, [{ HTTPResponse(status: 200) }])
        let load = stack(
            .coalesceSafeRequests(),
            over: { $0.method == .put ? put : service.send($0) })
        let first = load(HTTPRequest(.get, url))
        let save = load(HTTPRequest(.put, url))
        let second = load(HTTPRequest(.get, url))
        scheduler.run()
        #expect([first, second].map { $0.valueNow?.status } == [200, 200])
        #expect(save.result == nil && service.requests.count == 1)
        put.resolve(with: HTTPResponse(status: 204))
        #expect(save.valueNow?.status == 204)
    }

    /// Through another stack of the same group.
    @Test func aChangeThroughAnotherStackOfTheGroupCounts() {
        let service = AnsweringService<HTTPResponse>(
            on: scheduler, (1...9).map { number in { HTTPResponse(status: 200 + number) } })
        let group = Coalescer<HTTPRequest, HTTPResponse>()
        let load = stack(.coalesceSafeRequests(sharing: group), over: service.send)
        let save = stack(
            .coalesceSafeRequests(sharing: group),
            over: { _ in Future(value: HTTPResponse(status: 204)) })
        let before = load(HTTPRequest(.get, url))
        _ = save(HTTPRequest(.delete, url))
        let after = load(HTTPRequest(.get, url))
        scheduler.run()
        #expect([before, after].map { $0.valueNow?.status } == [201, 202])
    }

    @Test func aCookieIsForTheCallerWhoseRequestWasSent() {
        let response = HTTPResponse(
            status: 403, headers: ["Set-Cookie": "session=1", "X-Any": "a"])
        let service = AnsweringService<HTTPResponse>(
            on: scheduler,
            [{ response }, { throw HTTPError(code: .unacceptableStatus, response: response) }])
        let load = stack(.coalesceSafeRequests(), over: service.send)
        for isFailure in [false, true] {
            let calls = (1...3).map { _ in load(HTTPRequest(.get, url)) }
            scheduler.run()
            let headers = calls.map { call in
                isFailure ? (call.errorNow as? HTTPError)?.headers : call.valueNow?.headers
            }
            #expect(headers.map { $0?["Set-Cookie"] } == ["session=1", nil, nil])
            #expect(headers.allSatisfy { $0?["X-Any"] == "a" })
        }
        #expect(service.requests.count == 2)
    }
}
