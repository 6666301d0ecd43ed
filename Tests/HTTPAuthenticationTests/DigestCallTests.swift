import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

@Suite(.oneAtATime) struct DigestCallTests {
    private let server = DigestServer()
    private let origin = URL(string: "https://api.example.com")!

    private func credentials(
        _ password: String = "Circle of Life", random: RandomSource = .system
    ) -> HTTPCredentials { .digest(user: "Mufasa", password: password, random: random) }

    private func send(
        _ credentials: HTTPCredentials, over service: HTTPService? = nil
    ) -> HTTPService {
        stack(.authorize(credentials, for: .origins(of: origin)), over: service ?? server.send)
    }

    private func request(_ path: String = "/x", _ method: HTTPMethod = .get) -> HTTPRequest {
        HTTPRequest(method, at: "https://api.example.com\(path)")
    }

    private func statuses(_ server: DigestServer) -> [Int] { server.statuses.withLock { $0 } }

    @Test func afterTheFirstCallEachIsOneRoundTrip() {
        let send = send(credentials())
        for path in ["/a", "/b?c=d", "/e%20f#g", ""] {
            #expect(send(request(path)).valueNow?.status == 200)
        }
        #expect(send(request("/a", .delete)).valueNow?.status == 200)
        #expect(statuses(server) == [401, 200, 200, 200, 200, 200])
        #expect(server.sent("nc").map { $0?.last } == [nil, "1", "2", "3", "4", "5"])
        #expect(server.sent("uri") == [nil, "/a", "/b?c=d", "/e%20f", "/", "/a"])
        #expect(Set(server.sent("nonce").compactMap { $0 }) == ["nonce1"])
        #expect(Set(server.sent("cnonce").compactMap { $0 }).count == 5)
    }

    @Test func theResponseKnowsTheRequestAsItWasSent() {
        let answer = send(credentials())(request()).valueNow
        #expect(answer?.request?.headers["Authorization"]?.hasPrefix("Digest ") == true)
    }

    @Test func theClientsNonceComesFromTheGivenSource() {
        let sent = (0..<2).map { _ in
            let server = DigestServer()
            _ = send(
                credentials(random: RandomSource(SeededGenerator(seed: 7))), over: server.send)(
                    request())
            return server.sent("cnonce")
        }
        #expect(sent[0] == sent[1] && sent[0].last??.utf8.count == 24)
    }

    @Test(arguments: [
        "qop=auth, opaque=o, algorithm=MD5", "opaque=o", "opaque=o, algorithm=SHA-512-256",
        "qop=\"auth-int\", opaque=o",
    ])
    func everyFormOfDigestIsLetIn(_ challenge: String) {
        server.change { $0.challenges = [challenge] }
        let send = send(credentials())
        var post = request("/x", .post)
        post.body = .data(Data("a=1".utf8))
        #expect(send(post).valueNow?.status == 200)
        #expect(send(post).valueNow?.status == 200)
        // Without qop, the uses of a nonce cannot be distinguished.
        let isCounted = challenge.contains("qop")
        #expect(statuses(server) == (isCounted ? [401, 200, 200] : [401, 200, 401, 200]))
    }

    @Test func theStrongestChallengeIsAnswered() {
        server.change {
            $0.challenges = [
                "qop=auth, algorithm=MD5, opaque=o", "qop=auth, algorithm=SHA-256, opaque=o",
            ]
        }
        #expect(send(credentials())(request()).valueNow?.status == 200)
        #expect(server.sent("algorithm") == [nil, "SHA-256"])
    }

    // MARK: - What is refused

    @Test func aWrongPasswordIsSentOnceACall() {
        let send = send(credentials("wrong"))
        #expect(send(request()).valueNow?.status == 401)
        #expect(statuses(server) == [401, 401])
        #expect(send(request()).valueNow?.status == 401)
        #expect(statuses(server) == [401, 401, 401])
    }

    @Test func aPasswordThatHasChangedIsTriedOnceMore() {
        let send = send(credentials())
        _ = send(request())
        server.change { $0.password = "another" }
        #expect(send(request()).valueNow?.status == 401)
        #expect(statuses(server) == [401, 200, 401, 401])
    }

    @Test(arguments: ["Basic realm=r", "Digest realm=r, nonce=n, algorithm=SHA-1", "Negotiate"])
    func anotherSchemeIsNeverAnswered(_ challenge: String) {
        let server = ScriptedServer { _ in
            HTTPResponse(status: 401, headers: ["WWW-Authenticate": challenge])
        }
        let answer = send(credentials(), over: server.send)(request()).valueNow
        #expect(answer?.status == 401)
        #expect(server.requests.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func aNonceThatIsStaleIsReplaced() {
        server.change { $0.uses = 2 }
        let send = send(credentials())
        for _ in 0..<4 { #expect(send(request()).valueNow?.status == 200) }
        #expect(statuses(server) == [401, 200, 200, 401, 200, 200])
        #expect(server.sent("nonce").last == "nonce2")
    }

    @Test func aServerThatForgetsItsNoncesIsAskedOnceMore() {
        server.change { $0.tellsStale = false }
        let send = send(credentials())
        _ = send(request())
        server.forget()
        #expect(send(request()).valueNow?.status == 200)
        #expect(statuses(server) == [401, 200, 401, 200])
    }

    @Test func aServerThatRefusesEveryNonceIsAskedThreeTimes() {
        server.change { $0.uses = 0 }
        #expect(send(credentials())(request()).valueNow?.status == 401)
        #expect(statuses(server) == [401, 401, 401])
    }

    @Test func theNonceThatTheServerNamesIsNext() {
        server.change {
            $0.namesNext = true
            $0.uses = 1
        }
        let send = send(credentials())
        for _ in 0..<3 { #expect(send(request()).valueNow?.status == 200) }
        #expect(server.sent("nonce") == [nil, "nonce1", "nonce2", "nonce3"])
        #expect(Set(server.sent("nc").compactMap { $0 }) == ["00000001"])
    }

    @Test func aSecondRealmIsAnswered() {
        let send = send(credentials())
        _ = send(request())
        server.change { $0.realm = "other" }
        server.forget()
        #expect(send(request()).valueNow?.status == 200)
        #expect(server.sent("realm") == [nil, "r", "r", "other"])
    }

    // MARK: - Bytes

    /// A server that sends a challenge until a request has a digest.
    private func server(challenging bytes: [UInt8]) -> ScriptedServer {
        ScriptedServer { request in
            let isLetIn = request.headers["Authorization"] != nil
            var answer = HTTPResponse(status: isLetIn ? 200 : 401, url: request.url)
            answer.headers.set(bytes: bytes, for: "WWW-Authenticate")
            return answer
        }
    }

    @Test(arguments: [[0x85], [0xE9, 0xFF], [0xC3, 0xA9], [0xC2, 0x85]] as [[UInt8]])
    func aNonceComesBackWithItsBytes(bytes: [UInt8]) throws {
        let quoted = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        let parts = ["realm=", "nonce=", "opaque="].map { Array($0.utf8) + quoted }
        let server = server(
            challenging: Array("Digest ".utf8) + Array(parts.joined(separator: ", ".utf8)))
        let send = send(credentials(), over: server.send)
        for _ in 1...2 { #expect(send(request()).valueNow?.status == 200) }
        let hash = DigestAlgorithm.Hash.md5
        let secret = hash(Array("Mufasa:".utf8) + bytes + Array(":Circle of Life".utf8))
        let response = hash(Array("\(secret):".utf8) + bytes + Array(":\(hash("GET:/x"))".utf8))
        for request in server.requests.dropFirst() {
            #expect(throws: Never.self) { try request.validate() }
            let sent = try #require(request.headers.received("Authorization").first?.bytes)
            for part in parts + [Array("response=\"\(response)\"".utf8)] {
                #expect(sent.firstRange(of: part) != nil)
            }
        }
        #expect(server.requests.count == 3)
    }

    @Test(arguments: ["n\u{7F}", "n\u{1}", "n\u{FFFD}"])
    func aNonceThatNoRequestMayHoldIsNotAnswered(nonce: String) {
        for challenge in ["realm=r, nonce=\"\(nonce)\"", "realm=\"\(nonce)\", nonce=n"] {
            let server = server(challenging: Array("Digest \(challenge)".utf8))
            let plain = ScriptedServer { _ in
                HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Digest \(challenge)"])
            }
            let isKept = nonce.contains("\u{FFFD}")
            for (server, isAnswered) in [(server, isKept), (plain, false)] {
                let send = send(credentials(), over: server.send)
                for _ in 1...2 {
                    #expect(send(request()).valueNow?.status == (isAnswered ? 200 : 401))
                }
                let hasDigest = server.requests.contains { $0.headers["Authorization"] != nil }
                #expect(hasDigest == isAnswered)
            }
        }
    }

    @Test func whatElseNoRequestMayHoldIsLeftOut() {
        let server = ScriptedServer { request in
            var answer = HTTPResponse(status: 401, url: request.url)
            answer.headers["WWW-Authenticate"] =
                "Digest realm=r, nonce=n, opaque=\"\u{7F}\", qop=auth"
            if request.headers["Authorization"] != nil {
                answer = HTTPResponse(status: 200, url: request.url)
                answer.headers["Authentication-Info"] = "nextnonce=\"\u{1}\""
            }
            return answer
        }
        let send = send(credentials(), over: server.send)
        for _ in 1...2 { #expect(send(request()).valueNow?.status == 200) }
        let sent = server.requests.compactMap { $0.headers["Authorization"] }
        #expect(sent.count == 2 && sent.allSatisfy { $0.contains("nonce=\"n\"") })
        #expect(sent.allSatisfy { !$0.contains("opaque") })
    }

    // MARK: - Bodies

    @Test func aBodyThatIsSentOnceGetsIts401() {
        let send = send(credentials())
        var upload = request("/x", .post)
        upload.body = .stream(.init(isReplayable: false) { HTTPBodyStream(Data("a".utf8)) })
        #expect(send(upload).valueNow?.status == 401)
        #expect(send(upload).valueNow?.status == 200)
        #expect(statuses(server) == [401, 200])
    }

    @Test func aDigestOfABodyThatIsNotInMemoryIsUnsupported() {
        server.change { $0.challenges = ["qop=auth-int, opaque=o"] }
        var upload = request("/x", .post)
        upload.body = .stream(.init(isReplayable: true) { HTTPBodyStream(Data("a".utf8)) })
        let error = send(credentials())(upload).errorNow as? HTTPError
        #expect(error?.code == .unsupported)
        #expect(error?.reason?.contains("digest of the body") == true)
        #expect(statuses(server) == [401])
    }

    // MARK: - Many at once

    @Test func oneRequestGetsTheNonceForAll() {
        let first = Promise<Void>()
        let isFirst = Locked(true)
        let service: HTTPService = { [server] request in
            let mustWait = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return mustWait ? first.map { server.answer(request) } : server.send(request)
        }
        let send = send(credentials(), over: service)
        let all = (0..<200).map { send(request("/\($0)")) }
        let givenUp = send(request("/given-up"))
        givenUp.cancel()
        #expect(server.requests.isEmpty)
        first.resolve(with: ())
        #expect(all.allSatisfy { $0.valueNow?.status == 200 })
        #expect(givenUp.errorNow is CancellationError)
        #expect(statuses(server) == [401] + Array(repeating: 200, count: 200))
        #expect(Set(server.sent("nc").compactMap { $0 }).count == 200)
    }

    @Test func whoWaitsTriesWhereTheFirstIsGivenUpOrFails() {
        struct Broken: Error {}
        let attempts = Locked<[Promise<HTTPResponse>]>([])
        let send = send(
            credentials(),
            over: { _ in
                let promise = Promise<HTTPResponse>()
                attempts.withLock { $0.append(promise) }
                return promise
            })
        let all = (0..<3).map { _ in send(request()) }
        #expect(attempts.withLock { $0.count } == 1)
        all[0].cancel()
        #expect(attempts.withLock { $0.count } == 2)
        attempts.withLock { $0[1] }.reject(with: Broken())
        #expect(all[1].errorNow is Broken)
        #expect(attempts.withLock { $0.count } == 3)
        attempts.withLock { $0[2] }.resolve(with: HTTPResponse(status: 204))
        #expect(all[2].valueNow?.status == 204)
    }

    @Test func anOriginThatAsksForNothingLetsRequestsGoSideBySide() {
        let attempts = Locked<[Promise<HTTPResponse>]>([])
        let send = send(
            credentials(),
            over: { _ in
                let promise = Promise<HTTPResponse>()
                attempts.withLock { $0.append(promise) }
                return promise
            })
        _ = send(request())
        attempts.withLock { $0[0] }.resolve(with: HTTPResponse(status: 200))
        let both = [send(request()), send(request())]
        #expect(attempts.withLock { $0.count } == 3 && both.allSatisfy { $0.result == nil })
        let pending = attempts.withLock { $0.dropFirst() }
        for attempt in pending { attempt.resolve(with: HTTPResponse(status: 200)) }
        #expect(both.allSatisfy { $0.valueNow?.status == 200 })
    }

    @Test func manyWithAStaleNonceShareTheNext() {
        let gate = Promise<Void>()
        let isOpen = Locked(true)
        let service: HTTPService = { [server] request in
            isOpen.withLock { $0 } ? server.send(request) : gate.map { server.answer(request) }
        }
        let send = send(credentials(), over: service)
        _ = send(request())
        server.forget()
        isOpen.withLock { $0 = false }
        let all = (0..<100).map { send(request("/\($0)")) }
        isOpen.withLock { $0 = true }
        gate.resolve(with: ())
        #expect(all.allSatisfy { $0.valueNow?.status == 200 })
        #expect(Set(server.sent("nonce").suffix(100).compactMap { $0 }).count <= 2)
    }

    // MARK: - To whom

    @Test func anotherOriginGetsNothing() {
        let credentials = credentials()
        _ = send(credentials)(request())
        let elsewhere = ["http://api.example.com/", "https://evil.net/"]
        for url in elsewhere { _ = send(credentials)(HTTPRequest(at: url)) }
        #expect(server.sent("nonce").suffix(2) == [nil, nil])
    }

    @Test func eachOriginHasItsOwnNonce() {
        let other = DigestServer()
        let service: HTTPService = { [server] request in
            request.url.host() == "b.example" ? other.send(request) : server.send(request)
        }
        let send = stack(.authorize(credentials(), for: .all), over: service)
        for url in ["https://api.example.com/", "https://b.example/"] {
            for _ in 0..<2 { #expect(send(HTTPRequest(at: url)).valueNow?.status == 200) }
        }
        #expect(statuses(other) == [401, 200, 200])
        #expect(other.sent("nonce").first == .some(nil))
    }

    @Test func aRedirectTakesTheDigestNowhereElse() {
        let evil = ScriptedServer { _ in
            HTTPResponse(
                status: 401, headers: ["WWW-Authenticate": "Digest realm=evil, nonce=n, qop=auth"])
        }
        let service: HTTPService = { [server] request in
            if request.url.host() == "evil.net" { return evil.send(request) }
            let answer = server.answer(request)
            return Future(
                value: answer.status == 401 ? answer : .redirect(to: "https://evil.net/"))
        }
        let authorize = Middleware<HTTPRequest, HTTPResponse>.authorize(
            credentials(), for: .origins(of: origin))
        for stacked in [[.redirect(), authorize], [authorize, .redirect()]] {
            let answer = Middleware(stacking: stacked)(service)(request()).valueNow
            #expect(answer?.status == 401)
        }
        #expect(evil.requests.map { $0.headers["Authorization"] } == [nil, nil])
        // The other server's challenge gets no answer from this server's client, either.
        #expect(!server.sent("realm").contains("evil"))
    }

    @Test func onlyTheDomainGetsADigestAtOnce() {
        server.change {
            $0.protected = "/a"
            $0.challenges = [
                "qop=auth, opaque=o, domain=\"/a/ https://api.example.com/ab https://b.example/\""
            ]
        }
        let send = send(credentials())
        for path in ["/a/1", "/a/2", "/c", "/ab?x", "/abc"] {
            #expect(send(request(path)).valueNow?.status == 200)
        }
        #expect(
            server.requests.map(\.url.path) == [
                "/a/1", "/a/1", "/a/2", "/c", "/ab", "/abc", "/abc",
            ]
        )
        #expect(
            server.sent("uri") == [nil, "/a/1", "/a/2", nil, "/ab?x", nil, "/abc"])
    }

    @Test func aRequestsOwnHeaderStays() {
        var own = request()
        own.headers["Authorization"] = "Bearer t"
        _ = send(credentials())(own)
        var skipping = request()
        skipping.context.skipsAuthorization = true
        _ = send(credentials())(skipping)
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer t", nil])
    }

    // MARK: - Around and beneath

    @Test func errorsOfAStatusAreUnderstood() {
        let send = send(credentials(), over: stack(.acceptStatus(), over: server.send))
        #expect(send(request()).valueNow?.status == 200)
        #expect(send(request()).valueNow?.status == 200)
        #expect(statuses(server) == [401, 200, 200])
    }

    @Test func aStreamedRefusalIsGivenUp() {
        let cancelled = Locked<[Int]>([])
        let scripted = ScriptedServer { [server] in server.answer($0) }
        let send = stack(
            .authorize(credentials(), for: .origins(of: origin)),
            over: scripted.stream(onCancel: { status in cancelled.withLock { $0.append(status) } }))
        let answer = send(request())
        #expect(answer.valueNow?.status == 200)
        #expect(cancelled.withLock { $0 } == [401])
    }

    @Test func whatGotAKeyBeneathIsSentAgainWithIt() {
        let send = send(credentials(), over: stack(.idempotencyKey(), over: server.send))
        #expect(send(request("/x", .post)).valueNow?.status == 200)
        let keys = server.requests.map(\.context.idempotencyKey)
        #expect(keys.count == 2 && Set(keys).count == 1 && !keys.contains(nil))
    }

    @Test func theTextsOfADigestShowNoSecret() throws {
        let credentials = HTTPCredentials.digest(user: "s3cretuser", password: "s3cretword")
        server.change { $0.challenges = ["qop=auth-int, opaque=o"] }
        var upload = request("/x", .post)
        upload.body = .stream(.init(isReplayable: true) { HTTPBodyStream(Data("a".utf8)) })
        let error = try #require(send(credentials)(upload).errorNow)
        let session = DigestSession(
            DigestLogin(user: "s3cretuser", password: "s3cretword"), random: .system)
        let values: [Any] = [credentials, session, session.login, error]
        for value in values {
            for text in texts(of: value) { #expect(!text.contains("s3cret"), "\(text)") }
        }
    }

    @Test func controlCharactersAreRefused() {
        for (user, password) in [("a\n", "b"), ("a", "b\u{0}")] {
            let send = send(.digest(user: user, password: password))
            #expect(
                send(request()).errorNow as? Endpoint.Error
                    == .invalidHeader(name: "Authorization"))
        }
        #expect(server.requests.isEmpty)
    }
}
