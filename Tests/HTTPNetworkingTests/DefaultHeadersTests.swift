import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct DefaultHeadersTests {
    private func sent(
        _ middleware: Middleware<HTTPRequest, HTTPRequest>, _ headers: HTTPHeaders,
        body: HTTPRequest.Body = .none
    ) throws -> HTTPHeaders {
        let service = middleware { request in Future(value: request) }
        let url = try #require(URL(string: "https://a.example/"))
        let request = HTTPRequest(.post, url, headers: headers, body: body)
        return try #require(try service(request).result?.get().effectiveHeaders)
    }

    @Test func onlyNamesThatAreMissingAreAdded() throws {
        let defaults = Middleware<HTTPRequest, HTTPRequest>.defaultHeaders([
            "Accept": "a/b", "X-A": "1", "X-a": "2", "Via": "x",
        ])
        let headers = try sent(defaults, ["accept": "c/d", "Via": ""])
        #expect(headers == ["accept": "c/d", "Via": "", "X-A": "1", "X-a": "2"])
    }

    @Test func theBodysOwnTypeStays() throws {
        let defaults = Middleware<HTTPRequest, HTTPRequest>.defaultHeaders([
            "Content-Type": "text/plain"
        ])
        let image = HTTPRequest.Body.data(Data(), contentType: "image/png")
        #expect(try sent(defaults, [:], body: image) == ["Content-Type": "image/png"])
        #expect(try sent(defaults, [:]) == ["Content-Type": "text/plain"])
    }
}

/// Middleware that works around a network as it does around a service.
@Suite struct EndpointHeadersTests {
    private func sent(
        _ middleware: Middleware<Endpoint, Data>, _ endpoint: Endpoint
    ) -> HTTPHeaders? {
        let seen = Locked<HTTPHeaders?>(nil)
        let api = stack(middleware) { (endpoint: Endpoint) in
            seen.withLock { $0 = endpoint.effectiveHeaders }
            return Future(value: Data())
        }
        #expect(api(endpoint).hasSucceeded)
        return seen.withLock { $0 }
    }

    @Test func defaultHeadersFillWhatIsMissing() throws {
        let defaults: HTTPHeaders = ["Accept": "a", "X-App": "shop", "Content-Type": "text/plain"]
        let endpoint = Endpoint(
            path: "/x", method: .post, headers: ["accept": ""], body: try .json([1]))
        #expect(
            sent(.defaultHeaders(defaults), endpoint)
                == ["accept": "", "X-App": "shop", "Content-Type": "application/json"])
    }

    @Test func theUserAgentIsSaidOnce() {
        #expect(sent(.userAgent("Shop/2"), Endpoint(path: "/")) == ["User-Agent": "Shop/2"])
        let own = Endpoint(path: "/", headers: ["User-Agent": "Mine"])
        #expect(sent(.userAgent("Shop/2"), own) == ["User-Agent": "Mine"])
    }

    @Test func whatMayNotBeSentTwiceGetsAKey() throws {
        let post = Endpoint(path: "/", method: .post)
        #expect(sent(.idempotencyKey { _ in "k" }, post) == ["Idempotency-Key": "k"])
        #expect(sent(.idempotencyKey { _ in "k" }, Endpoint(path: "/")) == [:])
        let keyed = Endpoint(path: "/", method: .post, headers: ["idempotency-key": "own"])
        #expect(sent(.idempotencyKey { _ in "k" }, keyed) == ["idempotency-key": "own"])
        let key = try #require(sent(.idempotencyKey(), post)?["Idempotency-Key"])
        #expect(UUID(uuidString: key) != nil)
    }

    @Test func aRetryBeneathRepeatsWhatHasAKey() throws {
        let keys = Locked([String?]())
        let api = stack(.idempotencyKey(), .retry(Retry(attempts: 2, backoff: .constant(.zero)))) {
            (endpoint: Endpoint) -> Future<Data> in
            let count = keys.withLock { keys in
                keys.append(endpoint.headers["Idempotency-Key"])
                return keys.count
            }
            return count < 2
                ? Future(error: HTTPError(code: .connectionLost)) : Future(value: Data())
        }
        #expect(api(Endpoint(path: "/", method: .post)).hasSucceeded)
        let sent = keys.withLock { $0 }
        #expect(sent.count == 2 && sent[0] != nil && sent[0] == sent[1])
    }
}

@Suite struct UserAgentTests {
    @Test func aUserAgentIsAddedIfTheRequestHasNone() throws {
        let service = stack(
            .userAgent("Shop/2.1"),
            over: { (request: HTTPRequest) in
                Future(value: request.headers)
            })
        let url = try #require(URL(string: "https://a.example/"))
        #expect(try service(HTTPRequest(.get, url)).result?.get() == ["User-Agent": "Shop/2.1"])
        let own = HTTPRequest(.get, url, headers: ["user-agent": "me"])
        #expect(try service(own).result?.get() == ["user-agent": "me"])
    }
}
