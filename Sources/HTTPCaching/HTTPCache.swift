public import Futures
public import HTTPNetworking
import Services

/// The responses that `Middleware.cache(sharing:)` keeps, by the rules of RFC 9111 and RFC 5861.
///
/// ```swift
/// let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
/// let service = stack(.redirect(), .cache(sharing: cache), .retry(), over: transport.send)
/// ```
///
/// One cache may be shared by several stacks that reach the same origins alike. It may be used from any
/// thread.
public final class HTTPCache {
    /// The name in its events and errors; nil where it has none.
    public let name: String?

    /// Forgets everything, and does not store what calls under way bring.
    ///
    /// - Returns: A future that settles when it is done; with ``MemoryCacheStore`` that is at once.
    @discardableResult
    public func clear() -> Future<Void> {
        calls.withLock { $0.invalidateAll() }
        return store.removeAll()
    }

    /// Forgets all variants of one URL, and does not store what calls under way for it bring.
    ///
    /// - Returns: A future that settles when it is done; with ``MemoryCacheStore`` that is at once.
    @discardableResult
    public func remove(_ url: URL) -> Future<Void> {
        CacheKey(url).map(invalidate) ?? Future(value: ())
    }

    /// How often what has happened so far.
    public var statistics: Statistics { counts.withLock { $0 } }

    /// How much is stored.
    public func usage() -> Future<CacheUsage> { store.usage() }

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - store: Where the responses are kept.
    ///   - mode: Whom the cache serves.
    ///   - replaysCookies: Whether a stored response is returned with its Set-Cookie. It is left
    ///     out otherwise: the jar got it when it arrived, and returned later it would replace newer
    ///     cookies.
    ///   - statusName: What the cache calls itself in the field Cache-Status (RFC 9211), which it then adds
    ///     to every response; a token. With nil it adds none.
    ///   - coalescesMisses: Whether requests that ask the same, while nothing is stored, wait for the answer
    ///     to the first of them. Where that may not be given to another, each of the others is then sent.
    ///   - backgroundLimit: How long a revalidation in the background may take.
    ///   - now: The wall clock, which dates in headers are compared with.
    ///   - scheduler: The clock that durations are told by.
    public init(
        named name: String? = nil, in store: some CacheStore = MemoryCacheStore(),
        mode: Mode = .private, replaysCookies: Bool = false, statusName: String? = nil,
        coalescesMisses: Bool = true, backgroundLimit: Duration = .seconds(60),
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
    func moment() -> ClockReading { ClockReading(date: now(), instant: scheduler.now) }

    func count(_ what: any WritableKeyPath<Statistics, Int> & Sendable) {
        counts.withLock { $0[keyPath: what] += 1 }
    }

    /// Forgets what is stored for a key, and what is being fetched for it.
    ///
    /// The calls first: what one of them stores before the store's turn comes is removed by that.
    func invalidate(_ key: CacheKey) -> Future<Void> {
        calls.withLock { $0.invalidate(key) }
        return store.update(key) { $0 = [] }
    }

    /// Stores what a reply of the origin has brought, and ends its call.
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
    /// The kind of cache; nothing of what it holds.
    public var description: String { "HTTPCache(\(rules.mode))" }
}

extension HTTPCache: Sendable {}
