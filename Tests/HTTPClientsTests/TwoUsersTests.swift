import Foundation
import Pledge
import PledgeFutures
import PledgeTesting
import Testing

/// Two users of one process: each kind of credential, each part that shares an answer or sends a request again, and
/// their calls at the same time, one after the other, and with a sign-out between.
///
/// In each cell a request holds the credentials of the user whose call it is, and no others; and no answer, cookie or
/// error of one user reaches the other.
@Suite struct TwoUsersTests {
    /// The requests that the server sees for two calls of anna and one of bert: "ab" if anna's share one.
    ///
    /// Without this, a part that shares nothing would pass.
    struct Requests: Sendable {
        let atTheSameTime: String
        let oneAfterTheOther: String
        /// One after the other, and bert signs in where anna was.
        let afterSignOut: String

        init(_ atTheSameTime: String, _ oneAfterTheOther: String, _ afterSignOut: String? = nil) {
            self.atTheSameTime = atTheSameTime
            self.oneAfterTheOther = oneAfterTheOther
            self.afterSignOut = afterSignOut ?? oneAfterTheOther
        }

        /// Each call has its own.
        static let own = Requests("aab", "aab")
        /// Each call has two.
        static let twice = Requests("aaaabb", "aaaabb")
    }

    struct Row: Sendable {
        let part: SharingPart
        let requests: Requests
        let others: [UserCredential: Requests]

        init(
            _ part: SharingPart, _ requests: Requests,
            except others: [UserCredential: Requests] = [:]
        ) {
            self.part = part
            self.requests = requests
            self.others = others
        }
    }

    /// A POST is not stored and not shared, and a cache does not know whose answer it is if the key comes beneath.
    ///
    /// Visitors share what the server says to anybody, but no cookie.
    static let table = [
        Row(
            .cache, Requests("ab", "ab"),
            except: [.keyAroundAttempt: .own, .tokenInBody: .own, .visitor: Requests("a", "aa")]),
        Row(
            .validation, Requests("ab", "ab"),
            except: [.keyAroundAttempt: .own, .tokenInBody: .own]),
        Row(
            .background, Requests("ab", "ab"),
            except: [.keyAroundAttempt: .own, .tokenInBody: .own]),
        // What is private is not stored in a shared cache.
        Row(.sharedCache, .own),
        Row(
            .publicCache, Requests("ab", "a"),
            except: [
                .keyInURL: Requests("ab", "ab"), .tokenInBody: .own,
                .keyAroundAttempt: Requests("a", "a"), .visitor: Requests("a", "a"),
            ]),
        Row(
            .coalesce, Requests("ab", "aab"),
            except: [.tokenInBody: .own, .visitor: Requests("a", "aab")]),
        Row(.coalesceAbove, Requests("ab", "aab"), except: [.tokenInBody: .own]),
        Row(
            .memoize, Requests("aab", "ab"),
            except: [.tokenInBody: .own, .visitor: Requests("aab", "aa", "aab")]),
        Row(.memoizeAbove, Requests("aab", "ab")),
        Row(.retry, .twice),
        // Above the part that adds the key, a POST may not be repeated.
        Row(.retryAbove, .twice, except: [.tokenInBody: .own]),
        Row(.hedge, .twice),
        Row(.hedgeAbove, .twice, except: [.tokenInBody: .own]),
        Row(.redirect, .twice),
        // Two calls share one refresh.
        Row(.renewal, .own, except: [.renewedToken: Requests("aaaaabbb", "aaaabbb")]),
    ]

    struct Cell: CustomTestStringConvertible, Sendable {
        let part: SharingPart
        let credential: UserCredential
        let requests: Requests

        var testDescription: String { "\(credential), \(part)" }

        var bench: TwoUsersBench { TwoUsersBench(credential, part) }
    }

    static let cells = table.flatMap { row in
        UserCredential.allCases.map {
            Cell(part: row.part, credential: $0, requests: row.others[$0] ?? row.requests)
        }
    }

    private let users: [User] = [.anna, .anna, .bert]

    @Test func theTableOfTwoUsersHasEachPart() {
        #expect(Self.table.map(\.part) == SharingPart.allCases)
    }

    @Test(arguments: cells) func twoUsersAtTheSameTimeSeeOnlyTheirOwn(cell: Cell) {
        let bench = cell.bench
        let clients = bench.clients()
        let calls = users.map { bench.call(clients[$0]!, of: $0) }
        cell.part.script.forEach(bench.go)
        bench.finish()
        bench.check(calls, of: users)
        #expect(bench.requests == cell.requests.atTheSameTime)
    }

    @Test(arguments: cells) func twoUsersOneAfterTheOtherSeeOnlyTheirOwn(cell: Cell) {
        let bench = cell.bench
        let clients = bench.clients()
        let calls = users.map { bench.carryOut(clients[$0]!, of: $0) }
        bench.check(calls, of: users)
        #expect(bench.requests == cell.requests.oneAfterTheOther)
    }

    @Test(arguments: cells) func twoUsersWithASignOutBetweenSeeOnlyTheirOwn(cell: Cell) {
        let bench = cell.bench
        let device = bench.device()
        var calls = users.prefix(2).map { bench.carryOut(device.client, of: $0) }
        device.begin(.bert)
        calls.append(bench.carryOut(device.client, of: .bert))
        bench.check(calls, of: users)
        #expect(bench.requests == cell.requests.afterSignOut)
        bench.check(device.session.jar, of: .bert)
    }

    /// At each point of a call: it is answered for its user, or ends with the sign-in.
    @Test(arguments: cells) func aSignOutDuringACallShowsTheNextUserNothing(cell: Cell) {
        let script = cell.part.script
        for point in script.indices {
            let bench = cell.bench
            let device = bench.device()
            var calls = (1...2).map { _ in bench.call(device.client, of: .anna) }
            script[..<point].forEach(bench.go)
            device.begin(.bert)
            calls.append(bench.call(device.client, of: .bert))
            script[point...].forEach(bench.go)
            bench.finish()
            bench.check(calls, of: users, mayEnd: .anna)
            bench.check(device.session.jar, of: .bert)
        }
    }

    // MARK: Functions of the app's own

    /// A function that is no transport does not say what it was sent, and a key was added beneath the cache.
    @Test func aKeyThatOwnMiddlewareAddsBeneathTheCacheIsSeen() throws {
        let cache = HTTPCache()
        let texts = try User.allCases.map { user in
            var client = HTTPClient(base: TwoUsersServer.url) { request in
                Future(
                    value: HTTPResponse(
                        status: 200, headers: ["Cache-Control": "max-age=60"],
                        body: Data("for \(request.headers["X-Session"] ?? "nobody")".utf8)))
            }
            client.cache = cache
            client.decompressionLimit = nil
            let own = Middleware<HTTPRequest, HTTPResponse> { next in
                { request in
                    var request = request
                    request.headers["X-Session"] = user.rawValue
                    return next(request)
                }
            }
            client.aroundAttempt = .init(send: own, stream: Middleware { $0 })
            return try client.futures.send(HTTPRequest(TwoUsersServer.url)).settledValue().text
        }
        #expect(texts == ["for anna", "for bert"])
    }
}

/// A part that shares an answer, or sends a request again.
enum SharingPart: String, CaseIterable, Sendable {
    case cache, validation, background, sharedCache, publicCache
    case coalesce, coalesceAbove, memoize, memoizeAbove
    case retry, retryAbove, hedge, hedgeAbove, redirect, renewal

    /// What the server does, after the calls have begun.
    enum Step: Sendable {
        /// It answers all requests, the last one first.
        case answer(Int)
        /// It lets so many seconds pass.
        case wait(Int)
    }

    var script: [Step] {
        switch self {
        case .retry, .retryAbove: [.answer(503), .wait(5), .answer(200)]
        case .hedge, .hedgeAbove: [.wait(1), .answer(200)]
        case .redirect: [.answer(307), .answer(200)]
        // The second answers the refresh.
        case .renewal: [.answer(401), .answer(200), .answer(200)]
        case .validation, .background: [.answer(304)]
        default: [.answer(200)]
        }
    }

    /// How old the stored answers are when the calls begin, in seconds; nil if there are none.
    var age: Int? { self == .validation || self == .background ? 20 : nil }

    var method: HTTPMethod { self == .redirect ? .post : .get }

    /// The headers of an answer to one user.
    func headers(for user: User) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "ETag": "\"1\"", "Set-Cookie": "session=\(user); Path=/", "Location": "/next",
        ]
        headers["Cache-Control"] =
            switch self {
            case .publicCache: "public, max-age=600"
            case .validation: "private, max-age=10"
            case .background: "private, max-age=10, stale-while-revalidate=600"
            default: "private, max-age=600"
            }
        return headers
    }

    /// The body of an answer.
    func text(for user: User, with credential: UserCredential) -> String {
        if self == .publicCache { return "for everyone" }
        return credential == .visitor ? "for a visitor" : "for \(user)"
    }
}

/// What the users of one table share.
struct SharedParts: Sendable {
    let cache: HTTPCache
    let coalescer = Coalescer<HTTPRequest, HTTPResponse>()
    let memo: Memo<HTTPRequest, HTTPResponse>
    let budget: RetryBudget
    private let scheduler: ManualScheduler

    init(_ part: SharingPart, on scheduler: ManualScheduler) {
        cache = HTTPCache(
            mode: part == .sharedCache || part == .publicCache ? .shared : .private,
            now: { Date(secondsSince1970: scheduler.now.offset.components.seconds) },
            on: scheduler)
        memo = Memo(timeToLive: .seconds(600), on: scheduler)
        budget = RetryBudget()
        self.scheduler = scheduler
    }

    /// Puts a part into a client: one above the credentials outside of all others, one beneath them innermost.
    func add(_ part: SharingPart, to client: inout HTTPClient) {
        client.retry = nil
        switch part {
        case .cache, .validation, .background, .sharedCache, .publicCache: client.cache = cache
        case .coalesce: addBeneath(.coalesceSafeRequests(sharing: coalescer), to: &client)
        case .memoize: addBeneath(.memoize(by: \.self, sharing: memo), to: &client)
        case .coalesceAbove: addAbove(.coalesceSafeRequests(), to: &client)
        case .memoizeAbove:
            addAbove(.memoize(sharing: Memo(timeToLive: .seconds(600), on: scheduler)), to: &client)
        case .retry:
            client.retry = Retry()
            client.retryBudget = budget
        case .retryAbove: addAbove(.retry(budget: budget, on: scheduler), to: &client)
        case .hedge: client.hedge = .perOrigin(Hedge(after: .seconds(1), maxExtraLoad: 1))
        case .hedgeAbove:
            addAbove(
                .hedge(sharing: Hedge(after: .seconds(1), maxExtraLoad: 1, on: scheduler)),
                to: &client)
        case .redirect, .renewal: break
        }
    }

    private func addAbove(
        _ part: Middleware<HTTPRequest, HTTPResponse>, to client: inout HTTPClient
    ) {
        let own = client.aroundCall.map { [$0.send, part] } ?? [part]
        client.aroundCall = .init(
            send: Middleware(stacking: own), stream: client.aroundCall?.stream ?? Middleware { $0 })
    }

    private func addBeneath(
        _ part: Middleware<HTTPRequest, HTTPResponse>, to client: inout HTTPClient
    ) {
        let own = client.aroundAttempt.map { [$0.send, part] } ?? [part]
        client.aroundAttempt = .init(
            send: Middleware(stacking: own),
            stream: client.aroundAttempt?.stream ?? Middleware { $0 })
    }
}
