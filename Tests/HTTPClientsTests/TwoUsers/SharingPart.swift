import Pledge

/// A part that shares an answer, or sends a request again.
enum SharingPart: String, CaseIterable, Sendable {
    case cache, validation, background, sharedCache, publicCache
    case coalesce, coalesceAbove, memoise, memoiseAbove
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
            now: { HTTPDate(secondsSince1970: scheduler.now.offset.components.seconds) },
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
        case .coalesce: addBeneath(.coalesce(by: .safeRequest, sharing: coalescer), to: &client)
        case .memoise: addBeneath(.memoise(by: \.self, sharing: memo), to: &client)
        case .coalesceAbove: addAbove(.coalesce(by: .safeRequest), to: &client)
        case .memoiseAbove:
            addAbove(.memoise(timeToLive: .seconds(600), on: scheduler), to: &client)
        case .retry: client.retry = .init(budget: .sharing(budget))
        case .retryAbove: addAbove(.retry(sharing: budget, on: scheduler), to: &client)
        case .hedge: client.hedge = .init(after: .seconds(1), maxExtraLoad: 1)
        case .hedgeAbove:
            addAbove(
                .hedge(after: .seconds(1), maxExtraLoad: 1, on: scheduler), to: &client)
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
