import Foundation
import HTTPTestSupport
import PledgeHTTPAuthentication
import Testing

@testable import PledgeHTTPNetworking

@Suite struct RedirectMachineTests {
    private func machine(_ request: HTTPRequest, limit: Int = 20) -> RedirectMachine {
        RedirectMachine(request, RedirectRules(limit: limit, secrets: ["X-API-Key"]))
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
    func theStatusDecidesOnTheMethod(status: Int, before: String, after: String) {
        let method = HTTPMethod(rawValue: before)
        var machine = machine(request(method))
        #expect(machine.receive(status, ["Location": "/2"]) == .follow)
        #expect(machine.request.method.rawValue == after)
        #expect(machine.request.url.absoluteString == "https://a/2")
        let keepsBody = before == after && method != .get && method != .head
        #expect(machine.request.body.isEmpty == !keepsBody)
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 309, 399, 400, 401, 503])
    func otherStatusesAreNotFollowed(status: Int) {
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
        let rules = RedirectRules(secrets: ["user-agent"], kept: ["x-locale"])
        var machine = RedirectMachine(request, rules)
        #expect(machine.receive(307, ["Location": "https://b/"]) == .follow)
        request.headers.remove("User-Agent")
        request.headers.remove("X-API-Key")
        #expect(machine.request.headers == request.headers)
    }

    @Test(arguments: ["http://169.254.169.254/", "//localhost/", "http://[::1]:80/", "//0x7f.1/"])
    func fromElsewhereAPrivateNetworkCanBeRefused(location: String) {
        var outside = RedirectMachine(request(.get, "http://a.com/"), .init(refusesPrivate: true))
        let refused = RedirectMachine.Decision.finish(because: "it leads into a private network")
        #expect(outside.receive(302, ["Location": location]) == refused)
        #expect(outside.receive(302, ["Location": "//b.com/"]) == .follow)
        var inside = RedirectMachine(request(.get, "http://10.0.0.1/"), .init(refusesPrivate: true))
        #expect(inside.receive(302, ["Location": location]) == .follow)
        var trusting = machine(request(.get, "http://a.com/"))
        #expect(trusting.receive(302, ["Location": location]) == .follow)
    }

    @Test(arguments: [
        "https://b/", "https://a:8443/", "//b/", "https://a.b/", "https://aa/", "https://a@b/",
    ])
    func secretsStayWithTheirOrigin(location: String) {
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

    @Test func otherBodiesLeaveIfAllowed() {
        var request = request(.put)
        request.body = .data(Data(#"{"title":"a"}"#.utf8), contentType: "application/json")
        var open = machine(request)
        #expect(open.receive(307, ["Location": "https://b/"]) == .follow)
        #expect(open.request.body.data == request.body.data)
        var strict = RedirectMachine(request, .init(sendsBodies: false))
        let refused = RedirectMachine.Decision.finish(
            because: "it leads with the body to another origin")
        #expect(strict.receive(307, ["Location": "https://b/"]) == refused)
        #expect(strict.receive(307, ["Location": "https://a/2"]) == .follow)
        #expect(strict.receive(303, ["Location": "https://b/"]) == .follow)
    }

    @Test(arguments: ["/2", "https://A:443/2", "//a/2", "HTTPS://a/2"])
    func theSameOriginGetsThem(location: String) {
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
        var lax = RedirectMachine(request(.get), RedirectRules(allowsDowngrade: true))
        #expect(lax.receive(302, ["Location": "http://a/2"]) == .follow)
        var rising = machine(request(.get, "http://a/1"))
        #expect(rising.receive(302, ["Location": "https://a/1"]) == .follow)
        #expect(rising.receive(302, ["Location": "http://a/1"]) == withheld)
    }

    @Test(arguments: ["mailto:a@b", "app://cb?code=1", "http://", "/\u{FFFD}"])
    func whatIsNoPlaceIsNotFollowed(location: String) {
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
        var lax = RedirectMachine(request(.get), RedirectRules(refusesPrivate: true))
        let inside = RedirectMachine.Decision.finish(because: "it leads into a private network")
        #expect(lax.receive(302, ["Location": "https://①②⑦.⓪.⓪.①/"]) == inside)
    }

    @Test func oneLocationIsNeeded() {
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

    @Test(arguments: [0, 1, 2, 20]) func theLimitIsExact(limit: Int) {
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
