import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPNetworking

@Suite struct RedirectTests {
    @Test func aRedirectIsFollowedToItsEnd() throws {
        let server = ScriptedServer([
            .redirect(301, to: "/2"), .redirect(308, to: "https://b/3?x=%2F"),
            HTTPResponse(status: 200, body: Data("arrived".utf8)),
        ])
        let send = stack(.redirect(), over: server.send)
        let response = try #require(send(HTTPRequest(at: "https://a/1")).valueNow)
        #expect(response.text == "arrived")
        #expect(response.url?.absoluteString == "https://b/3?x=%2F")
        let urls = server.requests.map(\.url.absoluteString)
        #expect(urls == ["https://a/1", "https://a/2", "https://b/3?x=%2F"])
        #expect(server.requests.allSatisfy { $0.headers["Referer"] == nil })
    }

    @Test func theURLThatTheTransportNamesStays() {
        let url = URL(string: "https://proxy/x")
        let server = ScriptedServer([HTTPResponse(status: 200, url: url)])
        let send = stack(.redirect(), over: server.send)
        #expect(send(HTTPRequest(at: "https://a/1")).valueNow?.url == url)
    }

    @Test func aRedirectThatCannotBeFollowedIsGivenBack() throws {
        let server = ScriptedServer([.redirect(to: "app://done?code=1", "go on in the app")])
        let send = stack(.redirect(), over: server.send)
        let response = try #require(send(HTTPRequest(at: "https://a/1")).valueNow)
        #expect(response.status == 302)
        #expect(response.text == "go on in the app")
        #expect(response.headers["Location"] == "app://done?code=1")
    }

    @Test func aCircleOfRedirectsFailsAndKeepsWhatWasKnown() throws {
        let server = ScriptedServer { _ in .redirect(to: "/1", "round") }
        let send = stack(.redirect(), over: server.send)
        let error = try #require(send(HTTPRequest(at: "https://a/1")).errorNow as? HTTPError)
        #expect(error.code == .tooManyRedirects)
        #expect(error.request == HTTPRequest(at: "https://a/1"))
        #expect(error.status == 302)
        #expect(error.body == Data("round".utf8))
        #expect(server.requests.count == 1)
    }

    @Test func aStreamedCircleKeepsItsBodyToo() throws {
        let server = ScriptedServer { _ in .redirect(to: "/1", "round") }
        let send = stack(.redirect(), over: server.stream())
        let error = try #require(send(HTTPRequest(at: "https://a/1")).errorNow as? HTTPError)
        #expect(error.body == Data("round".utf8))
    }

    @Test func aStreamedBodyIsDiscardedBeforeTheNextRequest() throws {
        let log = Locked<[String]>([])
        let server = ScriptedServer { request in
            log.withLock { $0.append(request.url.path) }
            return request.url.path == "/1"
                ? .redirect(to: "/2", "unread") : HTTPResponse(status: 200, body: Data("end".utf8))
        }
        let send = stack(
            .redirect(), over: server.stream { status in log.withLock { $0.append("\(status)") } })
        let response = try #require(send(HTTPRequest(at: "https://a/1")).valueNow)
        #expect(log.withLock { $0 } == ["/1", "302", "/2"])
        #expect(response.collected(upTo: 9).valueNow?.text == "end")
    }

    @Test func cancellingARedirectCancelsTheCallUnderWay() {
        let second = Promise<HTTPResponse>()
        let cancelled = Locked(false)
        second.onCancel { cancelled.withLock { $0 = true } }
        let server = ScriptedServer(later: { request in
            request.url.path == "/1" ? Future(value: .redirect(to: "/2")) : second
        })
        let future = stack(.redirect(), over: server.send)(HTTPRequest(at: "https://a/1"))
        #expect(server.requests.count == 2)
        future.cancel()
        #expect(cancelled.withLock { $0 })
        #expect(future.errorNow is CancellationError)
    }

    @Test func laterRequestsAreMadeInTheCallersContext() {
        let scheduler = ManualScheduler()
        let left = Locked<[Duration?]>([])
        let server = ScriptedServer(later: { request in
            left.withLock { $0.append(CallContext.current.remaining) }
            return Future(
                value: request.url.path == "/1" ? .redirect(to: "/2") : .init(status: 200)
            )
            .delay(.seconds(1), on: scheduler)
        })
        let send = stack(
            .deadline(.seconds(10), on: scheduler), .redirect(), over: server.send)
        let future = send(HTTPRequest(at: "https://a/1"))
        scheduler.run()
        #expect(future.valueNow?.status == 200)
        #expect(left.withLock { $0 } == [.seconds(10), .seconds(9)])
    }

    /// The function beneath writes no marks into the attempt's record.
    @Test(arguments: [301, 302, 303])
    func whatAnswersAPostWithARedirectHasProcessedIt(status: Int) {
        let posts = Locked(0)
        let send = stack(
            .retry(Retry(backoff: .constant(.zero))), .redirect(),
            over: { (request: HTTPRequest) -> Future<HTTPResponse> in
                guard request.method == .post else {
                    return Future(error: HTTPError(code: .connectionLost, request: request))
                }
                posts.withLock { $0 += 1 }
                return Future(value: .redirect(status, to: "/done"))
            })
        let future = send(HTTPRequest(.post, URL(string: "https://a/orders")!))
        #expect(future.failureCode == .connectionLost)
        #expect(posts.withLock { $0 } == 1)
    }

    @Test func aLongChainOfRedirectsNeedsNoStack() {
        let server = ScriptedServer { request in
            .redirect(to: "/\((Int(request.url.lastPathComponent) ?? 0) + 1)")
        }
        let send = stack(.redirect(Redirects(limit: 2_000)), over: server.send)
        let error = send(HTTPRequest(at: "https://a/0")).errorNow as? HTTPError
        #expect(error?.code == .tooManyRedirects)
        #expect(server.requests.count == 2_001)
    }

    @Test func observersHearOfARedirectWithoutSecrets() {
        let notes = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let server = ScriptedServer([
            .redirect(to: "https://u:secret@b/x?token=secret"), .redirect(to: "app://secret"),
        ])
        let send = stack(.observed(by: observer), .redirect(), over: server.send)
        _ = send(HTTPRequest(at: "https://a/1"))
        let told = notes.withLock { $0 }
        #expect(
            told == [
                "302 to https://b:443",
                "302 not followed: its Location is no http or https URL",
            ])
    }
}

@Suite struct RedirectMachineTests {
    private func machine(_ request: HTTPRequest, limit: Int = 20) -> RedirectMachine {
        RedirectMachine(request, Redirects(limit: limit, stripping: ["X-API-Key"]))
    }

    private func request(_ method: HTTPMethod, _ url: String = "https://a/1") -> HTTPRequest {
        var request = HTTPRequest(method, at: url)
        if method != .get, method != .head { request.body = .data(Data("body".utf8)) }
        return request
    }

    /// Status, method before, method after.
    @Test(arguments: [
        (301, "GET", "GET"), (301, "HEAD", "HEAD"), (301, "POST", "GET"), (301, "PUT", "PUT"),
        (301, "DELETE", "DELETE"), (301, "QUERY", "QUERY"), (302, "GET", "GET"),
        (302, "HEAD", "HEAD"), (302, "POST", "GET"), (302, "PATCH", "PATCH"), (303, "GET", "GET"),
        (303, "HEAD", "HEAD"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"),
        (303, "QUERY", "GET"), (307, "POST", "POST"), (307, "GET", "GET"), (308, "POST", "POST"),
        (308, "PUT", "PUT"),
    ])
    func theStatusOfARedirectDecidesOnTheMethod(status: Int, before: String, after: String) {
        let method = HTTPMethod(rawValue: before)
        var machine = machine(request(method))
        #expect(machine.receive(status, ["Location": "/2"]) == .follow)
        #expect(machine.request.method.rawValue == after)
        #expect(machine.request.url.absoluteString == "https://a/2")
        let keepsBody = before == after && method != .get && method != .head
        #expect(machine.request.body.isEmpty == !keepsBody)
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 309, 399, 400, 401, 503])
    func onlyARedirectsStatusesAreFollowed(status: Int) {
        var machine = machine(request(.get))
        #expect(machine.receive(status, ["Location": "/2"]) == .finish(because: nil))
        #expect(machine.request == request(.get))
    }

    @Test func whatTellsOfTheBodyGoesWithIt() {
        var post = request(.post)
        post.headers = [
            "Content-Type": "text/plain", "content-encoding": "gzip", "Content-MD5": "x",
            "Transfer-Encoding": "chunked", "Idempotency-Key": "k", "If-Match": "\"1\"",
            "Expect": "100-continue", "Accept": "a", "Authorization": "b",
        ]
        post.context.idempotencyKey = "key"
        var seeing = machine(post)
        _ = seeing.receive(303, ["Location": "/2"])
        #expect(seeing.request.headers == ["Accept": "a", "Authorization": "b"])
        #expect(seeing.request.effectiveHeaders == ["Accept": "a", "Authorization": "b"])
        var repeating = machine(post)
        _ = repeating.receive(307, ["Location": "/2"])
        #expect(repeating.request.headers == post.headers)
        #expect(repeating.request.context.idempotencyKey == "key")
    }

    private let secrets: HTTPHeaders = [
        "Authorization": "a", "cookie": "b", "Proxy-Authorization": "c", "x-api-key": "d",
        "Host": "a", "Accept": "e", "X-Of-The-App": "f", "Baggage": "user=1", "tracestate": "a=1",
    ]

    @Test func whatGoesAlongToOthersIsTheCallersToSay() {
        var request = request(.put)
        request.headers = [
            "User-Agent": "a", "Accept": "b", "Range": "bytes=0-", "Content-Type": "c",
            "Idempotency-Key": "d", "X-Locale": "e", "X-API-Key": "f", "If-None-Match": "g",
        ]
        let rules = Redirects(stripping: ["user-agent"], keeping: ["x-locale"])
        var machine = RedirectMachine(request, rules)
        #expect(machine.receive(307, ["Location": "https://b/"]) == .follow)
        request.headers.remove("User-Agent")
        request.headers.remove("X-API-Key")
        #expect(machine.request.headers == request.headers)
    }

    @Test(arguments: ["http://169.254.169.254/", "//localhost/", "http://[::1]:80/", "//0x7f.1/"])
    func fromElsewhereAPrivateNetworkCanBeRefused(location: String) {
        var outside = RedirectMachine(
            request(.get, "http://a.com/"), .init(refusesPrivateAddresses: true))
        let refused = RedirectMachine.Decision.finish(because: "it leads into a private network")
        #expect(outside.receive(302, ["Location": location]) == refused)
        #expect(outside.receive(302, ["Location": "//b.com/"]) == .follow)
        var inside = RedirectMachine(
            request(.get, "http://10.0.0.1/"), .init(refusesPrivateAddresses: true))
        #expect(inside.receive(302, ["Location": location]) == .follow)
        var trusting = machine(request(.get, "http://a.com/"))
        #expect(trusting.receive(302, ["Location": location]) == .follow)
    }

    @Test(arguments: [
        "https://b/", "https://a:8443/", "//b/", "https://a.b/", "https://aa/", "https://a@b/",
    ])
    func aRedirectKeepsSecretsWithTheirOrigin(location: String) {
        var request = request(.get)
        request.headers = secrets
        var machine = machine(request)
        #expect(machine.receive(302, ["Location": location]) == .follow)
        #expect(machine.request.headers == ["Accept": "e"])
        // Otherwise the origin in between could choose the headers for the first origin on the way back.
        #expect(machine.receive(302, ["Location": "https://a/3"]) == .follow)
        #expect(machine.request.headers == ["Accept": "e"])
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        ("grant_type=client_credentials&x=1", form), ("a=1&refresh_token=x", form),
        ("user=a&password=b", form), (#"{"user":{"clientSecret":"x"}}"#, "application/json"),
    ])
    func credentialsInABodyStayWithTheirOrigin(text: String, type: String) {
        for (method, status) in [(HTTPMethod.post, 307), (.post, 308), (.put, 302), (.put, 301)] {
            var request = request(method)
            request.body = .data(Data(text.utf8), contentType: type)
            var machine = machine(request)
            let refused = RedirectMachine.Decision.finish(
                because: "it leads with credentials in the body to another origin")
            #expect(machine.receive(status, ["Location": "https://b/"]) == refused)
            #expect(machine.receive(status, ["Location": "/2"]) == .follow)
        }
        var request = request(.post)
        request.body = .data(Data(text.utf8), contentType: type)
        var machine = machine(request)
        // A GET without the body.
        #expect(machine.receive(303, ["Location": "https://b/"]) == .follow)
    }

    @Test func theBodyOfALoginStaysWithItsOrigin() {
        var request = request(.post)
        request.body = .data(Data("me".utf8))
        request.context.skipsAuthorization = true
        var machine = machine(request)
        #expect(machine.receive(307, ["Location": "https://b/"]) != .follow)
        #expect(machine.receive(307, ["Location": "https://a/"]) == .follow)
    }

    @Test func otherBodiesFollowARedirectToAnotherOriginIfAllowed() {
        var request = request(.put)
        request.body = .data(Data(#"{"title":"a"}"#.utf8), contentType: "application/json")
        var open = machine(request)
        #expect(open.receive(307, ["Location": "https://b/"]) == .follow)
        #expect(open.request.body.data == request.body.data)
        var strict = RedirectMachine(request, .init(sendsBodiesAcrossOrigins: false))
        let refused = RedirectMachine.Decision.finish(
            because: "it leads with the body to another origin")
        #expect(strict.receive(307, ["Location": "https://b/"]) == refused)
        #expect(strict.receive(307, ["Location": "https://a/2"]) == .follow)
        #expect(strict.receive(303, ["Location": "https://b/"]) == .follow)
    }

    @Test(arguments: ["/2", "https://A:443/2", "//a/2", "HTTPS://a/2"])
    func aRedirectWithinTheOriginKeepsSecrets(location: String) {
        var request = request(.get)
        request.headers = secrets
        var machine = machine(request)
        #expect(machine.receive(307, ["Location": location]) == .follow)
        #expect(machine.request.headers == secrets)
    }

    @Test func httpsLeadsToHttpOnlyIfAllowed() {
        var strict = machine(request(.get))
        let withheld = strict.receive(302, ["Location": "http://a/2"])
        #expect(withheld == .finish(because: "it leads from https to http"))
        var lax = RedirectMachine(request(.get), Redirects(allowsDowngrade: true))
        #expect(lax.receive(302, ["Location": "http://a/2"]) == .follow)
        var rising = machine(request(.get, "http://a/1"))
        #expect(rising.receive(302, ["Location": "https://a/1"]) == .follow)
        #expect(rising.receive(302, ["Location": "http://a/1"]) == withheld)
    }

    @Test(arguments: ["mailto:a@b", "app://cb?code=1", "http://", "/\u{FFFD}"])
    func aLocationThatIsNoPlaceIsNotFollowed(location: String) {
        var machine = machine(request(.get))
        let step = machine.receive(302, ["Location": location])
        #expect(step == .finish(because: "its Location is no http or https URL"))
    }

    @Test func bytesThatAreNotUTF8AreKept() {
        for (bytes, url) in [
            ([0x2F, 0xE9, 0x3F, 0x85, 0x23, 0xFF], "https://a/%E9?%85#%FF"),
            ([0x2F, 0xC3, 0xA9], "https://a/%C3%A9"),
            ([0x2F, 0xEF, 0xBF, 0xBD], "https://a/%EF%BF%BD"),
        ] as [([UInt8], String)] {
            var headers = HTTPHeaders()
            headers.set(bytes: bytes, for: "Location")
            var machine = machine(request(.get))
            #expect(machine.receive(302, headers) == .follow)
            #expect(machine.request.url.absoluteString == url)
        }
    }

    /// Foundation, which this test loads, has IDNA.
    @Test func aUnicodeHostIsFollowedByItsNameInASCII() {
        var machine = machine(request(.get))
        #expect(machine.receive(302, ["Location": "https://bücher.example:81/ü"]) == .follow)
        #expect(machine.request.url.absoluteString == "https://xn--bcher-kva.example:81/%C3%BC")
        var lax = RedirectMachine(request(.get), Redirects(refusesPrivateAddresses: true))
        let inside = RedirectMachine.Decision.finish(because: "it leads into a private network")
        #expect(lax.receive(302, ["Location": "https://①②⑦.⓪.⓪.①/"]) == inside)
    }

    @Test func aRedirectNeedsOneLocation() {
        var machine = machine(request(.get))
        let none = RedirectMachine.Decision.finish(because: "there is not one Location")
        #expect(machine.receive(302, [:]) == none)
        #expect(machine.receive(302, ["Location": "/2", "location": "/3"]) == none)
        #expect(machine.receive(302, ["Location": "/2", "location": "/2"]) == .follow)
    }

    @Test func aBodyThatIsSentOnceIsNotRepeated() {
        var post = request(.post)
        post.body = .stream(.init(isReplayable: false) { HTTPBodyStream(Data([1])) })
        var repeating = machine(post)
        #expect(
            repeating.receive(307, ["Location": "/2"])
                == .finish(because: "the body can be sent only once"))
        var seeing = machine(post)
        #expect(seeing.receive(303, ["Location": "/2"]) == .follow)
    }

    @Test(arguments: [0, 1, 2, 20]) func theLimitOfRedirectsIsExact(limit: Int) {
        var machine = machine(request(.get), limit: limit)
        for step in 0..<limit {
            #expect(machine.receive(302, ["Location": "/at/\(step)"]) == .follow)
        }
        let last = machine.request
        #expect(machine.receive(302, ["Location": "/on"]) == .fail)
        #expect(machine.request == last)
    }

    @Test(arguments: ["", "/1", "#there", "//a/1#x", "https://a:443/1"])
    func aCircleIsNoticedWhenItCloses(location: String) {
        var machine = machine(request(.get))
        // Another spelling of the port counts as another URL, once.
        if location.contains("443") { _ = machine.receive(302, ["Location": location]) }
        #expect(machine.receive(302, ["Location": location]) == .fail)
    }

    @Test func aLongerCircleIsNoticedToo() {
        var machine = machine(request(.get))
        #expect(machine.receive(302, ["Location": "/2"]) == .follow)
        #expect(machine.receive(302, ["Location": "/3"]) == .follow)
        #expect(machine.receive(302, ["Location": "/1"]) == .fail)
    }

    @Test func anotherMethodOrFewerSecretsAreAnotherQuestion() {
        var posting = machine(request(.post))
        #expect(posting.receive(303, ["Location": "/1"]) == .follow)
        var request = request(.get)
        request.headers = secrets
        var coming = machine(request)
        #expect(coming.receive(302, ["Location": "https://b/"]) == .follow)
        #expect(coming.receive(302, ["Location": "https://a/1"]) == .follow)
        #expect(coming.receive(302, ["Location": "https://b/"]) == .fail)
    }

    @Test func withACookieMoreTheAnswerMayBeAnother() {
        var machine = machine(request(.get), limit: 3)
        #expect(machine.receive(302, ["Location": "/1", "Set-Cookie": "a=b"]) == .follow)
        #expect(machine.receive(302, ["Location": "/1", "Set-Cookie": "a=c"]) == .follow)
        var circling = machine
        #expect(circling.receive(302, ["Location": "/1"]) == .fail)
        #expect(machine.receive(302, ["Location": "/1", "Set-Cookie": "a=d"]) == .follow)
        #expect(machine.receive(302, ["Location": "/1", "Set-Cookie": "a=e"]) == .fail)
    }
}
