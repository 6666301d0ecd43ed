import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

/// A jar gets the cookies of each response where it arrives, over a function.
@Suite struct CookieKeeperTests {
    typealias Part = Middleware<HTTPRequest, HTTPResponse>

    /// The ways to put a jar above a policy that is above a function.
    enum Composition: CaseIterable, Sendable {
        case stack, stackInStack, applied, keyed, only, client, stackInClient

        func service(
            _ jar: CookieJar, _ policy: Part, over function: @escaping HTTPService
        ) -> HTTPService {
            switch self {
            case .stack: PledgeServices.stack(.cookies(sharing: jar), policy, over: function)
            case .stackInStack:
                PledgeServices.stack(
                    .cookies(sharing: jar), over: PledgeServices.stack(policy, over: function))
            case .applied: Part.cookies(sharing: jar)(policy(function))
            case .keyed:
                PledgeServices.stack(
                    .keyed(by: { $0.url.host() }) { _ in .cookies(sharing: jar) }, policy,
                    over: function)
            case .only:
                PledgeServices.stack(
                    .cookies(sharing: jar), policy.only { _ in true }, over: function)
            case .client: client(jar, aroundAttempt: policy, over: function).futures.send
            case .stackInClient:
                client(
                    jar, aroundAttempt: .passThrough,
                    over: PledgeServices.stack(policy, over: function)
                ).futures.send
            }
        }

        private func client(
            _ jar: CookieJar, aroundAttempt policy: Part, over function: @escaping HTTPService
        ) -> HTTPClient {
            var client = HTTPClient(base: nil, over: function)
            client.cookies = jar
            client.retry = nil
            client.aroundAttempt = .init(send: policy, stream: .passThrough)
            return client
        }
    }

    /// A policy by which the caller gets another response than the first.
    enum Policy: CaseIterable, Sendable {
        case retry, hedgeAfterFailure, hedge, fallback, redirect, authorize, digest, ownMiddleware

        /// The status of the first response, which leads to another one.
        var status: Int {
            switch self {
            case .redirect: 302
            case .authorize, .digest: 401
            default: 503
            }
        }

        func middleware(on scheduler: ManualScheduler) -> Part {
            switch self {
            case .retry: return .retry(Retry(backoff: .constant(.zero)), on: scheduler)
            case .hedgeAfterFailure:
                return .hedge(sharing: Hedge(after: .seconds(1), maxExtraLoad: 1, on: scheduler))
            case .hedge:
                return .hedge(
                    sharing: Hedge(after: .milliseconds(5), maxExtraLoad: 1, on: scheduler))
            case .fallback:
                return .fallback { _ in HTTPResponse(status: 200, headers: ["Set-Cookie": "b=2"]) }
            case .redirect: return .redirect()
            case .authorize:
                let refresher = TokenRefresher(AccessToken("old"), on: scheduler) { _ in
                    Future(value: AccessToken("new"))
                }
                return .authorize(.bearer(from: refresher), for: .all)
            case .digest: return .authorize(.digest(user: "anna", password: "s"), for: .all)
            case .ownMiddleware:
                return Middleware { next in
                    { request in next(request).flatMap { _ in next(request) } }
                }
            }
        }
    }

    private static let url = URL(string: "https://shop.example.com/cart")!
    private let scheduler = ManualScheduler()
    private let jar = CookieJar()

    /// A server whose first answer sets a cookie and leads to another request, whose answer sets another cookie.
    private func server(_ status: Int) -> AnsweringService<HTTPResponse> {
        AnsweringService(
            on: scheduler,
            [
                {
                    HTTPResponse(
                        status: status,
                        headers: [
                            "Set-Cookie": "a=1", "Location": "/next",
                            "WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"",
                        ])
                },
                { HTTPResponse(status: 200, headers: ["Set-Cookie": "b=2"]) },
            ])
    }

    @Test(arguments: Composition.allCases, Policy.allCases)
    func aResponseThatTheCallerDoesNotGetSetsItsCookies(
        composition: Composition, policy: Policy
    ) {
        let server = server(policy.status)
        let send = composition.service(
            jar, policy.middleware(on: scheduler), over: server.send)
        let call = send(HTTPRequest(.get, Self.url))
        scheduler.run()
        #expect(call.valueNow?.status == 200)
        #expect(jar.cookies.map(\.name) == ["a", "b"])
    }

    @Test func anAsyncFunctionsResponsesSetTheirCookies() async throws {
        let left = Locked(["a=1", "b=2"])
        let send: HTTPService = stack(
            .cookies(sharing: jar), Policy.ownMiddleware.middleware(on: scheduler),
            over: { _ async in
                HTTPResponse(
                    status: 200, headers: ["Set-Cookie": left.withLock { $0.removeFirst() }])
            })
        _ = try await send(HTTPRequest(.get, Self.url)).soon
        #expect(jar.cookies.map(\.name) == ["a", "b"])
    }

    @Test func aStreamedResponseThatTheCallerDoesNotGetSetsItsCookies() {
        let left = Locked([503, 200])
        let send: HTTPStreamingService = stack(
            .cookies(sharing: jar), .retry(Retry(backoff: .constant(.zero)), on: scheduler),
            over: { _ in
                let status = left.withLock { $0.removeFirst() }
                return Future(
                    value: HTTPStreamedResponse(
                        status: status, headers: ["Set-Cookie": "a\(status)=1"],
                        body: HTTPBodyStream(Data())))
            })
        let call = send(HTTPRequest(.get, Self.url))
        scheduler.run()
        #expect(call.valueNow?.status == 200)
        #expect(jar.cookies.map(\.name) == ["a503", "a200"])
    }

    /// A request that a caller takes from a response or an error belongs to nobody's jar any more.
    @Test(arguments: [200, 503])
    func theRequestOfAnAnswerSetsNoCookies(status: Int) throws {
        let client = HTTPClient(base: nil) { request in
            Future(
                value: HTTPResponse(
                    status: status, headers: ["Set-Cookie": "a=\(request.url.path.count)"]))
        }
        var withJar = client
        withJar.cookies = jar
        withJar.retry = nil
        let result = try #require(
            withJar.futures.send(HTTPRequest(.get, Self.url.appending(path: "long"))).result)
        #expect(jar.cookies.count == 1)
        let sent: HTTPRequest?
        switch result {
        case .success(let response): sent = response.request
        case .failure(let error): sent = (error as? HTTPError)?.request
        }
        let before = jar.cookies
        var again = try #require(sent)
        again.url = Self.url
        _ = client.futures.send(again)
        #expect(jar.cookies == before)
    }

    /// Also if the middleware between has changed the request.
    @Test func theJarTravelsWithAChangedRequest() {
        let server = server(503)
        let send = stack(
            .cookies(sharing: jar), .defaultHeaders(["X-App": "shop"]),
            Middleware { next in
                { request in
                    var request = request
                    request.url = URL(string: "https://mirror.example.com/cart")!
                    return next(request)
                }
            }, .retry(Retry(backoff: .constant(.zero)), on: scheduler), over: server.send)
        _ = send(HTTPRequest(.get, Self.url))
        scheduler.run()
        #expect(jar.cookies.map(\.name) == ["a", "b"])
        #expect(jar.cookies.map(\.domain) == ["mirror.example.com", "mirror.example.com"])
    }

    /// A substitute of a fallback comes from no stack of its own.
    @Test func theAnswerOfAnotherFunctionSetsItsCookies() {
        let send: HTTPService = stack(
            .cookies(sharing: jar),
            .fallback(to: { _ in
                Future(value: HTTPResponse(status: 200, headers: ["Set-Cookie": "mirror=1"]))
            }),
            over: { _ in Future(value: HTTPResponse(status: 503)) })
        #expect(send(HTTPRequest(.get, Self.url)).valueNow?.status == 200)
        #expect(jar.cookies.map(\.name) == ["mirror"])
    }

    /// A stub may return a response that it has from an earlier call.
    @Test func aResponseThatCameBeforeSetsItsCookiesAgain() {
        let first: HTTPService = stack(
            .cookies(sharing: jar),
            over: { _ in
                Future(value: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"]))
            })
        let response = first(HTTPRequest(.get, Self.url)).valueNow
        for other in [jar, CookieJar()] {
            other.removeAll()
            let again: HTTPService = stack(
                .cookies(sharing: other),
                over: { _ in
                    response.map { Future(value: $0) } ?? Future(error: CancellationError())
                })
            _ = again(HTTPRequest(.get, Self.url))
            #expect(other.cookies.map(\.name) == ["a"])
        }
    }

    /// A proxy on the developer's machine changes what a server sets.
    @Test func aCookieThatMiddlewareChangesIsKeptAsItIsChanged() {
        let send: HTTPService = stack(
            .cookies(sharing: jar),
            Middleware { next in
                { request in
                    next(request).map { response in
                        var response = response
                        response.headers["Set-Cookie"] = "a=local"
                        return response
                    }
                }
            },
            over: { _ in
                Future(value: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"]))
            })
        _ = send(HTTPRequest(.get, Self.url))
        #expect(jar.cookies.map(\.value) == ["local"])
    }

    // MARK: Callers who leave, and callers who share

    @Test func ofThoseWhoShareAResponseOnlyItsSenderGetsTheCookies() {
        for isLeft in [false, true] {
            let jars = (1...3).map { _ in CookieJar() }
            let answer = Promise<HTTPResponse>()
            let shared = stack(Part.coalesceSafeRequests(), over: { _ in answer })
            let calls = jars.map { jar in
                stack(.cookies(sharing: jar), over: shared)(HTTPRequest(.get, Self.url))
            }
            if isLeft { calls[0].cancel() }
            answer.resolve(with: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"]))
            #expect(calls[2].valueNow?.status == 200)
            #expect(jars.map { $0.cookies.count } == [1, 0, 0])
        }
    }

    @Test func theFailureBehindASubstituteSetsItsCookies() {
        let send: HTTPService = stack(
            .cookies(sharing: jar), .fallback { _ in HTTPResponse(status: 200) }, .acceptStatus(),
            over: { _ in
                Future(value: HTTPResponse(status: 500, headers: ["Set-Cookie": "a=1"]))
            })
        #expect(send(HTTPRequest(.get, Self.url)).valueNow?.status == 200)
        #expect(jar.cookies.map(\.name) == ["a"])
    }

    // MARK: Order

    @Test func theNextRequestCarriesTheCookiesOfTheLastResponse() {
        for policy in [Policy.retry, .redirect, .authorize, .digest] {
            let (jar, server) = (CookieJar(), server(policy.status))
            let send = stack(
                policy.middleware(on: scheduler), .cookies(sharing: jar), over: server.send)
            let seen = Locked<[String]>([])
            send(HTTPRequest(.get, Self.url)).observe { _ in
                seen.withLock { $0 = jar.cookies.map(\.name) }
            }
            scheduler.run()
            #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
            #expect(seen.withLock { $0 } == ["a", "b"], "the caller goes on after the jar")
        }
    }

    // MARK: Sign-out

    @Test func aLateResponseSetsNoCookieForTheNextUser() {
        for composition in Composition.allCases {
            let (jar, answer) = (CookieJar(), Promise<HTTPResponse>())
            let send = composition.service(jar, .passThrough) { _ in answer }
            let call = send(HTTPRequest(.get, Self.url))
            jar.removeAll()
            jar.store("session=bert", from: Self.url)
            answer.resolve(
                with: HTTPResponse(status: 200, headers: ["Set-Cookie": "session=anna"]))
            #expect(call.isSettled)
            #expect(jar.cookies.map(\.value) == ["bert"])
        }
    }

    /// The jar calls the app's function between the check of the user and the change.
    @Test func aSignOutWhileAResponseIsReadSetsNoCookieForTheNextUser() {
        let signOut = Locked<(@Sendable () -> Void)?>(nil)
        let jar = CookieJar(isPublicSuffix: { _ in
            signOut.withLock { $0.take() }?()
            return false
        })
        signOut.withLock { $0 = { jar.removeAll() } }
        let send: HTTPService = stack(
            .cookies(sharing: jar),
            over: { _ in
                Future(
                    value: HTTPResponse(
                        status: 200, headers: ["Set-Cookie": "a=1; Domain=example.com"]))
            })
        #expect(send(HTTPRequest(.get, Self.url)).valueNow?.status == 200)
        #expect(jar.cookies.isEmpty)
    }
}
