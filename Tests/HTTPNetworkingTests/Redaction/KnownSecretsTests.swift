import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPNetworking
@testable import PledgeHTTPText
@testable import PledgeHTTPTransportKit

@Suite(.oneAtATime) struct KnownSecretsTests {
    private func secrets(_ values: String...) -> KnownSecrets {
        var secrets = KnownSecrets()
        for value in values { secrets.add(value) }
        return secrets
    }

    @Test(arguments: [
        ("bad p4ss!", "bad …!"), ("P4SS and p4ssp4ss", "… and …"), ("p%34ss", "…"),
        ("p%2534ss", "…"), (#"p\u0034ss"#, "…"), ("p&#52;ss", "…"), ("p%255Cu0034ss", "…"),
        ("p4s", "p4s"), ("", ""), ("ép4ssé", "é…é"),
    ])
    func aSecretIsFoundHoweverItIsSpelled(text: String, shown: String) {
        #expect(secrets("p4ss").scrubbed(text) == shown)
    }

    @Test func aSecretThatIsEncodedIsFoundDecoded() {
        #expect(secrets("a%20b%26c").scrubbed("it was a b&c") == "it was …")
        #expect(secrets("a+b&c").scrubbed("it was a+b%26c or a b&amp;c") == "it was … or …")
        #expect(secrets("ünï¢øde").scrubbed("x%C3%BCn%C3%AF%C2%A2%C3%B8dey") == "x…y")
    }

    @Test func aFormsDelimitersCountBeforeCombiningMarks() {
        var known = KnownSecrets()
        known.add(query: "a=\u{301}s3cret&\u{301}b=p4ss")
        #expect(known.scrubbed("s3cret, \u{301}s3cret, p4ss") == "s3cret, …, …")
    }

    @Test func shortValuesAndCommonWordsStay() {
        let some = secrets("abc", "true", "Bearer", "  ok  ", "null")
        #expect(some.scrubbed("abc true bearer ok null") == "abc true bearer ok null")
        #expect(some.scrubbed("abc") == "abc")
    }

    @Test func aPartOfALongSecretIsFound() {
        let token = "Zx81mmpQrs7Tuv"
        #expect(secrets(token).scrubbed("token Zx81mmpQ… is bad") == "token …… is bad")
        #expect(secrets(token).scrubbed("ends in pQrs7Tuv") == "ends in …")
        let words = "the lazy dog sleeps all day"
        #expect(secrets(words).scrubbed("got 'the lazy dog sleeps'") == "got '…'")
        #expect(secrets(words).scrubbed("the lazy fox sleeps") == "the lazy fox sleeps")
    }

    @Test func aCharacterIsTakenWhole() {
        #expect(secrets("%A4bcd").scrubbed("xäbcdy") == "x…y")
    }

    @Test func aListOfTooManySecretsIsNotComplete() {
        var some = KnownSecrets()
        some.add(String(repeating: "x", count: KnownSecrets.limit))
        #expect(some.isComplete)
        some.add(String(repeating: "x", count: KnownSecrets.limit + 1))
        #expect(!some.isComplete)
        var many = KnownSecrets()
        for number in 0..<30_000 { many.add("value \(number)") }
        #expect(!many.isComplete)
    }

    @Test(arguments: [
        ("token=a:password=\"b c\" d", "token=…\"…\" d"),
        ("token='a password=\"b c'd\" e", "token='…\" e"),
        ("token=password=secret= a", "token=… …"),
        ("token=bearer password=a b", "token=bearer … b"),
    ])
    func aValueWithinAnotherOnesIsMarkedUpToItsOwnEnd(text: String, shown: String) {
        let source = Array(text.utf8)
        var marks = [Bool](repeating: false, count: source.count)
        marks.markAssignments(in: source)
        #expect(SafeText.replacing(marks, in: source) == shown)
    }

    /// If each value were marked up to its end, this would take an hour.
    @Test func manyValuesWithinOneAnotherAreMarkedInLinearTime() {
        let source = Array(String(repeating: "secret=", count: 150_000).utf8)
        var marks = [Bool](repeating: false, count: source.count)
        marks.markAssignments(in: source)
        #expect(marks.firstIndex(of: true) == 7 && !marks.dropFirst(7).contains(false))
    }

    @Test func noValueOfFourBytesIsLeft() {
        var random = SeededGenerator(seed: 11)
        let letters = Array(#"abXY01%&+;\"/ é☃"#)
        for _ in 0..<3_000 {
            let value = String(
                (0..<Int.random(in: 4...20, using: &random)).map { _ in
                    letters.randomElement(using: &random)!
                })
            guard value.trimmingCharacters(in: .whitespaces).utf8.count >= 4 else { continue }
            let trimmed = value.trimmingCharacters(in: .whitespaces)
            let known = secrets(value)
            #expect(!known.scrubbed("<\(value)>").contains(trimmed), "\(value)")
            let encoded = PercentEncoding.query.encode(value)
            #expect(
                !known.scrubbed("a=\(encoded)&b").contains(PercentEncoding.query.encode(trimmed)))
        }
    }
}

/// The headers that layers below have added to a request, or its body, in errors made above those layers.
@Suite struct SentSecretsTests {
    private let url = URL(string: "https://api.example.com/orders")!
    private let secrets = ["k3y-of-mine", "t0ken.abc", "s3ssion"]

    /// Repeats all headers of a request, in its own headers and in its body.
    private func echo(_ status: Int, coding: String? = nil) -> HTTPService {
        { request in
            let all = request.effectiveHeaders.map { "\($0.name)! \($0.value)" }
            var headers: HTTPHeaders = [
                "Content-Type": "text/plain", "Server": "x \(request.headers["X-API-Key"] ?? "")",
                "Location": "/orders", "X-Seen": all.joined(separator: "; "),
            ]
            if let coding { headers.add(coding, for: "Content-Encoding") }
            let body = Data("refused: \(all.joined(separator: " and ")) in \(request.url)".utf8)
            return Future(value: HTTPResponse(status: status, headers: headers, body: body))
        }
    }

    /// The service with a key, a token and a cookie.
    private func adding(over service: @escaping HTTPService) -> HTTPService {
        let (jar, origins) = (CookieJar(), HTTPOrigins.origins(of: url))
        jar.store(["Set-Cookie": "sid=s3ssion"], from: url)
        return stack(
            .authorize(.header("X-API-Key", "k3y-of-mine"), for: origins),
            .authorize(.bearer("t0ken.abc"), for: origins), .cookies(sharing: jar), over: service)
    }

    private func check(_ failure: (any Error)?, _ more: [String] = []) throws {
        let error = try #require(failure as? HTTPError)
        let all =
            texts(of: error) + texts(of: error.response as Any) + more
            + [
                error.bodyPreview(upTo: 10_000) ?? "", error.curlCommand ?? "",
                error.localizedDescription, error.loggedCode,
            ]
        for text in all {
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test func whatLowerLayersAddedIsNotShownByTheNetwork() throws {
        let api = makeNetworking(over: adding(over: echo(403)))
        let error = try #require(api(Endpoint(url: url)).errorNow as? HTTPError)
        try check(error)
        #expect(error.bodyPreview(upTo: 10_000)?.hasPrefix("refused: ") == true)
    }

    @Test func whatLowerLayersAddedIsNotShownByAcceptStatus() throws {
        let service = stack(.acceptStatus(), over: adding(over: echo(403)))
        try check(service(HTTPRequest(url)).errorNow)
        let streaming: HTTPStreamingService = { [adding] request in
            adding(echo(403))(request).map { response in
                HTTPStreamedResponse(
                    status: 403, headers: response.headers, body: HTTPBodyStream(response.body),
                    request: response.request)
            }
        }
        try check(stack(.acceptStatus(), over: streaming)(HTTPRequest(url)).errorNow)
    }

    @Test func whatLowerLayersAddedIsNotShownByRedirect() throws {
        let service = stack(.redirect(), over: adding(over: echo(302)))
        try check(service(HTTPRequest(url)).errorNow)
    }

    @Test func whatLowerLayersAddedIsNotShownByDecompression() throws {
        let service = stack(.decompress(upTo: 100), over: adding(over: echo(200, coding: "gzip")))
        let error = service(HTTPRequest(url)).errorNow
        #expect((error as? HTTPError)?.cause is DecompressionFailure)
        try check(error)
    }

    @Test func whatLowerLayersAddedIsNotShownByARefreshThatFails() throws {
        let refresher = TokenRefresher(AccessToken("t0ken.abc")) { _ in
            Future(error: HTTPError(code: .connectionLost))
        }
        let service = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: url)), over: echo(401))
        let error = service(HTTPRequest(url)).errorNow
        #expect((error as? HTTPError)?.code == .tokenRefreshFailed)
        try check(error)
    }

    @Test func whatLowerLayersAddedIsNotShownByTheExchangeLog() throws {
        let exchanges = Locked<[HTTPExchange]>([])
        let service = stack(
            .exchangeLog { exchange in exchanges.withLock { $0.append(exchange) } },
            over: adding(over: echo(403)))
        #expect(service(HTTPRequest(url)).hasSucceeded)
        let exchange = try #require(exchanges.withLock { $0 }.first)
        #expect(exchange.logLineWithHeaders.contains("X-API-Key: …"))
        for text in texts(of: exchange) + [exchange.logLineWithHeaders] {
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test func theCommandForCurlRepeatsWhatWasSent() throws {
        let api = makeNetworking(over: adding(over: echo(403)))
        let error = try #require(api(Endpoint(url: url)).errorNow as? HTTPError)
        let command = try #require(error.curlCommand(revealingSecrets: true))
        #expect(command.contains("'X-API-Key: k3y-of-mine'"))
        #expect(command.contains("'Authorization: Bearer t0ken.abc'"))
        #expect(command.contains("'Cookie: sid=s3ssion'"))
    }

    private func refusal(of body: HTTPRequest.Body, _ type: String, _ text: String) -> HTTPError {
        HTTPError(
            code: .unacceptableStatus, request: HTTPRequest(.post, url, body: body),
            response: HTTPResponse(
                status: 422, headers: ["Content-Type": "\(type); x=pa55"], body: Data(text.utf8)))
    }

    @Test func aBodyThatCannotBeExaminedIsNotShown() throws {
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data()) }
        let bodies: [HTTPRequest.Body] = [
            .stream(source), .file(URL(fileURLWithPath: "/tmp/a")),
            .data(Data("my word is pa55".utf8), contentType: "text/plain"),
            .data(Data("<a>pa55</a>".utf8), contentType: "text/xml"),
            .data(Data([0xFF]) + Data("pa55".utf8)),
            try .multipart(Multipart([.stream("a", source), .text("b", "c")])),
        ]
        for body in bodies {
            let errors = [
                refusal(of: body, "text/plain", "pa55 is wrong"),
                refusal(of: body, "application/json", #"{"error":"pa55","pa55":"pa55"}"#),
                refusal(of: body, "application/x-www-form-urlencoded", "pa55=pa55"),
            ]
            for error in errors {
                for text in texts(of: error) { #expect(!text.contains("pa55"), "\(text)") }
            }
            #expect(errors[1].bodyPreview() == #"{"error":"…","…":"…"}"#)
        }
    }

    /// If the sent request is unknown, it is unknown which secrets a header of the answer repeats.
    @Test func anErrorThatKnowsNoRequestShowsNoValueOfAHeader() {
        let error = HTTPError(
            code: .badResponse,
            response: HTTPResponse(
                status: 200, headers: ["Content-Type": "text/plain; for=pa55", "Server": "pa55"],
                body: Data("pa55".utf8)))
        for text in texts(of: error) { #expect(!text.contains("pa55"), "\(text)") }
    }

    @Test func theFieldsOfAMultipartBodyAreExamined() throws {
        let body = try HTTPRequest.Body.multipart(
            Multipart([
                .text("pin", "pa55"),
                .data("a", Data(#"{"b":"w0rd"}"#.utf8), contentType: "a/json"),
            ]))
        let error = refusal(of: body, "text/plain", "the pin pa55 or w0rd is wrong")
        #expect(error.bodyPreview() == "the pin … or … is wrong")
        #expect(!"\(error)".contains("pa55"))
    }

    @Test func aWordIsNotTakenOutOfALongerOne() {
        let asked = HTTPRequest(URL(string: "https://api.example.com/?mode=redirect")!)
        let error = HTTPError(
            code: .unacceptableStatus, request: asked,
            response: HTTPResponse(
                status: 302, headers: ["Content-Type": "text/plain"],
                body: Data("Redirecting, by redirect".utf8)))
        #expect(error.bodyPreview() == "Redirecting, by …")
    }
}
