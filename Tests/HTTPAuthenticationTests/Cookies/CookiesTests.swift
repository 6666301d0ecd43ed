import Foundation
import Futures
import HTTPNetworking
import HTTPTestSupport
import Services
import Testing

@testable import HTTPAuthentication

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

    @Test func whatCameIsSentBack() {
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
        #expect(throws: HTTPRequest.Error.invalidHeader(name: "Cookie")) { try request.validate() }
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
        #expect(response?.body.gathered(upTo: 0).valueNow == Data())
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
            .retry(backoff: .constant(.zero), on: scheduler), .cookies(sharing: jar),
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
}
