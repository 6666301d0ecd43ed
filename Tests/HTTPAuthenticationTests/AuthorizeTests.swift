import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import Testing

@Suite struct AuthorizeTests {
    private let server = ScriptedServer { HTTPResponse(status: 200, url: $0.url) }
    private let api = HTTPOrigins.origins(of: URL(string: "https://api.example.com/v1")!)

    private func sent(
        _ credentials: HTTPCredentials, to url: String = "https://api.example.com/x",
        headers: HTTPHeaders = [:]
    ) -> HTTPHeaders? {
        _ = stack(.authorize(credentials, for: api), over: server.send)(
            HTTPRequest(at: url, headers: headers))
        return server.requests.last?.headers
    }

    /// The examples of RFC 7617, sections 2 and 2.1.
    @Test func basicIsBase64OfNameAndPassword() {
        #expect(
            sent(.basic(user: "Aladdin", password: "open sesame"))
                == ["Authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
        #expect(
            sent(.basic(user: "test", password: "123£"))
                == ["Authorization": "Basic dGVzdDoxMjPCow=="])
        #expect(sent(.basic(user: "", password: "a:b")) == ["Authorization": "Basic OmE6Yg=="])
    }

    @Test(arguments: [("a:b", "c"), ("a\n", "c"), ("a", "c\u{7F}")])
    func whatBasicCannotSayIsRefused(user: String, password: String) {
        let send = stack(
            .authorize(.basic(user: user, password: password), for: .all), over: server.send)
        let error = send(HTTPRequest(at: "https://a/")).errorNow as? Endpoint.Error
        #expect(error == .invalidHeader(name: "Authorization"))
        #expect(server.requests.isEmpty)
    }

    @Test func aRequestGetsABearerTokenOrAHeaderOfYourOwn() {
        #expect(sent(.bearer("t")) == ["Authorization": "Bearer t"])
        #expect(sent(.header("X-API-Key", "k")) == ["X-API-Key": "k"])
    }

    @Test(arguments: [
        "http://api.example.com/", "https://api.example.com:8443/", "https://example.com/",
        "https://api.example.com.evil.net/", "https://api.example.com@evil.net/",
    ])
    func otherOriginsGetNoCredential(url: String) {
        #expect(sent(.bearer("t"), to: url) == [:])
    }

    /// The origin in between has chosen the URL.
    @Test(arguments: [
        ("https://b/", nil), ("https://api.example.com/2", "Bearer t"),
    ])
    func whatAnotherOriginHasChosenGetsNothing(detour: String, expected: String?) {
        let server = ScriptedServer([
            .redirect(307, to: detour), .redirect(307, to: "https://api.example.com/3"),
            HTTPResponse(status: 200),
        ])
        let send = stack(
            .redirect(), .authorize(.bearer("t"), for: api), over: server.send)
        _ = send(HTTPRequest(at: "https://api.example.com/1"))
        #expect(server.requests.count == 3)
        #expect(server.requests.first?.headers["Authorization"] == "Bearer t")
        #expect(server.requests.last?.headers["Authorization"] == expected)
    }

    @Test func originsThatAllGetTheTokenMayRedirectToEachOther() {
        let server = ScriptedServer([
            .redirect(to: "https://b/"), .redirect(to: "https://a/"), HTTPResponse(status: 200),
        ])
        let both = HTTPOrigins.origins { ["a", "b"].contains($0.host) }
        _ = stack(.redirect(), .authorize(.bearer("t"), for: both), over: server.send)(
            HTTPRequest(at: "https://a/1"))
        #expect(
            server.requests.map { $0.headers["Authorization"] } == [
                "Bearer t", "Bearer t", "Bearer t",
            ])
    }

    @Test func theSameOriginInOtherWordsGetsTheCredential() {
        #expect(sent(.bearer("t"), to: "HTTPS://API.Example.com:443/x")?.count == 1)
        #expect(!HTTPOrigins.origins(of: URL(string: "mailto:a")!).contains(TokenFixture.url))
        #expect(HTTPOrigins.origins { $0.host == "api.example.com" }.contains(TokenFixture.url))
    }

    @Test func aRequestsOwnHeaderStays() {
        let own: HTTPHeaders = ["authorization": "Basic x"]
        #expect(sent(.bearer("t"), headers: own) == own)
        let fixture = TokenFixture()
        var request = TokenFixture.request()
        request.headers = own
        #expect(fixture.send(request).valueNow?.status == 401)
        #expect(fixture.begun == 0)
    }

    @Test func aRequestMaySkipItsCredential() {
        let fixture = TokenFixture()
        fixture.expect("t2")
        var request = TokenFixture.request()
        request.context.skipsAuthorization = true
        #expect(fixture.send(request).valueNow?.status == 401)
        #expect(fixture.sent == [nil])
        #expect(fixture.begun == 0)
    }

    @Test func theTextsOfACredentialShowNoSecret() {
        let token = AccessToken("s3cret", refreshToken: "s3cret")
        let refresher = TokenRefresher(token) { _ in Future(value: token) }
        let values: [Any] = [
            token, refresher, HTTPCredentials.bearer("s3cret"),
            HTTPCredentials.basic(user: "s3cret", password: "s3cret"),
            HTTPCredentials.bearer(from: refresher),
        ]
        for value in values {
            for text in texts(of: value) { #expect(!text.contains("s3cret"), "\(text)") }
        }
    }
}

/// A redirect and a token: in either order, only the token's origins get the token.
@Suite struct AuthorizeRedirectTests {
    private let url = TokenFixture.url

    private func server(_ location: String) -> ScriptedServer {
        ScriptedServer { request in
            request.url.path == "/1"
                ? .redirect(to: location) : HTTPResponse(status: 401, url: request.url)
        }
    }

    private func headers(
        _ location: String, _ middleware: [Middleware<HTTPRequest, HTTPResponse>]
    ) -> [String?] {
        let server = server(location)
        _ = Middleware(stacking: middleware)(server.send)(TokenFixture.request("/1"))
        return server.requests.map { $0.headers["Authorization"] }
    }

    @Test(arguments: [true, false]) func anotherOriginGetsNoToken(isOutside: Bool) {
        let token = Middleware<HTTPRequest, HTTPResponse>.authorize(
            .bearer("t"), for: .origins(of: url))
        let stacked = isOutside ? [token, .redirect()] : [.redirect(), token]
        #expect(headers("https://evil.net/", stacked) == ["Bearer t", nil])
        #expect(headers("/2", stacked) == ["Bearer t", "Bearer t"])
    }

    private let key = HTTPCredentials.header("X-API-Key", "k")

    /// The keys that arrive when a chain of redirects leads from one host to the next.
    private func keys(
        _ hosts: [String], _ middleware: [Middleware<HTTPRequest, HTTPResponse>]
    ) -> [String?] {
        let server = ScriptedServer(hosts.dropFirst().map { .redirect(to: "https://\($0)/") })
        _ = Middleware(stacking: middleware)(server.send)(HTTPRequest(at: "https://\(hosts[0])/"))
        return server.requests.map { $0.headers["X-API-Key"] }
    }

    @Test(arguments: [true, false]) func anotherOriginGetsNoKeyInEitherOrder(isOutside: Bool) {
        let authorize = Middleware<HTTPRequest, HTTPResponse>.authorize(
            key, for: .origins(of: url, URL(string: "https://b.example")!))
        let stacked = isOutside ? [authorize, .redirect()] : [.redirect(), authorize]
        #expect(keys(["api.example.com", "evil.net"], stacked) == ["k", nil])
        #expect(keys(["api.example.com", "b.example"], stacked) == ["k", "k"])
        let back = keys(["api.example.com", "evil.net", "b.example"], stacked)
        // The origin in between has chosen the URL.
        #expect(back == ["k", nil, nil])
    }

    @Test func anotherOriginGetsNoKeyThroughAllThatLiesBetween() {
        let authorize = Middleware<HTTPRequest, HTTPResponse>.authorize(
            key, for: .origins(of: url))
        let stacked = [
            authorize, .retry(), .cache(), .coalesceSafeRequests(), .redirect(),
            .acceptStatus(),
        ]
        #expect(keys(["api.example.com", "evil.net"], stacked) == ["k", nil])
    }

    @Test func aJarOutsideOfTheRedirectSendsNoCookieElsewhere() {
        let jar = CookieJar()
        jar.store("a=1; Domain=example.com", from: url)
        let server = ScriptedServer([.redirect(to: "https://b.example.com/")])
        _ = stack(.cookies(sharing: jar), .redirect(), over: server.send)(TokenFixture.request())
        #expect(server.requests.map { $0.headers["Cookie"] } == ["a=1", nil])
    }

    /// If a redirect has removed the token, the 401 says nothing about the token.
    @Test func a401ToARequestWithoutTheTokenBeginsNoRefresh() {
        let fixture = TokenFixture()
        let server = server("https://b.example/")
        let token = Middleware<HTTPRequest, HTTPResponse>.authorize(
            .bearer(from: fixture.refresher), for: .all)
        let future = stack(token, .redirect(), over: server.send)(TokenFixture.request("/1"))
        #expect(future.valueNow?.status == 401)
        #expect(fixture.begun == 0)
    }

    /// A 303 comes after the POST was processed, so the 401 for the GET after it does not refuse the POST.
    @Test func aPOSTThatWasProcessedBeforeTheRedirectIsNotSentAgain() {
        let fixture = TokenFixture()
        let server = ScriptedServer { request in
            request.method == .post
                ? HTTPResponse(status: 303, headers: ["Location": "/2"], url: request.url)
                : HTTPResponse(status: 401, url: request.url)
        }
        let token = Middleware<HTTPRequest, HTTPResponse>.authorize(
            .bearer(from: fixture.refresher), for: .all)
        let send = stack(token, .redirect(), over: server.send)
        let order = send(HTTPRequest(.post, url.appending(path: "orders"), body: .data(Data([1]))))
        #expect(order.valueNow?.status == 401)
        #expect(server.requests.map(\.method) == [.post, .get])
        // The token is known to be refused: the next request waits for another one.
        _ = send(HTTPRequest(.post, url, headers: ["Idempotency-Key": "1"]))
        #expect(fixture.begun == 1)
    }

    @Test func theWayBackHasTheTokenInNeitherOrder() {
        let token = Middleware<HTTPRequest, HTTPResponse>.authorize(
            .bearer("t"), for: .origins(of: url))
        let send = { (parts: [Middleware<HTTPRequest, HTTPResponse>]) in
            let server = ScriptedServer([
                .redirect(to: "https://other.net/"), .redirect(to: "https://api.example.com/2"),
            ])
            _ = Middleware(stacking: parts)(server.send)(TokenFixture.request("/1"))
            return server.requests.map { $0.headers["Authorization"] }
        }
        #expect(send([.redirect(), token]) == ["Bearer t", nil, nil])
        #expect(send([token, .redirect()]) == ["Bearer t", nil, nil])
    }

    /// A 401 of another origin says nothing about the token, which that origin never received.
    @Test(arguments: [true, false]) func another401BeginsNoRefresh(isOutside: Bool) {
        let fixture = TokenFixture()
        let token = Middleware<HTTPRequest, HTTPResponse>.authorize(
            .bearer(from: fixture.refresher), for: .origins(of: url))
        let stacked = isOutside ? [token, .redirect()] : [.redirect(), token]
        #expect(headers("https://evil.net/", stacked) == ["Bearer t1", nil])
        #expect(fixture.begun == 0)
        #expect(headers("/2", stacked) == ["Bearer t1", "Bearer t1"])
        #expect(fixture.begun == 1)
    }
}

/// A request that is refused and sent again, over middleware that adds a header to it.
@Suite struct AuthorizedCallTests {
    private struct Broken: Error {}
    private let fixture = TokenFixture()

    /// The idempotency key may have arrived with an attempt before the refused one.
    @Test func whatGotAKeyBeneathIsSentAgainWithIt() {
        fixture.expect("t2")
        let send = fixture.send(over: stack(.idempotencyKey(), over: fixture.server.send))
        let call = send(HTTPRequest(.post, TokenFixture.url))
        fixture.end(with: AccessToken("t2"))
        #expect(call.valueNow?.status == 200)
        let keys = fixture.server.requests.map(\.context.idempotencyKey)
        #expect(keys.count == 2 && Set(keys).count == 1 && !keys.contains(nil))
    }

    /// A server sends it a byte at a time, and the caller waits for the error of the refresh.
    @Test func theBodyOfA401IsReadForASecond() throws {
        let source = ScriptedSource()
        let send: HTTPStreamingService = fixture.send(
            over: { _ in Future(value: HTTPStreamedResponse(status: 401, body: source.stream())) })
        let call = send(TokenFixture.request())
        fixture.fail(with: Broken())
        for _ in 1...3 {
            source.give("x")
            fixture.scheduler.advance(by: .milliseconds(300))
        }
        #expect(!call.isSettled)
        fixture.scheduler.advance(by: .milliseconds(100))
        let error = try #require(call.errorNow as? HTTPError)
        #expect(error.code == .tokenRefreshFailed && error.response?.status == 401)
        #expect(source.cancelled == 1)
    }

    @Test func aFailedRefreshShowsNothingOfWhatWasAddedBeneath() throws {
        let send = fixture.send(
            over: stack(
                .authorize(.header("X-API-Key", "s3cretkey"), for: .all), .acceptStatus(),
                over: { (request: HTTPRequest) in
                    let key = request.headers["X-API-Key"] ?? "no key"
                    return Future(value: HTTPResponse(status: 401, body: Data("not \(key)".utf8)))
                }))
        let call = send(TokenFixture.request())
        fixture.fail(with: Broken())
        let error = try #require(call.errorNow)
        for text in texts(of: error) { #expect(!text.contains("s3cretkey")) }
    }
}

/// Authorize and cookies above `.acceptStatus()` have the same effect as beneath it.
@Suite struct AcceptedAnswerTests {
    private func error<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(future.errorNow as? HTTPError)
    }

    @Test(arguments: [true, false]) func authorizeRenewsAtA401WithinAnError(isStreamed: Bool) {
        let fixture = TokenFixture()
        fixture.expect("t2")
        let whole = fixture.send(over: stack(.acceptStatus(), over: fixture.server.send))
        let stream = fixture.send(over: stack(.acceptStatus(), over: fixture.server.stream()))
        let status =
            isStreamed
            ? stream(TokenFixture.request()).map(\.status)
            : whole(TokenFixture.request()).map(\.status)
        fixture.end(with: AccessToken("t2"))
        #expect(status.valueNow == 200)
        #expect(fixture.sent == ["Bearer t1", "Bearer t2"])
    }

    @Test func aFailedRefreshKeepsThe401OfTheError() throws {
        let fixture = TokenFixture()
        fixture.expect("t2")
        let send = fixture.send(over: stack(.acceptStatus(), over: fixture.server.send))
        let future = send(TokenFixture.request())
        fixture.fail(with: URLError(.timedOut))
        let error = try error(future)
        #expect(error.code == .tokenRefreshFailed && error.status == 401)
    }

    @Test(arguments: [404, 302]) func noCookieIsSetInAnothersName(status: Int) {
        let jar = CookieJar()
        let server = ScriptedServer { request in
            guard request.url.host() == "b.example" else {
                return .redirect(to: "https://b.example/")
            }
            return HTTPResponse(
                status: status, headers: ["Set-Cookie": "a=1", "Location": "https://b.example/"])
        }
        let send = stack(.cookies(sharing: jar), .redirect(), .acceptStatus(), over: server.send)
        #expect(send(HTTPRequest(at: "https://a.example/")).errorNow is HTTPError)
        #expect(jar.cookies.map(\.domain) == ["b.example"])
    }
}
