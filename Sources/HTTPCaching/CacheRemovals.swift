public import PledgeFutures
package import PledgeHTTPMessages
import PledgeServices

extension HTTPCache {
    /// Removes an account's responses, also from the disk.
    ///
    /// Calls in flight don't store their answers.
    ///
    /// ```swift
    /// try await cache.remove(account: "account 7").value
    /// ```
    ///
    /// An account is the text that you name it by, with `HTTPClient.account` or `.authorize(…, as:)`. The responses of a
    /// `TokenRefresher`'s sign-in that you haven't named, and those of a `CookieJar`, are removed when the user signs
    /// out. To remove the responses of other credentials, call ``clear()``. A shared cache doesn't know a response's
    /// account, so it removes nothing.
    ///
    /// Other processes that share the folder stop returning the removed responses. If the account still makes calls
    /// there, new answers are stored.
    ///
    /// The cache looks at all responses. For a folder, it reads each file as a whole, on another thread. A store that
    /// can't list its responses (``CacheStore/keys(where:)``) loses all of them instead. If the store fails, the cache
    /// tries again after a second, two, four, and so on up to a minute, and at each ``flush()``.
    ///
    /// - Parameter account: The account.
    /// - Returns: A future that settles when the responses are gone, from the disk too. It rejects with the store's
    ///   error, such as a `FileError`, if some may be left. Cancelling it doesn't stop the removal.
    @discardableResult
    public func remove(account: String) -> Future<Void> { removeUsers([user(ofAccount: account)]) }

    /// Removes the responses of all URLs below a URL, also from the disk.
    ///
    /// Calls in flight don't store their answers.
    ///
    /// ```swift
    /// cache.remove(under: URL(string: "https://api.example.com/orders")!)
    /// ```
    ///
    /// The example removes "/orders", "/orders?page=2" and "/orders/7", but not "/orders-old". Scheme, host and port must
    /// be the same. A query of `url` doesn't count, and neither does the header Host of the requests. Percent-encoded
    /// characters are compared as they are.
    ///
    /// - Parameter url: The URL.
    /// - Returns: A future that settles and rejects like ``remove(account:)``'s, whose remarks on costs and stores hold
    ///   here too. It settles at once if the URL isn't absolute, or neither http nor https.
    @discardableResult
    public func remove(under url: URL) -> Future<Void> {
        guard let place = CacheKey(url) else { return Future(value: ()) }
        invalidateCalls()
        return removing { self.removeSurely { key, _ in key.isUnder(place) } }
    }

    /// Removes the responses that can't be used any more, also from the disk.
    ///
    /// These are stale responses that the server can't confirm, because they have neither an ETag nor a Last-Modified.
    /// A response stays as long as its stale-while-revalidate or stale-if-error allows its use, or the cache's
    /// `staleIfUnreachable` if it has no stale-if-error. Without this method, such a response stays until the store
    /// needs its room, or until the URL has a new response. Only a request with a long max-stale or stale-if-error
    /// could still have used it.
    ///
    /// - Returns: A future that settles when the responses are gone, from the disk too. It rejects with the store's
    ///   error, such as a `FileError`, or because the store doesn't implement `keys(where:)`; then responses may be left.
    ///   Cancelling it doesn't stop the removal.
    @discardableResult
    public func removeExpired() -> Future<Void> {
        removing {
            let now = self.moment()
            return self.remove { _, entry in self.rules.isExpired(entry, at: now) }
        }
    }

    /// The URLs that have stored responses, sorted, each once.
    ///
    /// A URL's query may hold secrets, such as a token, and so may its user info. So don't log the URLs.
    ///
    /// - Returns: A future that rejects with the store's error, such as a `FileError`, or because the store doesn't implement
    ///   `keys(where:)`. A folder's files are read for this, each as a whole, on another thread.
    public var storedURLs: Future<[URL]> {
        store.keys { _, entries in !entries.isEmpty }.mapWithoutOrigin { keys in
            Set(keys.map(\.url)).sorted().compactMap { URL(string: $0) }
        }
    }
}

extension HTTPCache {
    /// The user that stands for an account in stored responses.
    func user(ofAccount name: String) -> Principal {
        rules.hashKey.map { .account(name, key: $0) } ?? .account(name)
    }

    /// Removes all responses of these users.
    func removeUsers(_ users: Set<Principal>) -> Future<Void> {
        invalidateCalls()
        return removing { self.removeSurely { _, entry in entry.variant.isOf(anyOf: users) } }
    }

    /// Removes responses, and tries again as long as the store fails.
    ///
    /// A store that can't list its responses loses all of them.
    private func removeSurely(where isIncluded: @escaping CacheRemovals.Condition) -> Future<Void> {
        remove(where: isIncluded).flatMapError { error in
            if error is CacheStoreListsNothing { return self.store.removeAll() }
            self.repeatSoon(isIncluded, after: .seconds(1), error)
            throw error
        }
    }

    /// Repeats a failed removal after a pause, unless ``flush()`` already has, or the cache is gone.
    private func repeatSoon(
        _ isIncluded: @escaping CacheRemovals.Condition, after pause: Duration, _ error: any Error
    ) {
        let number = removals.withLock { $0.add(isIncluded, error) }
        scheduler.schedule(after: pause) { [weak self] in
            guard let self, let failed = removals.withLock({ $0.takeFailed(number) }) else {
                return
            }
            remove(where: failed).observe { result in
                guard case .failure(let error) = result else { return }
                self.repeatSoon(failed, after: min(pause * 2, .seconds(60)), error)
            }
        }
    }

    /// Repeats all failed removals now; those that fail again are repeated later.
    func repeatRemovals() -> Future<Void> {
        let failed = removals.withLock { $0.takeAllFailed() }
        return Future.allSettled(failed.map { removeSurely(where: $0) }).map { results in
            for result in results { try result.get() }
        }
    }

    private func remove(
        where isIncluded: @escaping CacheRemovals.Condition
    ) -> Future<Void> {
        let store = store
        return store.keys { key, entries in entries.contains { isIncluded(key, $0) } }
            .flatMap { keys -> Future<Void> in
                if keys.isEmpty { return Future(value: ()) }
                let updates = keys.map { key in
                    store.update(key) { $0.removeAll { isIncluded(key, $0) } }
                }
                return Future.allSettled(updates).flatMap { results in
                    store.flush().mapWithoutOrigin { for result in results { try result.get() } }
                }
            }
    }

    /// Runs a removal to its end, even if its caller stops waiting.
    private func removing(_ removal: () -> Future<Void>) -> Future<Void> {
        let work = removal()
        if work.isSettled { return work }
        let number = removals.withLock { $0.start(work) }
        // The observer keeps the removal alive if its caller leaves.
        work.observe { _ in self.removals.withLockThenRelease { $0.endRemoval(number) } }
        return work.mapWithoutOrigin { $0 }
    }
}

extension HTTPCache: UserForgetting {
    /// Removes the responses of a sign-in that has ended, and of accounts that have signed out.
    package func forget(_ signIn: SignIn, accounts: Set<String>) {
        var users = Set(accounts.map(user))
        if !signIn.isOfNobody { users.insert(.signIn(signIn)) }
        // A shared cache doesn't know whose responses it has.
        guard rules.mode == .private, !users.isEmpty else { return }
        removeUsers(users).observe { result in
            if case .failure(let error) = result { self.noteStore(error) }
        }
    }

    /// Tells this cache, later, when the users of a request sign out.
    func expectEnd(ofUsersOf request: HTTPRequest) {
        guard rules.mode == .private else { return }
        let signIns = request.context.signIns
        signIns.cookies?.inform(self)
        guard let signIn = signIns.token else { return }
        var account: String?
        for credential in request.context.credentials where credential.header == "Authorization" {
            if case .account(let name) = credential.principal { account = name }
        }
        signIn.inform(self, account: account)
    }
}

/// The removals that aren't done yet.
struct CacheRemovals: Sendable {
    typealias Condition = @Sendable (CacheKey, CachedResponse) -> Bool

    private(set) var running: [Int: Future<Void>] = [:]
    /// The removals that have failed and will be repeated.
    private var failed: [Int: (condition: Condition, error: any Error)] = [:]
    private var last = 0

    /// The error of a removal that still has to be repeated, if there is one.
    var failure: (any Error)? { failed.values.first?.error }

    mutating func add(_ condition: @escaping Condition, _ error: any Error) -> Int {
        last += 1
        failed[last] = (condition, error)
        return last
    }

    mutating func takeFailed(_ number: Int) -> Condition? {
        failed.removeValue(forKey: number)?.condition
    }

    mutating func takeAllFailed() -> [Condition] {
        defer { failed = [:] }
        return failed.sorted { $0.key < $1.key }.map(\.value.condition)
    }

    mutating func start(_ removal: Future<Void>) -> Int {
        last += 1
        running[last] = removal
        return last
    }

    mutating func endRemoval(_ number: Int) -> Future<Void>? { running.removeValue(forKey: number) }
}

extension CacheVariant {
    /// Returns whether one of these users makes the requests.
    func isOf(anyOf users: Set<Principal>) -> Bool {
        partition?.members.contains { users.contains($0.principal) } ?? false
    }
}
