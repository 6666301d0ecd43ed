import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication
@testable import PledgeStorage

/// A token that several processes keep in the same store, at a server that accepts each refresh token once.
///
/// Each refresher stands for a process: it knows only what it has read from the store.
@Suite struct SharedTokenTests {
    private let folder = try! TestFolder()
    private let scheduler = ManualScheduler()
    private let server = RotatingServer()

    private var file: URL { folder.url.appendingPathComponent("token.json") }

    /// Signs a user in, in a process that then ends.
    private func signIn(_ user: String = "alice") throws {
        TokenRefresher(storedIn: AccessTokenFile(file), refresh: server.refresh)
            .signIn(with: server.token(of: user))
    }

    private func process(
        _ store: some AccessTokenStore, errors: Locked<[String]> = Locked([])
    ) -> TokenProcess { TokenProcess(store, server, on: scheduler, errors) }

    private func process(errors: Locked<[String]> = Locked([])) -> TokenProcess {
        process(AccessTokenFile(file), errors: errors)
    }

    @Test("a process takes the other one's new token, and sends no used refresh token")
    func aProcessTakesTheOtherOnesNewToken() throws {
        try signIn()
        let (first, second) = (process(), process())
        #expect(first.get() == "200" && second.get() == "200")
        server.expire()
        #expect(first.get() == "200" && second.get() == "200")
        #expect(server.refreshes == ["alice 0: ok"])
        #expect(second.refresher.token?.value == first.refresher.token?.value)
        // Its own next refresh uses the other process's refresh token.
        server.expire()
        #expect(second.get() == "200" && first.get() == "200" && process().get() == "200")
        #expect(server.refreshes == ["alice 0: ok", "alice 1: ok"])
    }

    @Test func aStoredTokenThatHasExpiredIsRefreshedWithItsOwnRefreshToken() throws {
        try signIn()
        let (first, second) = (process(), process())
        server.lifetime = .zero
        server.expire()
        _ = first.get()
        server.lifetime = nil
        #expect(second.get() == "200")
        #expect(server.refreshes == ["alice 0: ok", "alice 1: ok"])
    }

    @Test("while one process refreshes, the other one waits, and then takes its token")
    func whileOneProcessRefreshesTheOtherOneWaits() throws {
        try signIn()
        let (first, second) = (process(), process())
        server.expire()
        server.answersLater = true
        let (one, two) = (first.send(), second.send())
        scheduler.advance(by: .seconds(3))
        #expect(!two.isSettled && server.refreshes.isEmpty && server.waiting == 1)
        server.answerNext()
        #expect(one.valueNow?.status == 200)
        scheduler.advance(by: .milliseconds(50))
        #expect(two.valueNow?.status == 200 && server.refreshes == ["alice 0: ok"])
        #expect(scheduler.isIdle)
    }

    @Test func theTimeoutOfARefreshBoundsTheWaitForAnotherProcess() throws {
        try signIn()
        let lock = try #require(try AccessTokenFile(file).lockForRefresh())
        let process = process()
        server.expire()
        let answer = process.send()
        scheduler.advance(by: .milliseconds(29_999))
        #expect(!answer.isSettled)
        scheduler.advance(by: .milliseconds(1))
        let error = try #require(answer.errorNow as? HTTPError)
        #expect(error.code == .tokenRefreshFailed)
        #expect((error.cause as? FutureError)?.code == .timedOut)
        #expect(server.refreshes.isEmpty)
        scheduler.run()
        withExtendedLifetime(lock) {}
    }

    @Test(
        "a refresh holds its lock until its token is stored, or until it has failed")
    func aRefreshHoldsItsLockUntilItsTokenIsStored() throws {
        struct Store: AccessTokenStore {
            let file: AccessTokenFile
            let isFree = Locked<[Bool]>([])

            func load() throws -> AccessToken? { try file.load() }
            func save(_ token: AccessToken?) throws {
                let free = try file.lockForRefresh() != nil
                isFree.withLock { $0.append(free) }
                try file.save(token)
            }
            func lockForRefresh() throws -> (any AnyObject & Sendable)? {
                try file.lockForRefresh()
            }
        }
        try signIn()
        let store = Store(file: AccessTokenFile(file))
        let process = process(store)
        func isFree() throws -> Bool { try store.file.lockForRefresh() != nil }
        server.expire()
        #expect(process.get() == "200")
        #expect(try store.isFree.withLock { $0 } == [false] && isFree())
        server.expire()
        server.answersLater = true
        let failed = process.send()
        #expect(try !isFree())
        server.failNext()
        #expect(try failed.errorNow != nil && isFree())
        let late = process.send()
        #expect(try !isFree())
        scheduler.advance(by: .seconds(30))
        #expect(try late.errorNow != nil && isFree())
        server.failNext()
        // A sign-out meanwhile doesn't free it: the refresh token may be in use.
        let over = process.send()
        process.refresher.signOut()
        #expect(try over.errorNow != nil && !isFree())
        server.answerNext()
        #expect(try isFree() && store.load() == nil)
    }

    /// A store as apps write it, and as the Keychain is.
    private struct WithoutLock: AccessTokenStore {
        let file: AccessTokenFile

        func load() throws -> AccessToken? { try file.load() }
        func save(_ token: AccessToken?) throws { try file.save(token) }
    }

    @Test func withoutALockARefusedRefreshTakesTheNewTokenOfAnotherProcess() throws {
        try signIn()
        let store = WithoutLock(file: AccessTokenFile(file))
        let (first, second) = (process(store), process(store))
        server.expire()
        server.answersLater = true
        let (one, two) = (first.send(), second.send())
        #expect(server.waiting == 2)
        server.answerNext()
        server.answerNext()
        #expect(one.valueNow?.status == 200 && two.valueNow?.status == 200)
        #expect(server.refreshes == ["alice 0: ok", "alice 0: invalid_grant"])
    }

    @Test func aRefresherThatAsksForASignInGoesOnOnceTheStoreHasATokenAgain() throws {
        try signIn()
        let store = WithoutLock(file: AccessTokenFile(file))
        let (first, second) = (process(store), process(store))
        server.expire()
        // The other process has got the new token, but not yet stored it.
        server.answersLater = true
        let one = first.send()
        server.answersLater = false
        try server.useUp()
        #expect(second.get() == "signInNeeded" && second.get() == "signInNeeded")
        #expect(server.refreshes == ["alice 0: ok", "alice 0: invalid_grant"])
        server.giveNext()
        #expect(one.valueNow?.status == 200)
        #expect(second.get() == "200")
        #expect(server.refreshes.count == 2)
    }

    @Test(
        "a sign-out in one process signs the other out, which stores no token again")
    func aSignOutInOneProcessSignsTheOtherOut() throws {
        try signIn()
        let (first, second) = (process(), process())
        first.refresher.signOut()
        server.expire()
        #expect(second.get() == "sessionEnded" && second.refresher.token == nil)
        #expect(second.get() == "401")
        #expect(server.refreshes.isEmpty && !folder.names.contains("token.json"))
    }

    @Test func aSignOutInOneProcessEndsTheSessionThatTheOtherOneJustRefreshes() throws {
        try signIn()
        let (first, second) = (process(), process())
        server.expire()
        server.answersLater = true
        let answer = second.send()
        first.refresher.signOut()
        server.answerNext()
        #expect((answer.errorNow as? HTTPError)?.code == .sessionEnded)
        #expect(second.refresher.token == nil && !folder.names.contains("token.json"))
    }

    @Test func noRequestOfOneUserIsSentForAnotherWhoHasSignedInInAnotherProcess() throws {
        try signIn("alice")
        let second = process()
        #expect(second.get() == "200")
        try signIn("bob")
        server.expire("alice")
        #expect(second.get() == "sessionEnded")
        #expect(second.get() == "200" && server.lastUser == "bob")
        #expect(server.refreshes.isEmpty && second.refresher.token?.value == "bob 0")
        #expect(try AccessTokenFile(file).load()?.value == "bob 0")
        server.expire("bob")
        #expect(second.get() == "200")
    }

    @Test func aNewTokenDoesNotReplaceThatOfAUserWhoSignedInDuringTheRefresh() throws {
        try signIn("alice")
        let second = process()
        server.expire("alice")
        server.answersLater = true
        let answer = second.send()
        try signIn("bob")
        server.answerNext()
        #expect((answer.errorNow as? HTTPError)?.code == .sessionEnded)
        #expect(try AccessTokenFile(file).load()?.value == "bob 0")
        #expect(second.get() == "200" && server.lastUser == "bob")
    }

    @Test func oneMoreRefreshFollowsIfTheServerRefusesTheTokenOfTheOtherProcess() throws {
        try signIn()
        let (first, second) = (process(), process())
        server.expire()
        #expect(first.get() == "200")
        server.expire()
        #expect(second.get() == "200")
        #expect(server.refreshes == ["alice 0: ok", "alice 1: ok"])
    }

    @Test func twoProcessesThatLoadATokenWithoutASignInsNameHaveTheSameSignIn() throws {
        try AccessTokenFile(file).save(server.token(of: "alice"))
        let (first, second) = (process(), process())
        server.expire()
        #expect(first.get() == "200" && second.get() == "200")
        #expect(server.refreshes == ["alice 0: ok"])
    }

    @Test func theAppsOwnCallsWithinARefreshThatHasWaitedAreNotAuthorized() throws {
        try signIn()
        let process = process()
        server.expire()
        let lock = Locked(try AccessTokenFile(file).lockForRefresh())
        let answer = process.send()
        lock.withLock { $0 = nil }
        scheduler.advance(by: .milliseconds(50))
        #expect(answer.valueNow?.status == 200)
        #expect(server.refreshHeaders == [nil])
    }

    @Test("a lock that can't be taken is reported, and the refresh goes on")
    func aLockThatCannotBeTakenIsReported() throws {
        try signIn()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("token.json.lock"),
            withIntermediateDirectories: false)
        let errors = Locked<[String]>([])
        let process = process(errors: errors)
        server.expire()
        #expect(process.get() == "200")
        #expect(errors.withLock { $0.count == 1 && $0[0].contains("token.json.lock") })
    }

    @Test("a store that can't be read is reported, and the refresh goes on")
    func aStoreThatCannotBeReadIsReported() throws {
        try signIn()
        let errors = Locked<[String]>([])
        let process = process(errors: errors)
        try Data("{".utf8).write(to: file)
        server.expire()
        #expect(process.get() == "200")
        #expect(errors.withLock { $0.count } == 2)
        #expect(try AccessTokenFile(file).load()?.value == "alice 1")
    }

    @Test func aFileWithoutALockHasNoSecondFile() throws {
        try signIn()
        for (locks, isThere) in [(false, false), (true, true)] {
            let store = AccessTokenFile(file, lockingRefreshes: locks)
            server.expire()
            #expect(process(store).get() == "200")
            #expect(folder.names.contains("token.json.lock") == isThere)
            let (one, two) = try (store.lockForRefresh(), store.lockForRefresh())
            #expect(one != nil && (two == nil) == locks)
        }
        #expect(folder.url.appendingPathComponent("token.json.lock").filePermissions == 0o600)
    }
}

/// A refresher and the service that uses it, as one process has them.
private final class TokenProcess: Sendable {
    let refresher: TokenRefresher
    let service: HTTPService

    init(
        _ store: some AccessTokenStore, _ server: RotatingServer,
        on scheduler: some FutureScheduler, _ errors: Locked<[String]>
    ) {
        let whole = Locked<HTTPService?>(nil)
        refresher = TokenRefresher(
            storedIn: store, grace: .zero, on: scheduler,
            onStoreError: { error in errors.withLock { $0.append("\(error)") } },
            refresh: { token in
                whole.withLock { $0! }(server.request(refreshing: token)).decoded()
            })
        service = stack(.authorize(.bearer(from: refresher), for: .all), over: server.send)
        whole.withLock { $0 = service }
    }

    func send() -> Future<HTTPResponse> { service(HTTPRequest(at: "https://api.example.com/")) }

    /// The status of an answer, or the code of an error; "none" if there is none yet.
    func get() -> String {
        switch send().result {
        case .success(let response)?: "\(response.status)"
        case .failure(let error as HTTPError)?: error.code.rawValue
        case .failure(let error)?: "\(error)"
        case nil: "none"
        }
    }
}

/// A server that accepts each refresh token once, and only the last access token of each user.
private final class RotatingServer: Sendable {
    private struct State {
        var numbers: [String: Int] = [:]
        var expired: Set<String> = []
        var refreshes: [String] = []
        var headers: [String?] = []
        var lastUser: String?
        var lifetime: Duration?
        var answersLater = false
        var waiting: [(promise: Promise<HTTPResponse>, token: String)] = []
    }

    private let state = Locked(State())

    var refreshes: [String] { state.withLock { $0.refreshes } }
    var refreshHeaders: [String?] { state.withLock { $0.headers } }
    var lastUser: String? { state.withLock { $0.lastUser } }
    var waiting: Int { state.withLock { $0.waiting.count } }
    var answersLater: Bool {
        get { state.withLock { $0.answersLater } }
        set { state.withLock { $0.answersLater = newValue } }
    }
    var lifetime: Duration? {
        get { state.withLock { $0.lifetime } }
        set { state.withLock { $0.lifetime = newValue } }
    }

    func token(of user: String) -> AccessToken {
        let number = state.withLock { $0.numbers[user, default: 0] }
        return AccessToken("\(user) \(number)", refreshToken: "\(user) \(number)")
    }

    func expire(_ user: String = "alice") {
        state.withLock { _ = $0.expired.insert("\(user) \($0.numbers[user, default: 0])") }
    }

    @Sendable func refresh(_ token: AccessToken) -> Future<AccessToken> {
        send(request(refreshing: token)).decoded()
    }

    func request(refreshing token: AccessToken) -> HTTPRequest {
        HTTPRequest(
            .post, TokenFixture.url.appending(path: "token"),
            body: .data(Data((token.refreshToken ?? "").utf8), contentType: "text/plain"))
    }

    var send: HTTPService {
        { [self] request in
            guard request.method == .post else { return Future(value: answer(request)) }
            guard case .data(let data) = request.body.content else {
                return Future(error: Missing())
            }
            let (token, later) = state.withLock { state in
                state.headers.append(request.headers["Authorization"])
                let promise = state.answersLater ? Promise<HTTPResponse>() : nil
                let token = String(decoding: data, as: UTF8.self)
                if let promise { state.waiting.append((promise, token)) }
                return (token, promise)
            }
            return later ?? Future(value: renewed(token))
        }
    }

    private struct Missing: Error {}

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        state.withLock { state in
            let token = String(request.headers["Authorization"]?.dropFirst(7) ?? "")
            let user = token.split(separator: " ").first.map(String.init) ?? ""
            let isGood =
                !user.isEmpty && token == "\(user) \(state.numbers[user, default: 0])"
                && !state.expired.contains(token)
            if isGood { state.lastUser = user }
            return HTTPResponse(status: isGood ? 200 : 401, url: request.url)
        }
    }

    private func renewed(_ token: String) -> HTTPResponse {
        state.withLock { state in
            let user = String(token.prefix { $0 != " " })
            guard token == "\(user) \(state.numbers[user, default: 0])" else {
                state.refreshes.append("\(token): invalid_grant")
                return HTTPResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
            }
            state.refreshes.append("\(token): ok")
            state.numbers[user, default: 0] += 1
            let new = "\(user) \(state.numbers[user, default: 0])"
            let end = state.lifetime.map { _ in #","expires_in":0"# } ?? ""
            return HTTPResponse(
                status: 200,
                body: Data(#"{"access_token":"\#(new)","refresh_token":"\#(new)"\#(end)}"#.utf8))
        }
    }

    private func next() -> (promise: Promise<HTTPResponse>, token: String)? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    /// Answers the first refresh that waits.
    func answerNext() {
        guard let next = next() else { return }
        next.promise.resolve(with: renewed(next.token))
    }

    func failNext() { next()?.promise.reject(with: URLError(.networkConnectionLost)) }

    /// Handles the first refresh that waits, and keeps its answer.
    func useUp() throws {
        let first = try #require(state.withLock { $0.waiting.first })
        let answer = renewed(first.token)
        state.withLock { $0.waiting[0].token = answer.text }
    }

    /// Gives the answer that ``useUp()`` kept.
    func giveNext() {
        guard let next = next() else { return }
        next.promise.resolve(with: HTTPResponse(status: 200, body: Data(next.token.utf8)))
    }
}
