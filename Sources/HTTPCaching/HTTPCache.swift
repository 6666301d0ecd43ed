public import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// Answers with stored responses, as far as HTTP's rules for caches allow.
    ///
    /// ```swift
    /// let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
    /// let service = stack(.redirect(), .cache(sharing: cache), .retry(), over: transport.send)
    /// ```
    ///
    /// It is a cache by RFC 9111, private by default, with stale-while-revalidate and
    /// stale-if-error of RFC 5861. Servers state by Cache-Control, Expires, ETag, Last-Modified and
    /// Vary which responses may be used for how long; a request states by its Cache-Control which it accepts.
    /// A conditional request confirms a stale response; equal requests that wait share it, as they share a
    /// request for which nothing is stored (``HTTPCache``'s `coalescesMisses`). An unsafe method invalidates
    /// the stored responses of its URL.
    ///
    /// **Users.** A private cache returns a response only to requests of the same partition as the original
    /// request: that of the credentials that `.authorize` has added (an account, or one sign-in, which
    /// outlasts its tokens), of the cookies' jar, or of equal values of Authorization, Cookie, and every other
    /// header that is not known to be harmless (``HTTPCache``'s `harmlessHeaders` names further ones). A response
    /// that was stored for a sign-in or a jar ends with it; the partition of an account that the app names
    /// does not end. A stored 401 answers only requests with the refused credentials, and never a request that
    /// `.authorize` repeats after a 401.
    ///
    /// **Place.** Beneath every part that changes requests, so that the cache sees what the server
    /// sees: redirects, cookies, authorization. A response from another URL than the requested one
    /// is not stored, nor is one to credentials that were added beneath the cache: a note says so.
    /// Above retries and the other parts, which an answer from the cache does not need.
    ///
    /// **Answers.** A stored response is returned on the caller's thread, with an Age, and with the
    /// stored status; as the same kind of error if an `.acceptStatus()` beneath had turned it into
    /// one. Failures are the service's own; a request with only-if-cached that cannot be answered
    /// gets a 504. Cancelling a call does not affect others that share its revalidation.
    ///
    /// **Events.** `hit` and `miss`, and notes: "stale", "revalidating", "confirmed", "rescued", and the
    /// reason why an answer to credentials beneath is not stored.
    ///
    /// - Parameter cache: The cache. Several stacks may share one, if all have an
    ///   `.acceptStatus()` on the same side of it.
    public static func cache(sharing cache: HTTPCache = HTTPCache()) -> Middleware {
        Middleware(named: "cache") { next in
            let layer = CacheLayer(cache, over: next)
            return { request in layer.call(request) }
        }
    }
}

extension Middleware where Input == Endpoint {
    /// Not available: an endpoint's data has no status and no headers, by which a cache decides.
    @available(
        *, unavailable,
        message:
            "a cache needs requests and responses: set client.cache, or write makeNetworking(over: stack(.cache(), over: send), base: server)"
    )
    public static func cache(sharing cache: HTTPCache = HTTPCache()) -> Middleware {
        fatalError("unavailable")
    }
}

/// The responses that `Middleware.cache(sharing:)` keeps, by the rules of RFC 9111 and RFC 5861.
///
/// ```swift
/// let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
/// let service = stack(.redirect(), .cache(sharing: cache), .retry(), over: transport.send)
/// ```
///
/// Several stacks that call the same origins in the same way may share a cache. It may be used from any
/// thread.
public final class HTTPCache: Sendable {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// Removes everything, and does not store the answers of calls under way.
    ///
    /// - Returns: A future that settles when it is done; with ``MemoryCacheStore`` that is at once.
    @discardableResult
    public func clear() -> Future<Void> {
        calls.withLock { $0.invalidateAll() }
        return store.removeAll()
    }

    /// Removes all variants of one URL, and does not store the answers of calls under way for it.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - host: The Host of its requests; nil if they set none.
    /// - Returns: A future that settles when it is done; with ``MemoryCacheStore`` that is at once.
    @discardableResult
    public func remove(_ url: URL, host: String? = nil) -> Future<Void> {
        CacheKey(url, host: host).map(invalidate) ?? Future(value: ())
    }

    /// The counters so far.
    public var statistics: Statistics { counts.withLock { $0 } }

    /// How much is stored.
    public func usage() -> Future<CacheUsage> { store.usage() }

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - store: The store of the responses.
    ///   - mode: The kind of the cache.
    ///   - replaysCookies: Whether a stored response is returned with its Set-Cookie. By default it is
    ///     removed: the jar got it when it arrived, and later it would replace newer cookies.
    ///   - statusName: The name of the cache in the field Cache-Status (RFC 9211), which it then adds
    ///     to every response; a token. With nil it adds none.
    ///   - coalescesMisses: Whether equal requests, while nothing is stored, wait for the answer to the first
    ///     of them. If that answer may not be shared, each of the others is then sent.
    ///   - names: Further request headers that separate no users, such as "X-Theme": with another value of any
    ///     other unknown header, a private cache asks the origin. Where the answer depends on one, the server's
    ///     Vary must name it. Authorization, Proxy-Authorization and Cookie always separate users.
    ///   - backgroundLimit: How long a revalidation in the background may take.
    ///   - now: The wall clock, for comparison with dates in headers.
    ///   - scheduler: The clock of durations. Responses also age while the device sleeps.
    public init(
        named name: String? = nil, in store: some CacheStore = MemoryCacheStore(),
        mode: Mode = .private, replaysCookies: Bool = false, statusName: String? = nil,
        coalescesMisses: Bool = true, harmlessHeaders names: [String] = [],
        backgroundLimit: Duration = .seconds(60),
        now: @escaping @Sendable () -> HTTPDate = { .now }, on scheduler: some Scheduler = .live
    ) {
        self.store = store
        self.name = name
        self.statusName = statusName.flatMap { HTTPHeaders.isToken($0) ? $0 : nil }
        group = Coalescer(named: name)
        misses = Coalescer(named: name)
        self.coalescesMisses = coalescesMisses
        self.backgroundLimit = backgroundLimit
        self.now = now
        self.scheduler = scheduler
        var rules = CacheRules(mode: mode)
        rules.replaysCookies = replaysCookies
        rules.harmlessHeaders = Set(names.map { $0.lowercased() })
        self.rules = rules
    }

    let store: any CacheStore
    let rules: CacheRules
    let statusName: String?
    let coalescesMisses: Bool
    let backgroundLimit: Duration
    let scheduler: any Scheduler
    let group: Coalescer<CacheValidation.Key, ForwardedAnswer>
    let misses: Coalescer<ForwardedMiss.Key, ForwardedAnswer>
    let calls = Locked(CallValidity<CacheKey>())
    /// The revalidations in the background: releasing one would give it up.
    let background = Locked<[CacheValidation.Key: Future<ForwardedAnswer>?]>([:])
    private let counts = Locked(Statistics())
    private let now: @Sendable () -> HTTPDate
}

extension HTTPCache {
    /// The kind of a cache: private or shared (RFC 9111, section 1.1).
    public enum Mode: String, CaseIterable, Sendable {
        /// A cache for one user: an app's own cache.
        ///
        /// It separates the users of a process nevertheless; see `Middleware.cache(sharing:)`.
        case `private`
        /// A cache for several users: that of a server which calls others for them.
        ///
        /// No private response is stored, and s-maxage and proxy-revalidate apply.
        case shared
    }
}

extension HTTPCache {
    /// The counters of a cache.
    public struct Statistics: Hashable, Sendable {
        /// Requests answered with a stored response, without waiting for the origin; stale ones included.
        public internal(set) var hits = 0
        /// The requests among them that were answered with a stale response.
        public internal(set) var staleHits = 0
        /// Requests for which the origin confirmed the stored response.
        public internal(set) var confirmations = 0
        /// Requests that the origin answered.
        public internal(set) var misses = 0
        /// Requests answered with a stale response because the origin failed.
        public internal(set) var rescues = 0
    }
}

extension HTTPCache {
    func moment() -> ClockReading { ClockReading(date: now(), instant: scheduler.continuousNow) }

    func count(_ what: any WritableKeyPath<Statistics, Int> & Sendable) {
        counts.withLock { $0[keyPath: what] += 1 }
    }

    /// Removes the stored responses of a key, and invalidates its calls under way.
    ///
    /// The calls first: a response that one of them stores before the store is changed is then removed.
    func invalidate(_ key: CacheKey) -> Future<Void> {
        calls.withLock { $0.invalidate(key) }
        return store.update(key) { $0 = [] }
    }

    /// Stores a reply of the origin, and ends its call.
    func receive(_ reply: OriginReply) {
        let key = reply.presented.key
        let change = rules.change(by: reply)
        if case .nothing = change {
            calls.withLock { _ = $0.end(key) }
            return
        }
        store.update(key) { entries in
            // Within the store's step, so that no invalidation comes in between.
            guard self.calls.withLock({ $0.isValid(reply.number, key) }) else { return }
            self.rules.apply(change, of: reply, to: &entries)
        }.observe { _ in self.calls.withLock { _ = $0.end(key) } }
    }
}

extension HTTPCache: CustomStringConvertible {
    /// The kind of cache, without its content.
    public var description: String { "HTTPCache(\(rules.mode))" }
}
