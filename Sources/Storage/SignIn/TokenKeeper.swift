public import PledgeFutures
public import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeServices

/// Keeps a token in a store that other processes may use too.
///
/// It refreshes under the store's lock, and never sends a refresh token that another process has used up. For that, it
/// loads the stored token before a refresh, after the server has refused one, and before a new token replaces the
/// stored one.
final class TokenKeeper: KeptToken {
    private struct State {
        /// The stored token, as this process last saw it.
        var known: AccessToken?
        var calls = ChangeQueue<Call>()
    }

    private typealias Call = @Sendable () -> @Sendable () -> Void

    private enum Look {
        case same
        /// Another process has stored this token, or has removed the token.
        case changed(AccessToken?)
    }

    /// How long a refresh waits before it tries the lock again.
    static let pause = Duration.milliseconds(50)

    private let state = Locked(State())
    private let store: any AccessTokenStore
    private let name: String?
    private let scheduler: any FutureScheduler
    private let onError: @Sendable (any Error) -> Void
    private let refresh: @Sendable (AccessToken) -> Future<AccessToken>

    init(
        _ store: any AccessTokenStore, named name: String?, on scheduler: any FutureScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        refresh: @escaping @Sendable (AccessToken) -> Future<AccessToken>
    ) {
        self.store = store
        self.name = name
        self.scheduler = scheduler
        self.onError = onError
        self.refresh = refresh
    }

    /// Loads the first token, on the caller's thread.
    func load() -> AccessToken? {
        do {
            let token = try store.load().map(Self.named)
            adopt(token)
            return token
        } catch {
            onError(error)
            return nil
        }
    }

    func adopt(_ token: AccessToken?) { state.withLock { $0.known = token } }

    /// Stores a token; nil removes it.
    func save(_ token: AccessToken?) {
        perform { [self] in
            do {
                try store.save(token)
                adopt(token)
            } catch {
                onError(error)
                // Even if the disk is full, the token of another sign-in must not stay.
                let isOther = token != nil && token?.signIn != state.withLock { $0.known?.signIn }
                if isOther, (try? store.save(nil)) != nil { adopt(nil) }
            }
            return {}
        }
    }

    func renew(
        _ token: AccessToken, latch: (any Error)?, under lock: RefreshLock
    ) -> Future<Renewal> {
        let known = state.withLock { $0.known }
        let renewal = { @Sendable [self] in
            takeLock(lock).flatMap { self.renew(token, since: known) }
        }
        guard let latch else { return renewal() }
        return look(for: token, since: known).flatMap { look in
            if case .same = look { return Future(error: latch) }
            return renewal()
        }
    }

    private func renew(_ token: AccessToken, since known: AccessToken?) -> Future<Renewal> {
        look(for: token, since: known).flatMap { look in
            guard case .changed(let found) = look else {
                return self.send(token, since: known)
            }
            guard let other = self.replacement(of: token, by: found) else {
                return Future(value: .found(found))
            }
            return self.send(other, since: found)
        }
    }

    /// Sends a refresh token, under the lock if there is one.
    ///
    /// - Parameter isLast: False if, after a refusal, another stored token may be tried.
    private func send(
        _ token: AccessToken, since known: AccessToken?, isLast: Bool = false
    ) -> Future<Renewal> {
        refresh(token).flatMapResult { result in
            switch result {
            case .success(var new):
                new.refreshToken = new.refreshToken ?? token.refreshToken
                let renewed = new
                return self.look(for: token, since: known).mapWithoutOrigin { look in
                    // The user may have signed out, or in as somebody else, in another process; the new token must not
                    // undo that.
                    if case .changed(let found) = look, found?.signIn != token.signIn {
                        return .found(found)
                    }
                    return .renewed(renewed)
                }
            case .failure(let error):
                guard error.isInvalidGrant else { return Future(error: error) }
                return self.look(for: token, since: known).flatMap { look in
                    guard case .changed(let found) = look else { return Future(error: error) }
                    guard let other = self.replacement(of: token, by: found), !isLast else {
                        return Future(value: .found(found))
                    }
                    return self.send(other, since: found, isLast: true)
                }
            }
        }
    }

    /// A stored token of the same sign-in that has expired, so that its refresh token is the one to send.
    private func replacement(of token: AccessToken, by found: AccessToken?) -> AccessToken? {
        guard let found, found.signIn == token.signIn, let lifetime = found.lifetime else {
            return nil
        }
        return lifetime <= .zero ? found : nil
    }

    /// Takes the store's lock; while another process holds it, tries again after a pause.
    private func takeLock(_ lock: RefreshLock, isFirst: Bool = true) -> Future<Void> {
        onStore { [self] () -> Bool in
            do {
                guard let held = try store.lockForRefresh() else { return false }
                lock.hold(held)
            } catch { onError(error) }
            return true
        }.flatMap { [self] isTaken -> Future<Void> in
            if isTaken { return Future(value: ()) }
            if isFirst {
                CallContext.current.report(
                    .note("waiting for another process's refresh"), by: Authorize.policy,
                    named: name)
            }
            return Future(value: ()).delay(Self.pause, on: scheduler)
                .flatMap { self.takeLock(lock, isFirst: false) }
        }
    }

    /// Loads the token, and compares it with the one last seen.
    ///
    /// - Parameter token: The refresh's token, which this process may just have stored.
    private func look(for token: AccessToken, since known: AccessToken?) -> Future<Look> {
        onStore { [self] in
            do {
                let found = try store.load().map(Self.named)
                let isSame = Self.isSame(found, known) || Self.isSame(found, token)
                return isSame ? .same : .changed(found)
            } catch {
                onError(error)
                return .same
            }
        }
    }

    /// Returns whether a loaded token is the known one; the store may keep only a part of it.
    private static func isSame(_ found: AccessToken?, _ known: AccessToken?) -> Bool {
        guard let found, let known else { return found == nil && known == nil }
        func mayBeEqual(_ left: String?, _ right: String?) -> Bool {
            left == nil || right == nil || left == right
        }
        return found.value == known.value && mayBeEqual(found.refreshToken, known.refreshToken)
    }

    /// Returns the token with a name for its sign-in, the same in all processes that load it.
    private static func named(_ token: AccessToken) -> AccessToken {
        guard token.signIn == nil else { return token }
        var token = token
        let secret = token.refreshToken ?? token.value
        token.signIn = String(
            SHA256.hash(Array("pledge sign-in \(secret)".utf8)).hexadecimal.prefix(32))
        return token
    }
}

extension TokenKeeper {
    /// Calls the store, in order with other calls; the future settles after this thread's last call.
    private func onStore<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) -> Future<Value> {
        Future.make { resolver in
            perform {
                let value = body()
                return { resolver.resolve(with: value) }
            }
        }
    }

    /// Calls the store, unless another thread is doing so; that thread then makes this call too.
    ///
    /// - Parameter call: Returns what to do after all calls.
    private func perform(_ call: @escaping Call) {
        let isFirst = state.withLock { state in
            state.calls.add(call)
            return state.calls.startTelling()
        }
        guard isFirst else { return }
        var next: [@Sendable () -> Void] = []
        while let call = state.withLock({ $0.calls.next() }) { next.append(call()) }
        for body in next { body() }
    }
}

extension TokenRefresher {
    /// Creates a refresher whose token is kept in a store: loaded now, and saved after each change.
    ///
    /// ```swift
    /// let refresher = TokenRefresher(storedIn: AccessTokenFile(file)) { token in
    ///     try await signIn.post("/token", form: ["refresh_token": token.refreshToken])
    /// }
    /// ```
    ///
    /// A request that waits for a refresh is sent after the new token is saved, unless another thread is saving an
    /// earlier change at that moment. A request that begins while a token is being saved may be sent with it already.
    ///
    /// If the store fails, the refresher works without it. If it can't save the token of a new sign-in, it removes the
    /// stored one, so that the next run doesn't continue the old sign-in. Otherwise, the next run continues the
    /// sign-in, and a cache in a folder finds the user's responses again.
    ///
    /// Several processes may share the store. The refresher loads the token again before each refresh, and once more if
    /// the refresh fails with `invalid_grant`. If another process has stored a token of the same sign-in, requests
    /// continue with it. If the user has signed out there, or somebody else has signed in, the same happens here:
    /// waiting requests fail with `HTTPError.Code.sessionEnded`. The refresher only notices this when it refreshes.
    ///
    /// - Parameters:
    ///   - store: The store. It's read on the caller's thread, which doesn't wait for the store's lock.
    ///   - name: The name in the refresher's events and errors; nil for none. It must hold no secrets.
    ///   - leeway: A request renews a token that expires within this time, but not in the first half of the token's
    ///     lifetime. Less than zero is a programming error and traps.
    ///   - timeout: How long a refresh may take, with the wait for another process's refresh. Zero or less is a
    ///     programming error and traps.
    ///   - grace: How long after a refresh a 401 doesn't count against the new token. Less than zero is a programming
    ///     error and traps.
    ///   - scheduler: The clock.
    ///   - onStoreError: Called with each error of the store.
    ///   - refresh: Gets a new token for an old one.
    public convenience init(
        storedIn store: some AccessTokenStore, named name: String? = nil,
        leeway: Duration = .seconds(60), timeout: Duration = .seconds(30),
        grace: Duration = .seconds(10), on scheduler: some FutureScheduler = .live,
        onStoreError: @escaping @Sendable (any Error) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) -> Future<AccessToken>
    ) {
        let keeper = TokenKeeper(
            store, named: name, on: scheduler, onError: onStoreError, refresh: refresh)
        self.init(
            keeper.load(), named: name, leeway: leeway, timeout: timeout, grace: grace,
            on: scheduler, keeper: keeper, onChange: keeper.save, refresh: refresh)
    }

    /// Creates a refresher with a store, whose refresh is an async closure; see the other initializer.
    @_disfavoredOverload
    public convenience init(
        storedIn store: some AccessTokenStore, named name: String? = nil,
        leeway: Duration = .seconds(60), timeout: Duration = .seconds(30),
        grace: Duration = .seconds(10), on scheduler: some FutureScheduler = .live,
        onStoreError: @escaping @Sendable (any Error) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) async throws -> AccessToken
    ) {
        self.init(
            storedIn: store, named: name, leeway: leeway, timeout: timeout, grace: grace,
            on: scheduler, onStoreError: onStoreError, refresh: asFuture(refresh))
    }
}
