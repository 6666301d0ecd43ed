public import PledgeFutures
import PledgeHTTPMessages
public import PledgeServices

/// Holds the token of the signed-in user, and gets the next token.
///
/// ```swift
/// let refresher = TokenRefresher(stored) { token in
///     send(.refreshing(token)).map { try JSONDecoder().decode(AccessToken.self, from: $0.body) }
/// }
/// let api = stack(.authorize(.bearer(from: refresher), for: .origins(of: server)), over: send)
/// ```
///
/// Create one for each session with a server, and share it among all stacks that use the session. You can use it from
/// any thread. Each use takes a lock for constant time, and doesn't call the app's code within it.
///
/// **One refresh** at most is in flight. A request starts it if the token has been refused, has expired, or is about to
/// expire; ``refresh()`` starts it too. If the token has been refused or has expired, requests wait for the refresh. If
/// the token is only about to expire, requests are sent with it during the refresh, except requests whose body can be
/// sent only once: they wait. Waiting requests continue in order of arrival, on the thread that ends the refresh.
///
/// **A refresh runs to its end**, even if all its waiters are cancelled. The server may already have replaced the
/// refresh token, and the answer is the only copy of the next one. Only the refresh's timeout ends it early.
///
/// **If a refresh fails**, all waiting requests fail with the refresh's error as the cause, except requests that can
/// still use the old token. The next request that needs a new token starts another refresh. If a refresh fails with
/// `invalid_grant` (``InvalidGrant``), no request starts another one until a user signs in. A request that needs a new
/// token then fails at once with `HTTPError.Code.signInNeeded`, and observers get one note. A refresher with a store
/// looks there first, because a user may have signed in in another process.
///
/// **The refresh's own calls** aren't authorized and don't wait for the refresh, even if they go through the same
/// stack. The refresher recognises them by the `CallContext`, which is the same in the closure, in a `Task` begun
/// there, and below all policies. But the callback of a future has another context. If you make a call from a callback,
/// make it within `CallContext.run(_:)`, or set its request's `HTTPRequest.Context.skipsAuthorization`.
public final class TokenRefresher: Sendable {
    typealias Machine = TokenMachine<InternalPromise<TokenGrant>>

    private struct State {
        var machine: Machine
        var changes = ChangeQueue<Change>()
        var priority: JoinedPriority?
        /// The highest priority of the tasks that wait for the latest refresh.
        var raised: TaskPriority?
        /// The refresh in flight, once its future is known.
        var refreshing: (number: Int, future: FutureNode)?
    }

    private struct Change {
        let token: AccessToken?
        /// True if the store already has the token.
        let isFound: Bool
        /// The lock under which the token was refreshed.
        let lock: RefreshLock?
    }

    /// The name in the refresher's events and errors; nil if it has none.
    package let name: String?

    private let state: Locked<State>
    private let timeout: Duration
    let scheduler: any FutureScheduler
    /// Nil if no store keeps the token.
    private let keeper: (any KeptToken)?
    private let onChange: @Sendable (AccessToken?) -> Void
    private let renew: @Sendable (AccessToken) -> Future<AccessToken>

    /// Creates a refresher.
    ///
    /// - Parameters:
    ///   - token: The current token; nil if no user is signed in. Requests are then sent without a token, and a 401 is
    ///     returned.
    ///   - name: The name in the refresher's events and errors; nil for none. It must hold no secrets.
    ///   - leeway: A request renews a token that expires within this time, but not in the first half of the token's
    ///     lifetime. Less than zero is a programming error and traps.
    ///   - timeout: How long a refresh may take. Zero or less is a programming error and traps.
    ///   - grace: How long after a refresh a 401 doesn't count against the new token. During this time, a 401 is
    ///     returned without a refresh, because a server that refuses a new token forbids the request. Less than zero is
    ///     a programming error and traps.
    ///   - scheduler: The clock. A token also ages while the device sleeps, but the timeout doesn't run then.
    ///   - onChange: Called with each new token, and with nil after a sign-out. Calls are in the order of the changes,
    ///     one at a time, with no lock held. Store the token here. Waiting requests continue after `onChange` has
    ///     returned; but if another thread is already running it, they don't wait for that thread.
    ///   - refresh: Gets a new token for an old one. It's called in the context of the request that starts the refresh,
    ///     but without that request's deadline. If the new token has no refresh token, it gets the old token's.
    public convenience init(
        _ token: AccessToken? = nil, named name: String? = nil, leeway: Duration = .seconds(60),
        timeout: Duration = .seconds(30), grace: Duration = .seconds(10),
        on scheduler: some FutureScheduler = .live,
        onChange: @escaping @Sendable (AccessToken?) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) -> Future<AccessToken>
    ) {
        self.init(
            token, named: name, leeway: leeway, timeout: timeout, grace: grace, on: scheduler,
            keeper: nil, onChange: onChange, refresh: refresh)
    }

    package init(
        _ token: AccessToken?, named name: String?, leeway: Duration, timeout: Duration,
        grace: Duration, on scheduler: some FutureScheduler, keeper: (any KeptToken)?,
        onChange: @escaping @Sendable (AccessToken?) -> Void,
        refresh: @escaping @Sendable (AccessToken) -> Future<AccessToken>
    ) {
        precondition(leeway >= .zero, "a leeway is zero or more, not \(leeway)")
        precondition(timeout > .zero, "a refresh needs more time than \(timeout)")
        precondition(grace >= .zero, "a grace is zero or more, not \(grace)")
        state = Locked(
            State(
                machine: Machine(
                    token, leeway: leeway, grace: grace, isShared: keeper != nil,
                    at: scheduler.continuousNow)))
        self.name = name
        self.timeout = timeout
        self.scheduler = scheduler
        self.keeper = keeper
        self.onChange = onChange
        renew = refresh
    }

    /// Creates a refresher whose refresh is an async closure; see the other initializer.
    ///
    /// ```swift
    /// let refresher = TokenRefresher(stored) { token in
    ///     try await signIn.post("/token", form: ["refresh_token": token.refreshToken])
    /// }
    /// ```
    @_disfavoredOverload
    public convenience init(
        _ token: AccessToken? = nil, named name: String? = nil, leeway: Duration = .seconds(60),
        timeout: Duration = .seconds(30), grace: Duration = .seconds(10),
        on scheduler: some FutureScheduler = .live,
        onChange: @escaping @Sendable (AccessToken?) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) async throws -> AccessToken
    ) {
        self.init(
            token, named: name, leeway: leeway, timeout: timeout, grace: grace, on: scheduler,
            onChange: onChange, refresh: asFuture(refresh))
    }

    /// The current token; nil if no user is signed in.
    public var token: AccessToken? { state.withLock { $0.machine.token } }

    /// Begins a session with a token.
    ///
    /// Requests of the previous session aren't sent again for the new one. If such a request gets a 401, the 401 is
    /// returned; if it's waiting, it fails with `HTTPError.Code.sessionEnded`. A refresh in flight runs to its end, and
    /// its token is discarded.
    public func signIn(with token: AccessToken) { startSession(with: token) }

    /// Ends the session.
    ///
    /// Caches remove the responses that they have stored for the session, and those of the account that it was named
    /// for, from the disk too. The guide "Caching" says which caches do so. `HTTPCache.flush()` waits for it.
    ///
    /// The requests of the session end as described at ``signIn(with:)``. The server isn't notified. If it has to know,
    /// revoke ``token`` there first.
    public func signOut() { startSession(with: nil) }

    /// Gets a new token now, or joins the refresh in flight.
    ///
    /// - Returns: A future of the new token. It rejects with an `HTTPError`. If the refresh fails, the code is
    ///   `HTTPError.Code.tokenRefreshFailed` or `HTTPError.Code.signInNeeded`, and the error has the cause. If no user
    ///   is signed in or the session ends meanwhile, the code is `HTTPError.Code.sessionEnded`. If you call this method
    ///   within a refresh, the future rejects at once. Cancelling the future doesn't cancel the refresh.
    public func refresh() -> Future<AccessToken> {
        guard !CallContext.current.isWithin(self) else {
            return Future(error: HTTPError(code: .tokenRefreshFailed, cause: RefreshWithinItself()))
        }
        switch follow({ $0.renew($1) }) {
        case .wait(let grant):
            return grant.mapWithoutOrigin(\.token).mapError { HTTPError(refreshing: $0) }
        case .fail(let error): return Future(error: HTTPError(refreshing: error))
        case .send, .sendBare, .giveBack:
            return Future(error: HTTPError(code: .sessionEnded))
        }
    }
}

extension TokenRefresher {
    /// Tells a cache, later, when the user signs out or another signs in.
    func inform(_ cache: any UserForgetting, account: String?) {
        state.withLock { $0.machine.signIn.inform(cache, account: account) }
    }
}

extension TokenRefresher {
    /// The error of a refresh whose refresh token is no longer valid.
    ///
    /// An `HTTPError` whose response has the status 400 or 401 and the JSON `{"error":"invalid_grant"}` (RFC 6749,
    /// section 5.2) means the same. Throw this error if your server reports it differently.
    public struct InvalidGrant: Error {
        /// Creates the error.
        public init() {}
    }
}

extension TokenRefresher.InvalidGrant: CodedError {
    /// The error's name in RFC 6749.
    public var loggedCode: String { "invalid_grant" }
}

extension TokenRefresher {
    /// What to do with a request; see the cases of the machine's `Decision`.
    enum Decision {
        case send(TokenGrant)
        case sendBare(SignIn)
        case wait(Future<TokenGrant>)
        case giveBack
        case fail(any Error)
    }

    func ask(sendsOnce: Bool) -> Decision {
        let now = scheduler.continuousNow
        return follow { $0.ask(sendsOnce: sendsOnce, at: now, $1) }
    }

    /// Handles a 401 to a request that can be sent again.
    func refused(_ grant: TokenGrant) -> Decision {
        let now = scheduler.continuousNow
        return follow { $0.refused(grant, at: now, $1) }
    }

    /// Handles a 401 to a request that can't be sent again.
    func reject(_ grant: TokenGrant) {
        let now = scheduler.continuousNow
        state.withLock { $0.machine.reject(grant, at: now) }
    }

    /// Follows the machine's decision, and begins a refresh if the machine asks for one.
    ///
    /// - Parameter ask: Asks the machine, with a promise for a request that has to wait.
    private func follow(
        _ ask: (inout Machine, InternalPromise<TokenGrant>) -> (
            decision: Machine.Decision, refresh: Machine.Refresh?
        )
    ) -> Decision {
        let (context, promise) = (CallContext.current, InternalPromise<TokenGrant>())
        let (step, priority) = state.withLock { state in
            let step = ask(&state.machine, promise)
            if step.refresh != nil { (state.priority, state.raised) = (.make(in: context), nil) }
            return (step, state.priority)
        }
        if let refresh = step.refresh { start(refresh, in: context.with(joinedPriority: priority)) }
        switch step.decision {
        case .send(let grant): return .send(grant)
        case .sendBare(let signIn): return .sendBare(signIn)
        case .giveBack: return .giveBack
        case .fail(let error): return .fail(error)
        case .wait(let number):
            promise.onCancel {
                self.state.withLockThenRelease { $0.machine.leave(number) }
            } raising: { priority in
                self.state.withLock { state in
                    state.raised = max(state.raised ?? priority, priority)
                    return state.refreshing.map { [$0.future] } ?? []
                }
            }
            priority?.raise(to: context.priority)
            return .wait(promise.raising(priority, in: context))
        }
    }

    /// Calls the app's refresh, and keeps this object alive until it ends.
    private func start(_ refresh: Machine.Refresh, in context: CallContext) {
        let context = context.with(deadline: nil).with(attempt: 1).with(record: nil).within(self)
        if refresh.latch == nil {
            context.report(.note("refreshing the token"), by: Authorize.policy, named: name)
        }
        let lock = keeper.map { _ in RefreshLock() }
        let future = context.run { () -> Future<Renewal> in
            guard let keeper, let lock else {
                return renew(refresh.token).mapWithoutOrigin(Renewal.renewed)
            }
            return keeper.renew(refresh.token, latch: refresh.latch, under: lock)
        }.timeout(timeout, on: scheduler)
        let raised = state.withLock { state in
            state.refreshing = (refresh.number, future)
            return state.raised
        }
        if let raised { future.raise(to: raised) }
        future.observe { result in
            self.endRefresh(refresh.number, with: result, under: lock, in: context)
        }
    }

    private func endRefresh(
        _ refresh: Int, with result: Result<Renewal, any Error>, under lock: RefreshLock?,
        in context: CallContext
    ) {
        let now = scheduler.continuousNow
        state.withLockThenRelease { state in
            state.refreshing?.number == refresh ? state.refreshing.take() : nil
        }
        // What continues from here isn't part of the refresh, even if it runs on its task.
        CallContext().run {
            settle(tellingIn: context, under: lock) { machine in
                switch result {
                case .success(.renewed(let token)):
                    machine.endRefresh(refresh, with: .success(token), at: now)
                case .success(.found(let token)): machine.adopt(refresh, token, at: now)
                case .failure(let error):
                    machine.endRefresh(refresh, with: .failure(error), at: now)
                }
            }
        }
    }

    /// A name that no other sign-in has: 128 random bits.
    private static func newName() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(
            separator: "-")
    }

    private func startSession(with token: AccessToken?) {
        let now = scheduler.continuousNow
        let name = keeper.map { _ in Self.newName() }
        settle { $0.startSession(with: token, named: name, at: now) }
    }

    /// Changes the machine, then reports a new token and resumes the waiters.
    private func settle(
        tellingIn context: CallContext = CallContext(), under lock: RefreshLock? = nil,
        _ end: (inout Machine) -> Machine.WaiterResults
    ) {
        let ended = state.withLock { state in
            let ended = end(&state.machine)
            if ended.hasChanged {
                state.changes.add(
                    Change(token: state.machine.token, isFound: ended.isFound, lock: lock))
            }
            return ended
        }
        if !ended.hasChanged { lock?.release() }
        ended.endedSignIn?.informCaches()
        if ended.isLatched {
            context.report(
                .note("no more refreshes: \(HTTPError.Code.signInNeeded)"), by: Authorize.policy,
                named: name)
        }
        tell()
        for (waiter, result) in ended.waiters {
            waiter.settle(with: result)
        }
    }

    /// Reports changes in order, unless another thread is already doing so.
    private func tell() {
        guard state.withLock({ $0.changes.startTelling() }) else { return }
        while let change = state.withLock({ $0.changes.next() }) {
            if change.isFound { keeper?.adopt(change.token) } else { onChange(change.token) }
            change.lock?.release()
        }
    }
}

extension TokenRefresher: DescriptionOnly {
    /// A text that tells whether a user is signed in, without the token.
    public var description: String {
        token == nil ? "a token refresher, signed out" : "a token refresher, signed in"
    }
}
