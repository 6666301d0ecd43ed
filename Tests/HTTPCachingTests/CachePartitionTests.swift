import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// Which users get the responses that a cache has stored for a user.
@Suite struct CachePartitionTests {
    private let bench = CacheBench()
    private let request = HTTPRequest(at: "https://example.com/")
    private let tagged: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

    private func refresher(_ token: String = "t0") -> TokenRefresher {
        let number = Locked(0)
        return TokenRefresher(AccessToken(token), on: bench.scheduler) { _ in
            number.withLock { $0 += 1 }
            return Future(value: AccessToken("t\(number.withLock { $0 })"))
        }
    }

    private func send(
        _ credentials: HTTPCredentials, as account: String? = nil
    ) -> HTTPService {
        stack(
            .authorize(credentials, for: .all, as: account), .cache(sharing: bench.cache),
            over: bench.origin)
    }

    private func answer(of service: HTTPService, to request: HTTPRequest) -> HTTPResponse? {
        service(request).valueNow
    }

    private func text(_ service: HTTPService) -> String? { service(request).valueNow?.text }

    @Test(arguments: ["", "Authorization"]) func fortyRenewalsCostOneFullAnswer(vary: String) {
        let refresher = refresher()
        let send = send(.bearer(from: refresher))
        let headers: HTTPHeaders = [
            "Cache-Control": "no-cache", "ETag": "\"a\"", "Vary": vary,
        ]
        bench.answers(
            .init(headers: headers), .init(status: 304, headers: ["ETag": "\"a\""]))
        for _ in 0..<40 {
            #expect(text(send) == "1")
            #expect(refresher.refresh().isSettled)
        }
        #expect(text(send) == "1")
        let tokens = bench.requests.compactMap { $0.headers["Authorization"] }
        #expect(Set(tokens).count == 41)
        #expect(bench.requests.filter { $0.headers["If-None-Match"] == nil }.count == 1)
        #expect(bench.store.currentUsage.count == 1)
    }

    @Test func whatWasStoredEndsWithTheSignIn() {
        let refresher = refresher()
        let send = send(.bearer(from: refresher))
        bench.answers(tagged)
        #expect(text(send) == "1" && text(send) == "1")
        // The same token, but perhaps not the same account.
        refresher.signIn(with: AccessToken("t0"))
        #expect(text(send) == "2" && text(send) == "2")
        #expect(bench.last?.headers["If-None-Match"] == nil)
        refresher.signOut()
        #expect(text(send) == "3" && text(send) == "3")
        #expect(bench.store.currentUsage.count == 1, "what has ended is removed")
    }

    @Test func whatComesAfterTheSignInIsNotStored() {
        let refresher = refresher()
        let gate = Promise<Void>()
        bench.answers(.init(headers: tagged, gate: gate), .init(headers: tagged))
        let service = send(.bearer(from: refresher))
        let late = service(request)
        refresher.signOut()
        gate.resolve()
        #expect(late.valueNow?.text == "1")
        #expect(bench.store.currentUsage.count == 0)
    }

    @Test func nothingRescuesACallAfterTheSignOut() {
        let refresher = refresher()
        let gate = Promise<Void>()
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10, stale-if-error=100"]
        bench.answers(
            .init(headers: headers),
            .init(failure: HTTPError(code: .connectionLost), gate: gate))
        let send = send(.bearer(from: refresher))
        #expect(text(send) == "1")
        bench.advance(20)
        let late = send(request)
        refresher.signOut()
        gate.resolve()
        #expect((late.errorNow as? HTTPError)?.code == .connectionLost)
    }

    @Test func anAccountKeepsWhatIsItsOwn() {
        bench.answers(tagged)
        #expect(text(send(.bearer("1"), as: "anna")) == "1")
        #expect(text(send(.bearer("2"), as: "anna")) == "1")
        #expect(text(send(.bearer("2"), as: "bert")) == "2")
        #expect(text(send(.bearer(from: refresher()), as: "anna")) == "1")
    }

    @Test func fixedCredentialsAreAPartitionOfTheirOwn() {
        bench.answers(tagged)
        let key = { (value: String) in self.send(.header("X-API-Key", value)) }
        #expect(text(key("1")) == "1" && text(key("2")) == "2" && text(key("1")) == "1")
        // Equal credentials that the caller sets mean the same user.
        #expect(text(send(.bearer("1"))) == "3")
        let byHand = HTTPRequest(at: "https://example.com/", headers: ["Authorization": "Bearer 1"])
        #expect(bench.service(byHand).valueNow?.text == "3")
    }

    /// A header that was replaced beneath the cache does not identify the user that it was set for.
    @Test func aReplacedHeaderIsAnothers() {
        bench.answers(tagged)
        let replacing = { (value: String) -> HTTPService in
            let replace = Middleware<HTTPRequest, HTTPResponse> { next in
                { request in
                    var request = request
                    request.headers["Authorization"] = value
                    return next(request)
                }
            }
            return stack(
                .authorize(.bearer("app"), for: .all), replace, .cache(sharing: self.bench.cache),
                over: self.bench.origin)
        }
        #expect(text(replacing("1")) == "1" && text(replacing("2")) == "2")
    }

    @Test func noTokenIsKeptInTheCache() throws {
        let send = send(.bearer("SECRET"))
        bench.answers(["Cache-Control": "max-age=60", "Vary": "Authorization"])
        _ = send(request)
        let key = try #require(CacheKey(request.url))
        let stored = try #require(bench.store.responses(for: key).valueNow?.first)
        #expect(!"\(stored.variant.fields) \(stored.variant.partition as Any)".contains("SECRET"))
    }

    @Test func a304ToOneUserSaysNothingToAnother() throws {
        bench.answers(
            .init(headers: tagged), .init(headers: tagged),
            .init(status: 304, headers: ["ETag": "\"a\"", "X-User": "1"]))
        #expect(text(send(.bearer("1"))) == "1" && text(send(.bearer("2"))) == "2")
        bench.advance(59)
        var reload = request
        reload.headers["Cache-Control"] = "no-cache"
        #expect(answer(of: send(.bearer("1")), to: reload)?.headers["X-User"] == "1")
        #expect(answer(of: send(.bearer("2")), to: request)?.headers["X-User"] == nil)
        #expect(bench.requests.count == 3)
    }

    // MARK: Other headers

    @Test func aKeyInAnyHeaderSeparatesUsers() throws {
        let bench = CacheBench(harmlessHeaders: [])
        bench.answers(tagged)
        #expect(try bench.get(["X-API-Key": "1"]) == "1")
        #expect(try bench.get(["X-API-Key": "2"]) == "2")
        #expect(try bench.get() == "3")
        #expect(try bench.get(["x-api-key": "1"]) == "1" && bench.get(["x-api-key": "2"]) == "2")
        #expect(bench.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
    }

    @Test(arguments: [
        "Accept-Language", "User-Agent", "X-Request-ID", "Pragma", "traceparent", "tracestate",
        "baggage", "Idempotency-Key", "Request-Timeout",
    ])
    func aHarmlessHeaderDoesNotSeparateUsers(name: String) throws {
        let bench = CacheBench(harmlessHeaders: [])
        #expect(try bench.reuses(tagged, asked: [name: "1"], asking: [name: "2"]))
        #expect(try bench.reuses(tagged, asking: [name: "2"]))
    }

    @Test func theAppNamesFurtherHarmlessHeaders() throws {
        let names = ["X-Theme", "Authorization", "cookie"]
        let theme = CacheBench(harmlessHeaders: names)
        #expect(try theme.reuses(tagged, asked: ["x-theme": "1"], asking: ["X-Theme": "2"]))
        for name in ["Authorization", "Cookie", "X-Other"] {
            let bench = CacheBench(harmlessHeaders: names)
            #expect(try !bench.reuses(tagged, asked: [name: "1"], asking: [name: "2"]))
        }
    }

    @Test func theAnswerToAKeyThatIsAddedBeneathIsNotStored() {
        let notes = Locked<[String]>([])
        let (bench, send) = above(.defaultHeaders(["X-API-Key": "1"]), notes)
        bench.answers(tagged)
        #expect(text(send) == "1" && text(send) == "2" && notes.withLock { $0.count } == 2)
    }

    // MARK: Refusals

    private func refusal(_ vary: String) -> CacheBench.Reply {
        .init(status: 401, headers: ["Cache-Control": "max-age=60", "Vary": vary])
    }

    @Test(arguments: ["", "Authorization"]) func aStored401AnswersNoRepetition(vary: String) {
        bench.answers(refusal(vary), .init(headers: tagged))
        let send = send(.bearer(from: refresher()))
        #expect(text(send) == "2")
        #expect(bench.last?.headers["Authorization"] == "Bearer t1")
        #expect(text(send) == "2" && bench.requests.count == 2)
        #expect(bench.store.currentUsage.count == 1, "the 401 is replaced")
    }

    @Test func aStored401AnswersNoRepetitionWithTheSameToken() {
        bench.answers(refusal("Authorization"), .init(headers: tagged))
        let refresher = TokenRefresher(AccessToken("t"), on: bench.scheduler) { Future(value: $0) }
        #expect(text(send(.bearer(from: refresher))) == "2")
        #expect(bench.requests.map { $0.headers["Authorization"] } == ["Bearer t", "Bearer t"])
    }

    @Test(arguments: ["", "Authorization"]) func aStored401IsForTheRefusedTokenAlone(vary: String) {
        bench.answers(refusal(vary), .init(headers: tagged))
        #expect(answer(of: send(.bearer("t0"), as: "anna"), to: request)?.status == 401)
        #expect(answer(of: send(.bearer("t0"), as: "anna"), to: request)?.status == 401)
        #expect(bench.requests.count == 1)
        #expect(answer(of: send(.bearer("t1"), as: "anna"), to: request)?.text == "2")
        #expect(answer(of: send(.bearer("t1"), as: "anna"), to: request)?.text == "2")
    }

    @Test func otherAnswersOfTheAccountOutliveTheRenewal() {
        let send = send(.bearer(from: refresher()))
        let other = HTTPRequest(at: "https://example.com/other")
        bench.answers(.init(headers: tagged), refusal(""), .init(headers: tagged))
        #expect(text(send) == "1")
        #expect(send(other).valueNow?.text == "3")
        #expect(text(send) == "1" && bench.requests.count == 3)
    }

    // MARK: Cookies

    private func send(_ jar: CookieJar) -> HTTPService {
        stack(.cookies(sharing: jar), .cache(sharing: bench.cache), over: bench.origin)
    }

    private func jar() -> CookieJar {
        let jar = CookieJar()
        jar.store("session=1", from: request.url)
        return jar
    }

    @Test func twoJarsShareNothing() {
        let (one, other) = (jar(), jar())
        bench.answers(tagged)
        #expect(text(send(one)) == "1" && text(send(other)) == "2" && text(send(one)) == "1")
        #expect(text(send(CookieJar())) == "3", "without cookies")
        one.store("session=2", from: request.url)
        #expect(text(send(one)) == "1", "a renewed cookie")
        one.removeAll()
        one.store("session=1", from: request.url)
        #expect(text(send(one)) == "4", "another account")
    }

    @Test func cookiesThatARequestBringsAreToldApart() {
        bench.answers(tagged)
        let jar = jar()
        let texts = ["a=1", "a=2", "a=1"].map { cookie in
            var request = request
            request.headers["Cookie"] = cookie
            return [bench.service, send(jar)].map { $0(request).valueNow?.text }
        }
        #expect(texts == [["1", "2"], ["3", "4"], ["1", "2"]])
    }

    // MARK: A cache that cannot know

    private func above(
        _ middleware: Middleware<HTTPRequest, HTTPResponse>, _ notes: Locked<[String]>,
        mode: HTTPCache.Mode = .private
    ) -> (CacheBench, HTTPService) {
        let bench = CacheBench(mode: mode)
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        return (
            bench,
            stack(
                .observed(by: observer, on: bench.scheduler), .cache(sharing: bench.cache),
                middleware,
                over: bench.origin)
        )
    }

    @Test(arguments: HTTPCache.Mode.allCases)
    func aCacheAboveAuthorizeStoresNothingAndSaysWhy(mode: HTTPCache.Mode) {
        let notes = Locked<[String]>([])
        let refresher = refresher()
        let (bench, send) = above(
            .authorize(.bearer(from: refresher), for: .all), notes, mode: mode)
        bench.answers(["Cache-Control": "public, max-age=60", "ETag": "\"a\""])
        #expect(text(send) == "1" && text(send) == "2")
        #expect(bench.store.currentUsage.count == 0)
        #expect(
            notes.withLock { $0 }
                == Array(
                    repeating: "not stored: credentials were added beneath the cache", count: 2))
        // Without credentials there is no problem.
        refresher.signOut()
        #expect(text(send) == "3" && text(send) == "3")
    }

    @Test func aCacheAboveCookiesStoresNothingEither() {
        let notes = Locked<[String]>([])
        let (bench, send) = above(.cookies(sharing: jar()), notes)
        bench.answers(tagged)
        #expect(text(send) == "1" && text(send) == "2" && notes.withLock { $0.count } == 2)
    }

    @Test func whatNobodyAskedForIsNotConfirmedBySomebody() {
        let notes = Locked<[String]>([])
        let refresher = TokenRefresher(on: bench.scheduler) { Future(value: $0) }
        let (bench, send) = above(.authorize(.bearer(from: refresher), for: .all), notes)
        bench.answers(
            .init(headers: tagged), .init(status: 304, headers: ["ETag": "\"a\""]),
            .init(headers: tagged))
        #expect(text(send) == "1")
        bench.advance(60)
        refresher.signIn(with: AccessToken("t"))
        #expect(text(send) == "3")
        #expect(notes.withLock { $0.filter { $0.hasPrefix("not stored") } }.count == 1)
    }

    @Test func whoJoinsAnothersCallGetsHisOwnAnswer() {
        let notes = Locked<[String]>([])
        let refresher = refresher()
        let (bench, send) = above(.authorize(.bearer(from: refresher), for: .all), notes)
        let gate = Promise<Void>()
        bench.answers(.init(headers: tagged, gate: gate), .init(headers: tagged))
        let mine = send(request)
        refresher.signIn(with: AccessToken("yours"))
        let yours = send(request)
        gate.resolve()
        #expect(mine.valueNow?.text == "1" && yours.valueNow?.text == "2")
        #expect(bench.last?.headers["Authorization"] == "Bearer yours")
    }
}
