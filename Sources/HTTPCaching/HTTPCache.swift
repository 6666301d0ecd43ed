public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// Answers with stored responses, as far as HTTP's rules for caches allow.
    ///
    /// ```swift
    /// let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
    /// let service = stack(.redirect(), .cache(sharing: cache), .retry(), over: transport.send)
    /// ```
    ///
    /// The cache follows RFC 9111. It is private by default, and supports stale-while-revalidate and stale-if-error
    /// (RFC 5861). The server's Cache-Control, Expires, ETag, Last-Modified and Vary say which responses may be used
    /// and for how long. A request's Cache-Control says which of these responses the request accepts.
    ///
    /// To confirm a stale response, the cache sends a conditional request to the origin. Equal requests that wait for
    /// the confirmation share it. Equal requests without a stored response share one request to the origin
    /// (``HTTPCache``'s `coalescesMisses`). A request with an unsafe method invalidates the stored responses of its
    /// URL.
    ///
    /// **Users.** A private cache returns a stored response only to requests that have the same users as the original
    /// request. The following identify a user:
    ///
    /// - the credentials that `.authorize` adds: they stand for an account, or for one sign-in with all its tokens
    /// - the cookie jar
    /// - the value of Authorization, Cookie, or any other header that isn't known to be harmless (``HTTPCache``'s
    ///   `harmlessHeaders` adds harmless ones)
    ///
    /// A response stored for a sign-in is removed when the sign-in ends, and a response stored for a cookie jar is
    /// removed when the jar is emptied. A response stored for an account that the app names is removed when the user
    /// signs out, and stays usable when a user signs in. A stored 401 answers only requests with the refused credentials, and never a request that
    /// `.authorize` repeats after a 401.
    ///
    /// **Place.** Put the cache below every part that changes requests, such as redirects, cookies and authorization,
    /// so that it sees what the server sees. Put it above retries and other parts that a stored answer doesn't need.
    /// The cache doesn't store a response from another URL than the requested one. If a layer below the cache adds
    /// credentials to a request, the cache doesn't store the answer, and reports a note.
    ///
    /// **Answers.** A stored response is returned on the caller's thread, with an Age and the stored status. If an
    /// `.acceptStatus()` below the cache had turned the response into an error, the stored response is returned as the
    /// same kind of error. All other errors come from the service below the cache. A request with only-if-cached that
    /// the cache can't answer gets a 504. Cancelling a call doesn't affect other calls that share its revalidation.
    ///
    /// **Time.** If a stale response can stand in for a failure, the cache returns it at the call's deadline, or as soon
    /// as an attempt of a retry below the cache has exceeded its time limit. The revalidation then goes on in the
    /// background.
    ///
    /// **Events.** `hit`, `miss`, and the notes "stale", "revalidating", "confirmed", "rescued" and "rescued: the
    /// origin can't be reached". Two further notes say that an answer isn't stored: because credentials were added
    /// below the cache, or because the store failed.
    ///
    /// - Parameter cache: The cache. Several stacks may share it if their `.acceptStatus()` is above the cache in all
    ///   of them, or below it in all.
    public static func cache(sharing cache: HTTPCache = HTTPCache()) -> Middleware {
        Middleware(named: "cache") { next in
            let layer = CacheLayer(cache, over: next)
            return { request in layer.call(request) }
        }
    }
}

extension Middleware where Input == Endpoint {
    /// Not available: an endpoint's data lacks the status and headers that a cache needs.
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
/// Several stacks may share a cache if they call the same origins in the same way. You can use it from any thread.
public final class HTTPCache: Sendable {
    /// The name in the cache's events and errors; nil if it has none.
    package let name: String?

    /// Removes all responses; the calls in flight then don't store their answers.
    ///
    /// - Returns: A future that settles when the responses are removed. With ``MemoryCacheStore``, it settles at once.
    @discardableResult
    public func clear() -> Future<Void> {
        invalidateCalls()
        return store.removeAll()
    }

    /// Removes all variants of one URL; the calls in flight for the URL then don't store their answers.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - host: The header Host of the requests; nil if they don't set one.
    /// - Returns: A future that settles when no new call gets the responses any more. With ``MemoryCacheStore``, it
    ///   settles at once. To remove them from a disk too, wait for ``flush()``. A call that asked the origin before may
    ///   still get a removed response in place of a failure.
    @discardableResult
    public func remove(_ url: URL, host: String? = nil) -> Future<Void> {
        CacheKey(url, host: host).map(invalidate) ?? Future(value: ())
    }

    /// The counters so far.
    public var statistics: Statistics { counts.withLock { $0 } }

    /// Returns how much is stored.
    public func usage() -> Future<CacheUsage> { store.usage() }

    /// Waits until all responses so far are safely stored, even if the process or the system then ends, and until all
    /// removals so far are done.
    ///
    /// Responses are returned before they are written, so a command-line tool calls this before it exits.
    ///
    /// ```swift
    /// try await cache.flush().value
    /// ```
    ///
    /// - Returns: A future that settles when the store has written all. It rejects with the store's error, such as a
    ///   `FileError` of a full disk. With ``MemoryCacheStore``, it settles at once.
    public func flush() -> Future<Void> {
        var running = removals.withLock { Array($0.running.values) }
        if removals.withLock({ $0.failure }) != nil { running.append(repeatRemovals()) }
        if running.isEmpty { return store.flush() }
        return Future.allSettled(running).flatMap { results in
            self.store.flush().mapWithoutOrigin { for result in results { try result.get() } }
        }
    }

    /// The store's current error; nil if it works.
    ///
    /// While a store fails, or doesn't answer in time, requests go to the origin. A folder that can't be written has an
    /// error until a later try succeeds; meanwhile its responses are kept in memory. The error also stays while a
    /// failed removal has yet to be repeated. The first call that finds an error reports the note "the store failed:
    /// going on without it".
    ///
    /// If the store didn't answer in time, it's a `ServiceError` with the code `timedOut`; a folder's error is a
    /// `FileError`.
    public var storeError: (any Error)? {
        let error = files.map { $0.failure } ?? failure.withLock { $0.error }
        return error ?? removals.withLock { $0.failure }
    }

    /// Creates a cache.
    ///
    /// To keep the responses across runs of the process, import `PledgeStorage` and write `HTTPCache(folder:)`.
    ///
    /// - Parameters:
    ///   - name: The name in the cache's events and errors; nil for none. It must hold no secrets.
    ///   - store: The store of the responses.
    ///   - mode: The kind of cache.
    ///   - replaysCookies: If true, a stored response is returned with its Set-Cookie. By default, the header is
    ///     removed. In both cases, the jar got the cookie when the response arrived, and doesn't get it again, because
    ///     it might overwrite a newer one.
    ///   - statusName: The cache's name in the field Cache-Status (RFC 9211), a token. The cache then adds the field to
    ///     every response. With nil, the cache adds no such field.
    ///   - coalescesMisses: If true, equal requests without a stored response wait for the answer to the first of them.
    ///     If that answer must not be shared, the other requests are then sent.
    ///   - names: Further request headers that don't separate users, such as "X-Theme". By default, a private cache
    ///     asks the origin when the value of an unknown header differs. If the answer depends on one of these headers,
    ///     the server's Vary must name it. Authorization, Proxy-Authorization and Cookie always separate users.
    ///   - partitionKey: A secret of at least 16 random bytes that all processes that share the store have. With it,
    ///     the responses to requests with credentials, cookies or an account are found by all of them. With nil, only
    ///     the process that stored such a response finds it, except for an account's.
    ///   - staleIfUnreachable: How long a stale response may still answer for an origin that can't be reached (RFC
    ///     9111, section 4.2.4), in whole seconds; nil for never. It doesn't count if the response or the request has a
    ///     stale-if-error, or if the response must not be used stale. A longer limit keeps more responses, even those
    ///     that are stale at once and have no validator.
    ///   - defaultLifetime: How long a response is fresh if its headers have neither a lifetime nor a Last-Modified, in
    ///     whole seconds; nil or less than a second for not at all. It counts for the statuses whose lifetime a cache
    ///     may choose (RFC 9110, section 15.1), such as 200, 301, 404 and 410, and for responses with `Cache-Control:
    ///     public`.
    ///   - backgroundLimit: How long a revalidation in the background may take.
    ///   - storeTimeLimit: The longest wait of a call for the store. Then the call goes on without the cache, and for a
    ///     second no other call asks the store. Zero or less is a programming error and traps.
    ///   - now: The wall clock, which is compared with the dates in headers.
    ///   - scheduler: The clock for durations. Responses also age while the device sleeps.
    public init(
        named name: String? = nil, in store: some CacheStore = MemoryCacheStore(),
        mode: Mode = .private, replaysCookies: Bool = false, statusName: String? = nil,
        coalescesMisses: Bool = true, harmlessHeaders names: [String] = [],
        partitionKey: Data? = nil, staleIfUnreachable: Duration? = nil,
        defaultLifetime: Duration? = nil, backgroundLimit: Duration = .seconds(60),
        storeTimeLimit: Duration = .milliseconds(500),
        now: @escaping @Sendable () -> Date = { .now },
        on scheduler: some FutureScheduler = .live
    ) {
        precondition(
            storeTimeLimit > .zero,
            "a cache needs a storeTimeLimit of more than zero, not \(storeTimeLimit)")
        self.store = store
        self.name = name
        self.statusName = statusName.flatMap { HTTPHeaders.isToken($0) ? $0 : nil }
        group = Coalescer(named: name)
        misses = Coalescer(named: name)
        self.coalescesMisses = coalescesMisses
        self.backgroundLimit = backgroundLimit
        self.storeTimeLimit = storeTimeLimit
        self.now = now
        self.scheduler = scheduler
        var rules = CacheRules(mode: mode)
        rules.replaysCookies = replaysCookies
        rules.harmlessHeaders = Set(names.map { $0.lowercased() })
        rules.unreachableLimit = staleIfUnreachable?.components.seconds ?? 0
        rules.defaultLifetime = max(0, defaultLifetime?.components.seconds ?? 0)
        let files = store as? any LastingCacheStore
        rules.partitionKey = partitionKey.map(Array.init)
        if let files, partitionKey == nil { rules.folderKey = { files.key } }
        self.files = files
        self.rules = rules
        // All caches over a store share what invalidates their calls.
        turns = files?.turns ?? Locked(CacheTurns())
        turnWaits = Coalescer(named: name)
        calls = files?.calls ?? (store as? MemoryCacheStore)?.calls ?? Locked(CallValidity())
        StandIns.expectCaches()
        // A process that has no file descriptor left can't start its first timer: libdispatch ends the process.
        if scheduler is LiveScheduler, !(store is MemoryCacheStore) {
            scheduler.schedule(after: .zero) {}
        }
    }

    let store: any CacheStore
    /// The store, if its responses outlive the process.
    let files: (any LastingCacheStore)?
    let rules: CacheRules
    let statusName: String?
    let coalescesMisses: Bool
    let backgroundLimit: Duration
    let storeTimeLimit: Duration
    let scheduler: any FutureScheduler
    let group: Coalescer<CacheValidation.Key, ForwardedAnswer>
    let misses: Coalescer<ForwardedMiss.Key, ForwardedAnswer>
    let calls: Locked<CallValidity<CacheKey>>
    let turns: Locked<CacheTurns>
    let turnWaits: Coalescer<String, CacheTurn?>
    private let failure = Locked(StoreFailure())

    /// What is known to be wrong with the store.
    private struct StoreFailure {
        var error: (any Error)?
        /// When to ask a store again that didn't answer in time; nil if it did.
        var pause: SchedulerInstant?
    }

    /// The stand-ins that the retries of running validations use.
    let attempts = Locked<[CacheValidation.Key: StandIns]>([:])
    /// The background validations; releasing one would cancel it.
    let background = Locked<[CacheValidation.Key: Future<ForwardedAnswer>?]>([:])
    let removals = Locked(CacheRemovals())
    private let counts = Locked(Statistics())
    private let now: @Sendable () -> Date
}

extension HTTPCache {
    /// The kinds of cache (RFC 9111, section 1.1).
    public enum Mode: String, CaseIterable, Sendable {
        /// A cache for one user, such as an app's own cache.
        ///
        /// It still separates the users within a process; see `Middleware.cache(sharing:)`.
        case `private`
        /// A cache for several users, such as a server's cache for the calls that it makes on their behalf.
        ///
        /// It stores no private response, and obeys s-maxage and proxy-revalidate.
        case shared
    }
}

extension HTTPCache {
    /// The counters of a cache.
    public struct Statistics: Hashable, Sendable {
        /// Requests answered with a stored response, stale or not, without waiting for the origin.
        public internal(set) var hits = 0
        /// The hits that were answered with a stale response.
        public internal(set) var staleHits = 0
        /// Requests answered with a stored response that the origin confirmed.
        public internal(set) var confirmations = 0
        /// Requests that the cache forwarded without using a stored response.
        ///
        /// A forwarded HEAD or conditional request that is then rescued counts here and in ``rescues``.
        public internal(set) var misses = 0
        /// Requests answered with a stored response because the origin failed or couldn't be reached.
        public internal(set) var rescues = 0
    }
}

extension HTTPCache {
    func moment() -> ClockReading {
        ClockReading(date: now().inWholeSeconds, instant: scheduler.continuousNow)
    }

    func count(_ what: any WritableKeyPath<Statistics, Int> & Sendable) {
        counts.withLock { $0[keyPath: what] += 1 }
    }

    /// Records that the store has answered; a folder may still fail to write.
    func noteAnswer() {
        let error = files?.failure
        let isNews = failure.withLock {
            $0.pause = nil
            return error != nil || $0.error != nil
        }
        if isNews { noteStore(error) }
    }

    /// Asks the store for a key's responses, until the time limit.
    ///
    /// - Returns: A future that fails with a `ServiceError` if the store doesn't answer in time. Then further calls
    ///   fail at once, except one per second, until the store answers.
    func find(_ key: CacheKey) -> Future<[CachedResponse]> {
        let known = failure.withLock { failure -> (any Error)? in
            guard let pause = failure.pause, let error = failure.error else { return nil }
            let now = scheduler.now
            if now < pause { return error }
            failure.pause = now.advanced(by: .seconds(1))
            return nil
        }
        if let known { return Future(error: known) }
        let found = store.responses(for: key)
        if found.isSettled { return found }
        let (name, limit) = (name, storeTimeLimit)
        return found.timeout(limit, on: scheduler) { [failure, scheduler] in
            let error = ServiceError(
                .timedOut, policy: CacheLayer.policy, policyName: name, limit: limit)
            failure.withLock { $0.pause = scheduler.now.advanced(by: .seconds(1)) }
            return error
        }
    }

    var isFailing: Bool { failure.withLock { $0.error != nil } }

    /// True if the store didn't answer in time; until it does, nothing is stored.
    private var isHanging: Bool { failure.withLock { $0.pause != nil } }

    /// Records whether the store's operation succeeded; reports the first failure to the call's observers.
    func noteStore(_ error: (any Error)?, in context: CallContext = .current) {
        let isNew = failure.withLock { known in
            defer { known.error = error }
            return known.error == nil && error != nil
        }
        guard isNew else { return }
        context.report(
            .note("the store failed: going on without it"), by: CacheLayer.policy, named: name)
    }

    /// Invalidates all calls in flight, and stops waiting for what other processes are asking for now.
    func invalidateCalls() {
        calls.withLock { $0.invalidateAll() }
        turns.withLock { $0.pauseAll(at: scheduler.now) }
    }

    /// Removes a key's responses, and invalidates its calls in flight.
    ///
    /// The calls come first: otherwise one could store its response between the two steps.
    func invalidate(_ key: CacheKey) -> Future<Void> {
        calls.withLock { $0.invalidate(key) }
        turns.withLock { $0.noteRemoval(of: key, at: scheduler.now) }
        return store.update(key) { $0 = [] }
    }

    func receive(_ reply: OriginReply, in context: CallContext) {
        let key = reply.presented.key
        let change = rules.change(by: reply)
        var isNothing = isHanging
        if case .nothing = change { isNothing = true }
        if isNothing {
            calls.withLock { _ = $0.endCall(key) }
            return
        }
        store.update(key) { entries in
            // Checked within the store's step, so that no invalidation can come between the check and the change.
            guard self.calls.withLock({ $0.isValid(reply.number, key) }) else { return }
            self.rules.apply(change, of: reply, to: &entries)
        }.observe { result in
            self.calls.withLock { _ = $0.endCall(key) }
            if case .failure(let error) = result { self.noteStore(error, in: context) }
        }
    }
}

extension HTTPCache: CustomStringConvertible {
    /// The kind of cache, without its content.
    public var description: String { "HTTPCache(\(rules.mode))" }
}
