import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct CookiesTests {
    private let url = URL(string: "https://www.example.com/shop/cart")!
    private let jar = CookieJar()

    /// The header Cookie of a request when it arrives.
    private func sent(_ request: HTTPRequest) -> [String] {
        let seen = Locked<[String]>([])
        let load: HTTPService = stack(
            .cookies(sharing: jar),
            over: { request in
                seen.withLock { $0 = request.headers.values(for: "Cookie") }
                return Future(value: HTTPResponse(status: 200))
            })
        _ = load(request)
        return seen.withLock { $0 }
    }

    @Test func cookiesThatCameAreSentBack() {
        let load: HTTPService = stack(
            .cookies(sharing: jar),
            over: { _ in
                Future(
                    value: HTTPResponse(
                        status: 404, headers: ["Set-Cookie": "a=1", "set-cookie": "b=2; Path=/"]))
            })
        #expect(load(HTTPRequest(.get, url)).valueNow?.status == 404)
        #expect(sent(HTTPRequest(.get, url)) == ["a=1; b=2"])
        #expect(sent(HTTPRequest(.get, URL(string: "https://www.example.com/")!)) == ["b=2"])
        #expect(sent(HTTPRequest(.get, URL(string: "https://example.com/")!)) == [])
    }

    @Test(arguments: ["a=\u{85}", "a=b\r\nX: y"])
    func whatTheAppMustNotSendIsStillRefused(own: String) {
        jar.store("b=2", from: url)
        let request = jar.adding(to: HTTPRequest(.get, url, headers: ["Cookie": own]))
        #expect(throws: Endpoint.Error.invalidHeader(name: "Cookie")) { try request.validate() }
    }

    @Test func streamedResponsesBringThemToo() {
        let load: HTTPStreamingService = stack(
            .cookies(sharing: jar),
            over: { _ in
                Future(
                    value: HTTPStreamedResponse(
                        status: 200, headers: ["Set-Cookie": "a=1"], body: HTTPBodyStream(Data())))
            })
        let response = load(HTTPRequest(.get, url)).valueNow
        #expect(response?.body.collected(upTo: 0).valueNow == Data())
        #expect(jar.cookies.map(\.name) == ["a"])
    }

    @Test func theResponseOfAnErrorBringsThem() {
        let response = HTTPResponse(status: 500, headers: ["Set-Cookie": "a=1"])
        let load: HTTPService = stack(
            .cookies(sharing: jar),
            over: { _ in Future(error: HTTPError(code: .unacceptableStatus, response: response)) })
        #expect((load(HTTPRequest(.get, url)).errorNow as? HTTPError)?.status == 500)
        #expect(jar.cookies.map(\.name) == ["a"])
    }

    @Test func theyAreKeptBeforeTheCallerGoesOn() {
        let load: HTTPService = stack(
            .cookies(sharing: jar),
            over: { _ in
                Future(value: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"]))
            })
        let names = load(HTTPRequest(.get, url)).map { _ in jar.cookies.map(\.name) }
        #expect(names.valueNow == ["a"])
    }

    @Test func whoeverAnsweredIsTheirOwner() {
        let other = URL(string: "https://login.example.com/")!
        let load: HTTPService = stack(
            .cookies(sharing: jar),
            over: { _ in
                Future(
                    value: HTTPResponse(
                        status: 200, headers: ["Set-Cookie": "a=1"], url: other))
            })
        _ = load(HTTPRequest(.get, url))
        #expect(jar.cookies(for: url).isEmpty)
        #expect(jar.cookies(for: other).count == 1)
    }

    @Test func whatTheRequestSaysItselfGoesFirst() {
        jar.store("a=1", from: url)
        jar.store("b=2", from: url)
        func sent(_ headers: HTTPHeaders) -> [String] {
            self.sent(HTTPRequest(.get, url, headers: headers))
        }
        #expect(sent(["Cookie": "x=9"]) == ["x=9; a=1; b=2"])
        #expect(sent(["cookie": "b=9; x"]) == ["b=9; x; a=1"])
        #expect(sent(["Cookie": "x=9", "cookie": " a =8"]) == ["x=9; a =8; b=2"])
        #expect(sent(["Cookie": "a=;b"]) == ["a=;b"])
        #expect(sent(["Cookie": ""]) == ["a=1; b=2"])
    }

    @Test func eachAttemptCarriesWhatTheLastOneBrought() {
        let scheduler = ManualScheduler()
        let service = AnsweringService<HTTPResponse>(
            on: scheduler,
            [
                { HTTPResponse(status: 503, headers: ["Set-Cookie": "a=1"]) },
                { HTTPResponse(status: 200) },
            ])
        let load = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), .cookies(sharing: jar),
            over: service.send)
        _ = load(HTTPRequest(.get, url))
        scheduler.run()
        #expect(service.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
    }

    @Test func aCallThatIsGivenUpIsCancelledBeneath() {
        let cancelled = Locked(false)
        let load: HTTPService = stack(
            .cookies(sharing: jar),
            over: { _ in
                Future.make { resolver in
                    resolver.onCancel {
                        cancelled.withLock { $0 = true }
                        withExtendedLifetime(resolver) {}
                    }
                }
            })
        load(HTTPRequest(.get, url)).cancel()
        #expect(cancelled.withLock { $0 })
    }

    // MARK: Responses that the caller does not get

    private let scheduler = ManualScheduler()

    /// A server whose first answer sets a cookie and ends another, and whose second is fine.
    private func busyServer() -> AnsweringService<HTTPResponse> {
        AnsweringService<HTTPResponse>(
            on: scheduler,
            [
                {
                    HTTPResponse(
                        status: 503,
                        headers: ["Set-Cookie": "node=b", "set-cookie": "session=; Max-Age=0"])
                },
                { HTTPResponse(status: 200, headers: ["Set-Cookie": "last=1"]) },
            ])
    }

    @Test func theCookiesOfEachAttemptAreKept() {
        let repeating: [Middleware<HTTPRequest, HTTPResponse>] = [
            .retry(Retry(backoff: .constant(.zero)), on: scheduler),
            .hedge(sharing: Hedge(after: .seconds(1), maxExtraLoad: 1, on: scheduler)),
            .hedge(sharing: Hedge(after: .milliseconds(5), maxExtraLoad: 1, on: scheduler)),
            .fallback { _ in HTTPResponse(status: 200, headers: ["Set-Cookie": "last=1"]) },
        ]
        for policy in repeating {
            let (jar, server) = (CookieJar(), busyServer())
            jar.store("session=dead", from: url)
            let call = stack(.cookies(sharing: jar), policy, over: server.send)(
                HTTPRequest(.get, url))
            scheduler.run()
            #expect(call.valueNow?.status == 200)
            #expect(jar.cookies.map(\.name) == ["node", "last"])
            // All attempts carry the same.
            #expect(server.requests.allSatisfy { $0.headers["Cookie"] == "session=dead" })
        }
    }

    @Test func theCookiesOfAFailedCallOfAHedgeAreKeptWhenItsCallerLeaves() {
        let service = AnsweringService<HTTPResponse>(
            on: scheduler,
            [
                { HTTPResponse(status: 503, headers: ["Set-Cookie": "a=1"]) },
                { HTTPResponse(status: 200) },
            ])
        let hedged = stack(
            .cookies(sharing: jar),
            .hedge(sharing: Hedge(after: .seconds(1), maxExtraLoad: 1, on: scheduler)),
            over: service.send)
        let call = hedged(HTTPRequest(.get, url))
        scheduler.advance(by: .milliseconds(10))
        #expect(service.requests.count == 2 && !call.isSettled)
        call.cancel()
        #expect(jar.cookies.map(\.name) == ["a"])
    }

    @Test func aJarAboveTheRedirectKeepsTheCookiesOfTheWholeChain() {
        let target = URL(string: "https://login.example.com/")!
        let load: HTTPService = stack(
            .cookies(sharing: jar), .redirect(),
            over: { [url] request in
                Future(
                    value: request.url == url
                        ? HTTPResponse(
                            status: 302,
                            headers: ["Location": target.absoluteString, "Set-Cookie": "a=1"])
                        : HTTPResponse(status: 200, headers: ["Set-Cookie": "b=2"]))
            })
        _ = load(HTTPRequest(.get, url))
        #expect(jar.cookies(for: url).map(\.name) == ["a"])
        #expect(jar.cookies(for: target).map(\.name) == ["b"])
    }

    @Test func aJarAboveAuthorizeKeepsTheCookiesOfThe401() {
        let refresher = TokenRefresher(AccessToken("old"), on: scheduler) { _ in
            Future(value: AccessToken("new"))
        }
        let load: HTTPService = stack(
            .cookies(sharing: jar), .authorize(.bearer(from: refresher), for: .all),
            over: { request in
                let isOld = request.headers["Authorization"] == "Bearer old"
                return Future(
                    value: HTTPResponse(
                        status: isOld ? 401 : 200, headers: isOld ? ["Set-Cookie": "a=1"] : [:]))
            })
        #expect(load(HTTPRequest(.get, url)).valueNow?.status == 200)
        #expect(jar.cookies.map(\.name) == ["a"])
    }

    // MARK: Another account

    @Test func aRedirectIsNotFollowedWithTheCookiesOfAnotherAccount() {
        jar.store("session=a; Path=/", from: url)
        let sent = Locked<[String?]>([])
        let load: HTTPService = stack(
            .redirect(), .cookies(sharing: jar),
            over: { [jar, url] request in
                sent.withLock { $0.append(request.headers["Cookie"]) }
                jar.removeAll()
                jar.store("session=b; Path=/", from: url)
                return Future(
                    value: HTTPResponse(
                        status: 307, headers: ["Location": "/next", "Set-Cookie": "late=a"]))
            })
        let call = load(HTTPRequest(.post, url))
        #expect((call.errorNow as? HTTPError)?.code == .sessionEnded)
        #expect(sent.withLock { $0 } == ["session=a"])
        #expect(jar.cookies.map(\.value) == ["b"], "a late cookie is not the next account's")
    }

    @Test func whatIsSentAgainAfterA401IsNotSentWithTheCookiesOfAnotherAccount() {
        let refresher = TokenRefresher(AccessToken("old"), on: scheduler) { _ in
            Future(value: AccessToken("new"))
        }
        let count = Locked(0)
        let load: HTTPService = stack(
            .authorize(.bearer(from: refresher), for: .all), .cookies(sharing: jar),
            over: { [jar] _ in
                count.withLock { $0 += 1 }
                jar.removeAll()
                return Future(value: HTTPResponse(status: 401))
            })
        let call = load(HTTPRequest(.get, url))
        #expect((call.errorNow as? HTTPError)?.code == .sessionEnded && count.withLock { $0 } == 1)
    }

    // MARK: Responses that several callers get

    @Test func theCookiesOfASharedResponseAreForOneJar() {
        let jars = (1...3).map { _ in CookieJar() }
        let sharing: [Middleware<HTTPRequest, HTTPResponse>] = [
            .coalesceSafeRequests(),
            .memoize(sharing: Memo(timeToLive: .seconds(9), on: scheduler)),
        ]
        for policy in sharing {
            let service = AnsweringService<HTTPResponse>(
                on: scheduler, [{ HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"]) }])
            let shared = policy(service.send)
            let calls = jars.map { jar in
                jar.removeAll()
                let call = stack(.cookies(sharing: jar), over: shared)(HTTPRequest(.get, url))
                if policy.parts == ["memoize"] { scheduler.run() }
                return call
            }
            scheduler.run()
            #expect(calls.allSatisfy { $0.valueNow?.status == 200 })
            #expect(jars.map { $0.cookies.count } == [1, 0, 0])
            #expect(service.requests.count == 1)
        }
    }
}
