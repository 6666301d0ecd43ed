import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import PledgeStorage
import TestSupport
import Testing

@testable import PledgeHTTPBodies

/// A download that stopped goes on for the same user only, also in a later run of the process.
@Suite(.oneAtATime) struct DownloadUsersTests {
    private let folder: TestFolder
    private let target: URL
    private let server = FilmsOfUsers()

    init() throws {
        folder = try TestFolder()
        target = try folder.file("film.mp4")
    }

    /// A client that gives up at the first lost connection.
    private func client(
        over server: FilmsOfUsers? = nil, _ change: (inout HTTPClient) -> Void = { _ in }
    ) -> HTTPClient {
        var client = HTTPClient(
            base: URL(string: "https://a.example"), over: server ?? self.server)
        client.retry = .init(attempts: 1)
        change(&client)
        return client
    }

    /// Loads with one client until the connection is lost, and then with another one.
    ///
    /// - Returns: The number of bytes that weren't loaded again, and the file.
    private func load(_ first: HTTPClient, then second: HTTPClient) async throws -> (Int64, String)
    {
        server.loseNext(after: 10)
        await #expect(throws: HTTPError.self) {
            try await first.download("/film", to: target)
        }
        #expect(folder.names == [".pledge-film.mp4.part", ".pledge-film.mp4.resume"])
        let saved = try await second.download("/film", to: target)
        return (saved.resumedFrom, String(decoding: try Data(contentsOf: target), as: UTF8.self))
    }

    @Test(
        "Another user's download begins anew; the same user's goes on",
        arguments: UserWay.ofDownloads)
    func anotherUsersDownloadBeginsAnew(way: UserWay) async throws {
        let alice = client { way.apply("alice", to: &$0) }
        let bob = client { way.apply("bob", to: &$0) }
        server.challenge(way == .digest)
        #expect(try await load(alice, then: bob) == (0, "bbbbbbbbbbbbbbbbbbbb"))
        try FileManager.default.removeItem(at: target)
        if way != .digest {
            #expect(try await load(alice, then: client()) == (0, "nnnnnnnnnnnnnnnnnnnn"))
            try FileManager.default.removeItem(at: target)
        }
        let again = client { way.apply("alice", to: &$0) }
        #expect(try await load(alice, then: again) == (10, "aaaaaaaaaaaaaaaaaaaa"))
    }

    @Test func aJarWhoseSiteChangesTheUserByACookieBeginsAnew() async throws {
        let jar = CookieJar()
        let base = try #require(URL(string: "https://a.example"))
        let client = client { $0.cookies = jar }
        jar.store("sid=alice", from: base)
        server.loseNext(after: 10)
        await #expect(throws: HTTPError.self) {
            try await client.download("/film", to: target)
        }
        jar.store("sid=bob", from: base)
        let saved = try await client.download("/film", to: target)
        #expect(saved.resumedFrom == 0)
        #expect(try Data(contentsOf: target) == Data("bbbbbbbbbbbbbbbbbbbb".utf8))
    }

    @Test("A cookie that changes within a call begins anew, so no file is of two users")
    func otherCookieInTheCall() async throws {
        let jar = CookieJar()
        let base = try #require(URL(string: "https://a.example"))
        let client = client {
            $0.cookies = jar
            $0.retry = .init(attempts: 2, backoff: .constant(.zero))
        }
        jar.store("sid=alice", from: base)
        server.loseNext(after: 10) { jar.store("sid=bob", from: base) }
        _ = try await client.download("/film", to: target)
        #expect(try Data(contentsOf: target) == Data("bbbbbbbbbbbbbbbbbbbb".utf8))
        #expect(server.ranges == [nil, "bytes=10-", nil])
    }

    @Test func aCookieThatTheFirstAnswerSetsBeginsAnewToo() async throws {
        let client = client {
            $0.cookies = CookieJar()
            $0.retry = .init(attempts: 2, backoff: .constant(.zero))
        }
        server.setCookies()
        server.loseNext(after: 10)
        _ = try await client.download("/film", to: target)
        #expect(server.ranges == [nil, "bytes=10-", nil])
        #expect(server.requests.last?.headers["Cookie"] == "lb=1")
    }

    /// A service that sends another cookie with each request.
    private func changingCookies(over server: RangeServer) -> HTTPStreamingService {
        let count = Locked(0)
        return { request in
            var sent = request
            let number = count.withLock { count in
                count += 1
                return count
            }
            sent.headers.set("n=\(number)", for: "Cookie")
            return Middleware.addingRequests(to: server.answer)(sent)
        }
    }

    @Test("With cookies that each answer changes, a file begins anew a few times, and then fails")
    func aFileWithCookiesThatAlwaysChangeFailsInTheEnd() async throws {
        let server = RangeServer(Data(count: 20_000))
        server.lose(after: [9_000, .max, 9_000, .max, 9_000, .max])
        let url = try #require(URL(string: "https://a.example/film"))
        let saving = download(
            HTTPRequest(.get, url), to: target, over: changingCookies(over: server),
            resuming: Resumption(Retry(attempts: 2, backoff: .constant(.zero))))
        let error = await #expect(throws: HTTPError.self) { try await saving.value }
        #expect(error?.code == .badResponse && "\(error!)".contains("cookies"))
        #expect(error?.request?.url == url && error?.status == 206)
        #expect(
            server.ranges == [nil, "bytes=9000-", nil, "bytes=9000-", nil, "bytes=9000-"])
        #expect(folder.names.isEmpty)
    }

    @Test("With cookies that each answer changes, parts give way to the whole", arguments: [1, 3])
    func partsWithChangingCookies(attempts: Int) async throws {
        let content = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let server = RangeServer(content)
        server.send(inChunksOf: 1 << 18)
        let url = try #require(URL(string: "https://a.example/film"))
        _ = try await download(
            HTTPRequest(.get, url), to: target, over: changingCookies(over: server),
            resuming: Resumption(Retry(attempts: attempts, backoff: .constant(.zero))), parts: 2
        ).value
        #expect(try Data(contentsOf: target) == content)
        let begun = server.ranges.filter { $0 == "bytes=0-1048575" }
        #expect(begun.count == (attempts == 1 ? 1 : 2) && server.ranges.last == .some(nil))
    }

    @Test("A renewed token of the same sign-in goes on, and another sign-in begins anew")
    func aRenewedTokenOfTheSameSignInGoesOn() async throws {
        let refresher = TokenRefresher(AccessToken("alice-1")) { _ in
            Future(value: AccessToken("alice-2"))
        }
        let client = client { $0.authorization = .bearer(from: refresher) }
        server.loseNext(after: 5)
        await #expect(throws: HTTPError.self) {
            try await client.download("/film", to: target)
        }
        _ = try await refresher.refresh().value
        server.loseNext(after: 5)
        await #expect(throws: HTTPError.self) {
            try await client.download("/film", to: target)
        }
        #expect(server.requests.last?.headers["Authorization"] == "Bearer alice-2")
        #expect(server.ranges == [nil, "bytes=5-"])
        refresher.signOut()
        refresher.signIn(with: AccessToken("bob-1"))
        #expect(try await client.download("/film", to: target).resumedFrom == 0)
        #expect(try Data(contentsOf: target) == Data("bbbbbbbbbbbbbbbbbbbb".utf8))
    }

    @Test("A sign-in that ends during a call ends the call, and its bytes stay with their user")
    func signOutDuringTheCall() async throws {
        let refresher = TokenRefresher(AccessToken("alice")) { Future(value: $0) }
        let client = client {
            $0.authorization = .bearer(from: refresher)
            $0.retry = .init(attempts: 3, backoff: .constant(.zero))
        }
        server.loseNext(after: 10) {
            refresher.signOut()
            refresher.signIn(with: AccessToken("bob"))
        }
        let error = await #expect(throws: HTTPError.self) {
            try await client.download("/film", to: target)
        }
        #expect(error?.code == .sessionEnded && server.requests.count == 1)
        #expect(try await client.download("/film", to: target).resumedFrom == 0)
        #expect(try Data(contentsOf: target) == Data("bbbbbbbbbbbbbbbbbbbb".utf8))
    }

    @Test func theUserBeforeARedirectToAnotherOriginCounts() async throws {
        server.redirect()
        let alice = client { $0.authorization = .bearer("alice") }
        let bob = client { $0.authorization = .bearer("bob") }
        _ = try await load(alice, then: alice)
        #expect(server.ranges == [nil, nil, "bytes=10-", "bytes=10-"])
        #expect(server.requests.last?.headers["Authorization"] == nil)
        try FileManager.default.removeItem(at: target)
        #expect(try await load(alice, then: bob).0 == 0)
    }

    @Test("The record holds no secret, nor a hash of one that another record has too")
    func theRecordHoldsNoSecret() async throws {
        let record = folder.url.appendingPathComponent(".pledge-film.mp4.resume")
        var lines: [String] = []
        for _ in 0..<2 {
            server.loseNext(after: 10)
            let client = client {
                $0.authorization = .bearer("alice-s3cret")
                $0.headers = ["X-API-Key": "k3y"]
            }
            await #expect(throws: HTTPError.self) {
                try await client.download("/film", to: target)
            }
            let bytes = try Array(Data(contentsOf: record))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("s3cret") && !text.contains("k3y"))
            lines.append(try #require(SealedLines.decoded(bytes))[3])
            try FileManager.default.removeItem(at: record)
        }
        let words = lines.map { Set($0.split { " ,".contains($0) }) }
        #expect(words[0].count == 3 && words[1].count == 3 && words[0].isDisjoint(with: words[1]))
    }
}

// Exit tests capture values since Swift 6.3.
#if (os(Linux) || os(macOS)) && compiler(>=6.3)
extension DownloadUsersTests {
    @Test(
        "Another process goes on with a sign-in's renewed token, and begins anew for another user",
        arguments: [true, false])
    func anotherProcessGoesOnWithARenewedToken(isSameUser: Bool) async throws {
        await #expect(processExitsWith: .success) {
            [path = folder.url.path as String, file = target.path as String] in
            let server = FilmsOfUsers()
            server.loseNext(after: 10)
            var client = HTTPClient(base: URL(string: "https://a.example"), over: server)
            client.retry = .init(attempts: 1)
            client.authorization = .bearer(from: storedSignIn(in: path))
            let jar = storedJar(in: path)
            jar.store("sid=alice; Max-Age=1000", from: try #require(client.base))
            client.cookies = jar
            await #expect(throws: HTTPError.self) {
                try await client.download("/film", to: URL(fileURLWithPath: file))
            }
            try await jar.flush().value
        }
        let refresher = storedSignIn(in: folder.url.path)
        if isSameUser {
            _ = try await refresher.refresh().value
        } else {
            refresher.signIn(with: AccessToken("bob-1"))
        }
        let client = client {
            $0.authorization = .bearer(from: refresher)
            $0.cookies = storedJar(in: folder.url.path)
        }
        let saved = try await client.download("/film", to: target)
        #expect(saved.resumedFrom == (isSameUser ? 10 : 0))
        let sent = try #require(server.requests.last).headers
        #expect(sent["Authorization"] == (isSameUser ? "Bearer alice-2" : "Bearer bob-1"))
        #expect(sent["Cookie"] == "sid=alice")
    }
}

private func storedSignIn(in folder: String) -> TokenRefresher {
    let store = AccessTokenFile(URL(fileURLWithPath: folder + "/token"))
    let refresher = TokenRefresher(storedIn: store) { _ in Future(value: AccessToken("alice-2")) }
    if (try? store.load()) ?? nil == nil { refresher.signIn(with: AccessToken("alice-1")) }
    return refresher
}

private func storedJar(in folder: String) -> CookieJar {
    CookieJar(file: URL(fileURLWithPath: folder + "/cookies"))
}
#endif

/// A server whose users have different films with the same strong ETag.
private final class FilmsOfUsers: HTTPTransport {
    fileprivate struct State {
        var requests: [HTTPRequest] = []
        var loss: Int?
        var onLoss: @Sendable () -> Void = {}
        var setsCookies = false
        var redirects = false
        var challenges = false
    }

    private let state = Locked(State())

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var ranges: [String?] { requests.map { $0.headers["Range"] } }

    /// Loses the next answer's connection, after so many bytes.
    func loseNext(after bytes: Int, _ onLoss: @escaping @Sendable () -> Void = {}) {
        state.withLock { ($0.loss, $0.onLoss) = (bytes, onLoss) }
    }

    func setCookies() { state.withLock { $0.setsCookies = true } }

    /// Asks requests without Authorization for a digest.
    func challenge(_ challenges: Bool) { state.withLock { $0.challenges = challenges } }

    /// Redirects all requests to an origin that knows no users.
    func redirect() { state.withLock { $0.redirects = true } }

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        stream(request).flatMap { $0.collected(upTo: .max) }
    }

    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        Future(value: state.withLock { $0.answer(request) })
    }
}

extension FilmsOfUsers.State {
    fileprivate mutating func answer(_ request: HTTPRequest) -> HTTPStreamedResponse {
        let names = ["Authorization", "X-API-Key", "Cookie", "Host"]
        let values = names.compactMap { request.headers[$0] }.joined()
        let user = ["alice", "bob"].first { values.contains($0) } ?? "nobody"
        requests.append(request)
        if redirects, request.url.host() == "a.example" {
            return HTTPStreamedResponse(
                status: 302, headers: ["Location": "https://cdn.example/film"],
                body: HTTPBodyStream(Data()), url: request.url)
        }
        if challenges, request.headers["Authorization"] == nil {
            return HTTPStreamedResponse(
                status: 401,
                headers: ["WWW-Authenticate": "Digest realm=\"a\", nonce=\"n\", qop=\"auth\""],
                body: HTTPBodyStream(Data()), url: request.url)
        }
        var headers: HTTPHeaders = ["ETag": "\"1\""]
        if setsCookies { headers.set("lb=1", for: "Set-Cookie") }
        let film = Data(repeating: user.utf8.first ?? 0, count: 20)
        var part = film[...]
        if let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) {
            part = film[start...]
            headers.set("bytes \(start)-19/20", for: "Content-Range")
        }
        headers.set("\(part.count)", for: "Content-Length")
        let status = part.count == film.count ? 200 : 206
        guard let loss else {
            return HTTPStreamedResponse(
                status: status, headers: headers, body: HTTPBodyStream(Data(part)),
                url: request.url)
        }
        self.loss = nil
        let chunk = Locked<Data?>(Data(part.prefix(loss)))
        let body = HTTPBodyStream(length: Int64(part.count)) { [onLoss] in
            let next = chunk.withLock { chunk in
                defer { chunk = nil }
                return chunk
            }
            if let next { return Future(value: next) }
            onLoss()
            return Future(error: HTTPError(code: .connectionLost))
        }
        return HTTPStreamedResponse(
            status: status, headers: headers, body: body, url: request.url)
    }
}

/// The ways in which a client says whose request it is.
enum UserWay: CaseIterable, Sendable {
    case nobody, header, key, token, digest, account, cookie, refresher, host

    /// The ways of a user whose download goes on later.
    static var ofDownloads: [UserWay] { allCases.filter { $0 != .nobody } }
    /// The ways of a user whose upload goes on later.
    static var ofUploads: [UserWay] { allCases.filter { $0 != .digest } }

    func apply(_ user: String, to client: inout HTTPClient) {
        switch self {
        case .nobody: break
        case .header: client.headers = ["Authorization": "Bearer \(user)"]
        case .key: client.headers = ["X-API-Key": user]
        case .token: client.authorization = .bearer(user)
        case .digest: client.authorization = .digest(user: user, password: "same")
        case .account:
            // The token of an account may change.
            client.authorization = .bearer("\(user)-\(UInt64.random(in: .min ... .max))")
            client.account = user
        case .cookie:
            let jar = CookieJar()
            if let base = client.base { jar.store("sid=\(user)", from: base) }
            client.cookies = jar
        case .refresher:
            client.authorization = .bearer(
                from: TokenRefresher(AccessToken(user)) { Future(value: $0) })
        // Another site on the same server.
        case .host: client.headers = ["Host": "\(user).example"]
        }
    }
}
