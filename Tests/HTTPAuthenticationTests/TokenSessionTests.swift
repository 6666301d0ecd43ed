import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct TokenSessionTests {
    private let fixture = TokenFixture()

    @Test func signedOutTheAnswerIsTheCallers() {
        fixture.refresher.signOut()
        #expect(fixture.send(TokenFixture.request()).valueNow?.status == 401)
        #expect(fixture.sent == [nil])
        #expect(fixture.begun == 0)
        #expect(fixture.told == [nil])
    }

    @Test func nobodysRequestIsSentInAnothersName() throws {
        fixture.expect("t9")
        let waiting = fixture.send(TokenFixture.request())
        fixture.refresher.signIn(with: AccessToken("t9"))
        let error = try #require(waiting.errorNow as? HTTPError)
        #expect(error.code == .sessionEnded)
        #expect(error.status == 401)
        fixture.end(with: AccessToken("t2"))
        #expect(fixture.refresher.token?.value == "t9")
        #expect(fixture.told == ["t9"])
        #expect(fixture.sent == ["Bearer t1"])
        #expect(fixture.send(TokenFixture.request()).valueNow?.status == 200)
    }

    @Test func aLateRefusalOfTheLastSessionIsGivenBack() {
        let slow = Promise<HTTPResponse>()
        let sent = Locked(0)
        let send = fixture.send(
            over: { _ in
                sent.withLock { $0 += 1 }
                return slow
            })
        let future = send(TokenFixture.request())
        fixture.refresher.signIn(with: AccessToken("t9"))
        slow.resolve(with: HTTPResponse(status: 401))
        #expect(future.valueNow?.status == 401)
        #expect(sent.withLock { $0 } == 1)
        #expect(fixture.begun == 0)
    }

    @Test func aRetryRepeatsNothingInAnothersName() {
        fixture.expect("t9")
        let send = stack(.retry(on: fixture.scheduler), over: fixture.send)
        let waiting = send(TokenFixture.request())
        fixture.refresher.signIn(with: AccessToken("t9"))
        fixture.scheduler.run()
        #expect((waiting.errorNow as? HTTPError)?.code == .sessionEnded)
        #expect(fixture.sent == ["Bearer t1"])
    }

    @Test func changesAreToldInOrderAlsoFromWithinTheHook() {
        let told = Locked<[String]>([])
        let made = Locked<TokenRefresher?>(nil)
        let refresher = TokenRefresher(
            AccessToken("t1"),
            onChange: { token in
                if token?.value == "t2" { made.withLock { $0 }?.signOut() }
                told.withLock { $0.append(token?.value ?? "out") }
            },
            refresh: { _ in Future(value: AccessToken("t2")) })
        made.withLock { $0 = refresher }
        _ = refresher.refresh()
        #expect(told.withLock { $0 } == ["t2", "out"])
        #expect(refresher.token == nil)
        made.withLock { $0 = nil }
    }

    @Test func aTokenIsStoredBeforeItIsUsed() {
        let log = Locked<[String]>([])
        let pending = Promise<AccessToken>()
        let refresher = TokenRefresher(
            AccessToken("t1"),
            onChange: { _ in log.withLock { $0.append("stored") } }, refresh: { _ in pending })
        let send = stack(
            .authorize(.bearer(from: refresher), for: .all),
            over: { (request: HTTPRequest) -> Future<HTTPResponse> in
                log.withLock { $0.append(request.headers["Authorization"] ?? "-") }
                return Future(value: HTTPResponse(status: 401))
            })
        let future = send(TokenFixture.request())
        pending.resolve(with: AccessToken("t2"))
        #expect(future.valueNow?.status == 401)
        #expect(log.withLock { $0 } == ["Bearer t1", "stored", "Bearer t2"])
    }

    @Test func aRefreshCanBeAskedFor() {
        let (first, second) = (fixture.refresher.refresh(), fixture.refresher.refresh())
        #expect(fixture.begun == 1)
        fixture.end(with: AccessToken("t2"))
        #expect(first.valueNow?.value == "t2")
        #expect(second.valueNow?.value == "t2")
        fixture.refresher.signOut()
        let error = fixture.refresher.refresh().errorNow as? HTTPError
        #expect(error?.code == .sessionEnded)
    }
}

/// The calls of the refresh go through the stack whose requests wait for the refresh.
@Suite(.oneAtATime) struct TokenRefreshContextTests {
    private let scheduler = ManualScheduler()

    /// A server with a token endpoint that fails at first, and an API.
    private let server = ScriptedServer { request in
        switch (request.url.path, request.headers["Authorization"]) {
        case ("/token", nil): HTTPResponse(status: 200, body: Data("t2".utf8))
        case ("/token", _): HTTPResponse(status: 500)
        case (_, "Bearer t2"): HTTPResponse(status: 200)
        default: HTTPResponse(status: 401)
        }
    }

    private func service(
        failingFirst: Bool = true,
        refreshing refresh: @escaping @Sendable (@escaping HTTPService) -> Future<AccessToken>
    ) -> HTTPService {
        let whole = Locked<HTTPService?>(nil)
        let refresher = TokenRefresher(AccessToken("t1"), on: scheduler) { _ in
            refresh(whole.withLock { $0! })
        }
        let failing = Locked(failingFirst)
        let (scheduler, server) = (scheduler, server)
        let once = Middleware<HTTPRequest, HTTPResponse> { next in
            { request in
                let fails = request.url.path == "/token" && failing.withLock { $0 }
                failing.withLock { $0 = $0 && !fails }
                return fails ? Future(error: URLError(.timedOut)) : next(request)
            }
        }
        let send = stack(
            .deadline(.seconds(20), on: scheduler),
            .retry(Retry(backoff: .constant(.seconds(1))), classifier: anyError, on: scheduler),
            .authorize(.bearer(from: refresher), for: .all), once, over: server.send)
        whole.withLock { $0 = send }
        return send
    }

    private let anyError = Classifier<HTTPResponse> { result in
        if case .failure = result { .retryable(after: nil) } else { .success }
    }

    private static let token = HTTPRequest(at: "https://api.example.com/token")

    @Test func callsOfARefreshAreKnownThroughARetryThatWaits() {
        let send = service { send in send(Self.token).map { AccessToken($0.text) } }
        let future = send(TokenFixture.request())
        scheduler.run()
        #expect(future.valueNow?.status == 200)
        #expect(
            server.requests.map { $0.headers["Authorization"] } == ["Bearer t1", nil, "Bearer t2"])
    }

    @Test func callsOfARefreshAreKnownInATask() async throws {
        let send = service(failingFirst: false) { send in
            Future {
                await Task.yield()
                return AccessToken(try await send(Self.token).value.text)
            }
        }
        #expect(try await send(TokenFixture.request()).value.status == 200)
    }

    @Test func inACallbackTheRequestSaysSo() {
        let send = service { send in
            Future(value: ()).delay(.seconds(1), on: scheduler).flatMap {
                var request = Self.token
                request.context.skipsAuthorization = true
                return send(request).map { AccessToken($0.text) }
            }
        }
        let future = send(TokenFixture.request())
        scheduler.run()
        #expect(future.valueNow?.status == 200)
    }

    /// A closure of flatMap runs in the call context of its own line, so the call is recognised.
    @Test func whatGoesOnInAFlatMapIsPartOfIt() {
        let send = service { send in
            Future(value: ()).delay(.seconds(1), on: scheduler).flatMap {
                send(Self.token).map { AccessToken($0.text) }
            }
        }
        let future = send(TokenFixture.request())
        scheduler.run()
        #expect(future.isSettled)
        #expect(future.errorNow == nil)
    }

    /// Without a context in a callback, the refresh waits for itself until the timeout.
    @Test func whatNobodyKnowsEndsWithTheTimeout() {
        let send = service { send in
            let token = Promise<AccessToken>()
            Future(value: ()).delay(.seconds(1), on: scheduler).observe { _ in
                token.follow(send(Self.token).map { AccessToken($0.text) })
            }
            return token
        }
        let future = send(TokenFixture.request())
        scheduler.run()
        #expect(future.errorNow != nil)
    }

    @Test func whatGoesOnAfterwardsIsNoPartOfIt() async throws {
        let first = HTTPRequest(at: "https://api.example.com/1")
        let send = service { send in
            Future {
                await Task.yield()
                return AccessToken("t2")
            }
        }
        // The second is sent on the thread that settled the first: in the refresh's task.
        let both = send(first).flatMap { _ in send(TokenFixture.request("/2")) }
        #expect(try await both.value.status == 200)
        #expect(
            server.requests.map { $0.headers["Authorization"] }
                == ["Bearer t1", "Bearer t2", "Bearer t2"])
    }

    @Test func aRefreshIsNotBegunFromWithinARefresh() {
        let made = Locked<TokenRefresher?>(nil)
        let refresher = TokenRefresher(AccessToken("t1"), on: scheduler) { _ in
            made.withLock { $0! }.refresh()
        }
        made.withLock { $0 = refresher }
        let error = refresher.refresh().errorNow as? HTTPError
        #expect(error?.code == .tokenRefreshFailed)
        // It is a mistake of the program, and says nothing about the service.
        #expect(error?.advisedOutcome.health == .unknown)
        #expect(error?.advisedOutcome.retry == .never)
        made.withLock { $0 = nil }
    }

    @Test func theRefreshHasNoCallersDeadline() {
        let left = Locked<[Duration?]>([])
        let refresher = TokenRefresher(AccessToken("t1"), on: scheduler) { _ in
            left.withLock { $0.append(CallContext.current.remaining) }
            return Future(value: AccessToken("t2")).delay(.seconds(5), on: scheduler)
        }
        let send = stack(
            .deadline(.seconds(2), on: scheduler),
            .authorize(.bearer(from: refresher), for: .all), over: server.send)
        let future = send(TokenFixture.request())
        scheduler.advance(by: .seconds(5))
        #expect((future.errorNow as? ServiceError)?.code == .deadlineExceeded)
        #expect(left.withLock { $0 } == [nil])
        #expect(refresher.token?.value == "t2")
    }

    /// A user signs out, and another in, while a redirect is under way.
    @Test(arguments: [true, false]) func aRedirectIsNotFollowedForAnotherUser(signsIn: Bool) {
        let fixture = TokenFixture()
        let refresher = fixture.refresher
        let requests = Locked<[HTTPRequest]>([])
        let send: HTTPService = stack(
            .redirect(), .authorize(.bearer(from: refresher), for: .all),
            over: { request in
                requests.withLock { $0.append(request) }
                refresher.signOut()
                if signsIn { refresher.signIn(with: AccessToken("b")) }
                return Future(value: HTTPResponse(status: 307, headers: ["Location": "/next"]))
            })
        let call = send(HTTPRequest(.post, TokenFixture.url))
        #expect((call.errorNow as? HTTPError)?.code == .sessionEnded)
        #expect(requests.withLock { $0.map { $0.headers["Authorization"] } } == ["Bearer t1"])
    }

    /// A user signs in while a call of nobody is under way.
    @Test(arguments: [307, 503]) func whatNobodyHasBegunStaysWithoutAToken(status: Int) {
        let refresher = TokenRefresher { Future(value: $0) }
        let requests = Locked<[HTTPRequest]>([])
        let send: HTTPService = stack(
            .redirect(), .retry(Retry(backoff: .constant(.zero))),
            .authorize(.bearer(from: refresher), for: .all),
            over: { request in
                let isFirst = requests.withLock {
                    $0.append(request)
                    return $0.count == 1
                }
                guard isFirst else { return Future(value: HTTPResponse(status: 200)) }
                refresher.signIn(with: AccessToken("b"))
                return Future(
                    value: HTTPResponse(status: status, headers: ["Location": "/next"]))
            })
        #expect(send(HTTPRequest(TokenFixture.url)).valueNow?.status == 200)
        #expect(requests.withLock { $0.map { $0.headers["Authorization"] } } == [nil, nil])
    }

    @Test func aRedirectIsFollowedWithTheNextTokenOfTheUser() {
        let refresher = TokenRefresher(AccessToken("t1")) { _ in Future(value: AccessToken("t2")) }
        let tokens = Locked<[String?]>([])
        let send: HTTPService = stack(
            .redirect(), .authorize(.bearer(from: refresher), for: .all),
            over: { request in
                tokens.withLock { $0.append(request.headers["Authorization"]) }
                guard request.url.path != "/next" else {
                    return Future(value: HTTPResponse(status: 200))
                }
                return refresher.refresh().map { _ in
                    HTTPResponse(status: 307, headers: ["Location": "/next"])
                }
            })
        #expect(send(HTTPRequest(.post, TokenFixture.url)).valueNow?.status == 200)
        #expect(tokens.withLock { $0 } == ["Bearer t1", "Bearer t2"])
    }
}
