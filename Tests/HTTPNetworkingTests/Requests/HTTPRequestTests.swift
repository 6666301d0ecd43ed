import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeHTTPMessages

@Suite struct HTTPRequestTests {
    private let url = URL(string: "https://me:s3cret@api.example.com/orders?key=s3cret")!

    @Test func anEndpointIsLoweredToWhatItWouldSend() throws {
        let endpoint = Endpoint(
            path: "/a b", query: .init([.init(name: "q", value: "1")]), method: .put,
            headers: ["X-A": "1"], body: .data(Data("x".utf8), contentType: "text/plain"),
            base: URL(string: "https://example.com"))
        let request = try HTTPRequest(endpoint)
        #expect(request.method == .put && request.url == endpoint.url)
        #expect(request.effectiveHeaders == ["X-A": "1", "Content-Type": "text/plain"])
        #expect(request.body == .data(Data("x".utf8), contentType: "text/plain"))
        #expect(throws: Endpoint.Error.invalidURL) { try HTTPRequest(Endpoint(path: "/x")) }
    }

    @Test func anEndpointWithoutABaseGetsOne() throws {
        let base = URL(string: "https://example.com/v1")!
        let request = try HTTPRequest(Endpoint(path: "/x"), base: base)
        #expect(request.url.absoluteString == "https://example.com/v1/x")
        let other = try HTTPRequest(Endpoint(path: "/x", base: url), base: base)
        #expect(other.url.host() == "api.example.com")
    }

    @Test func theBodysTypeTheKeyAndNoFramingAreSent() {
        var request = HTTPRequest(
            .post, url, headers: ["Content-Length": "7", "transfer-encoding": "chunked"],
            body: .form(["a": "b"]))
        request.context.idempotencyKey = "k1"
        #expect(
            request.effectiveHeaders
                == ["Content-Type": "application/x-www-form-urlencoded", "Idempotency-Key": "k1"])
        request.headers["Idempotency-Key"] = "mine"
        request.headers["Content-Type"] = "text/x"
        #expect(request.effectiveHeaders == ["Idempotency-Key": "mine", "Content-Type": "text/x"])
    }

    @Test func aRequestOfAURLAloneIsAGET() {
        #expect(HTTPRequest(url) == HTTPRequest(.get, url))
        #expect(HTTPRequest(url, headers: ["A": "b"]).headers == ["A": "b"])
    }

    @Test func onlyWhatIsAskedIsCompared() {
        let request = HTTPRequest(.get, url, context: .init(tags: ["screen": "start"]))
        var later = request
        later.context.followsRefusal = true
        #expect(later == request && later.hashValue == request.hashValue)
        for change in [\HTTPRequest.context.idempotencyKey, \.headers["Accept"]] {
            var other = request
            other[keyPath: change] = "x"
            #expect(other != request)
        }
        var other = request
        other.context.tags = [:]
        #expect(other != request)
    }

    @Test func aRequestIsReplayableIfMethodOrKeyAndBodyAllowIt() {
        let once = HTTPRequest.Body.stream(.init(isReplayable: false) { HTTPBodyStream(Data()) })
        let often = HTTPRequest.Body.stream(.init(isReplayable: true) { HTTPBodyStream(Data()) })
        #expect(HTTPRequest(.get, url).isReplayable)
        #expect(!HTTPRequest(.post, url).isReplayable)
        #expect(HTTPRequest(.post, url, context: .init(idempotencyKey: "k")).isReplayable)
        #expect(HTTPRequest(.post, url, headers: ["idempotency-key": "k"]).isReplayable)
        #expect(!HTTPRequest(.put, url, body: once).isReplayable)
        #expect(
            !HTTPRequest(.post, url, body: once, context: .init(idempotencyKey: "k")).isReplayable)
        #expect(HTTPRequest(.put, url, body: often).isReplayable)
        #expect(HTTPRequest(.put, url, body: .file(URL(fileURLWithPath: "/x"))).isReplayable)
    }

    @Test func aRequestThatCannotBeSentIsRefused() {
        func refusal(_ request: HTTPRequest) {
            #expect(throws: Endpoint.Error.self) { try request.validate() }
        }
        refusal(HTTPRequest("GE T", url))
        refusal(HTTPRequest(.get, url, headers: ["A": "b\r\nC: d"]))
        refusal(HTTPRequest(.get, url, headers: ["A B": "b"]))
        refusal(HTTPRequest(.get, url, body: .data(Data("x".utf8))))
        refusal(HTTPRequest(.get, URL(string: "/relative")!))
        refusal(HTTPRequest(.get, URL(string: "ftp://example.com")!))
        refusal(HTTPRequest(.get, url, context: .init(idempotencyKey: "a\nb")))
        refusal(HTTPRequest(.post, url, body: .data(Data(), contentType: "a\nb")))
        #expect(throws: Never.self) { try HTTPRequest(.post, url).validate() }
    }

    @Test func aSourceThatOpensOnceSaysSoTheSecondTime() throws {
        let once = HTTPRequest.BodySource(isReplayable: false) { HTTPBodyStream(Data("x".utf8)) }
        _ = try once.open()
        #expect { try once.open() } throws: { ($0 as? HTTPError)?.code == .bodyNotReplayable }
        let often = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data("x".utf8)) }
        _ = try often.open()
        #expect(throws: Never.self) { try often.open() }
    }

    @Test func theTextsOfARequestShowNoSecret() {
        let request = HTTPRequest(
            .post, url, headers: ["Authorization": "s3cret"], body: .data(Data("s3cret".utf8)),
            context: .init(idempotencyKey: "s3cret", tags: ["t": "s3cret"]))
        #expect(request.description == "POST https://…@api.example.com/orders?key=…")
        for text in texts(of: request) + texts(of: request.context) {
            #expect(!text.contains("s3cret"), "\(text)")
        }
    }
}

@Suite struct HTTPRequestCredentialTests {
    private func credential(_ value: String, _ account: String) -> HTTPRequest.Credential {
        HTTPRequest.Credential(
            header: "Cookie", value: value, principal: .account(account), origins: nil)
    }

    @Test func whoPutsAHeaderInIsNoPartOfTheQuestion() {
        let plain = HTTPRequest(at: "https://a/", headers: ["Cookie": "a=1"])
        let marked = HTTPRequest(at: "https://a/").adding(credential("a=1", "anna"))
        #expect(marked == plain && marked.hashValue == plain.hashValue)
    }

    @Test func aHeaderMayStandThereInSeveralNames() {
        let request = HTTPRequest(at: "https://a/").adding(credential("a=1", "anna"))
            .adding(credential("a=1; b=2", "bert"))
        #expect(request.headers.values(for: "Cookie") == ["a=1; b=2"])
        #expect(request.context.credentials.map(\.value) == ["a=1; b=2", "a=1; b=2"])
        let other = HTTPRequest(at: "https://a/").adding(credential("a=1; b=2", "bert"))
        #expect(CachePartition(of: other).isPart(of: CachePartition(of: request)))
        #expect(!CachePartition(of: request).isPart(of: CachePartition(of: other)))
    }
}

@Suite struct URLRequestTargetTests {
    @Test(arguments: [
        ("https://a.example/b/c?d=e&f", "/b/c?d=e&f"), ("https://a.example", "/"),
        ("https://a.example?b=c", "/?b=c"), ("http://a.example:81/%20b#c?d", "/%20b"),
        ("http://user@[::1]/b", "/b"),
    ])
    func theTargetIsPathAndQuery(_ url: String, _ target: String) {
        #expect(URL(string: url)?.requestTarget == target)
    }

    @Test(arguments: ["mailto:a", "/b/c", "file:///b"])
    func aURLThatIsNotSentHasNoTarget(_ url: String) {
        #expect(URL(string: url).map { $0.requestTarget == nil } == true)
    }
}
