import PledgeFutures
import PledgeHTTPMessages

/// A refresher's state: the token, and the requests that wait for the next one.
///
/// - Signed out. Next: usable, when a user signs in.
/// - Usable. Next: refused, after a 401; usable with a new token, after a refresh; signed out, when the user signs out.
/// - Refused: requests wait for a refresh. Next: usable with a new token, after the refresh; usable with the old token,
///   after a failed refresh; latched; signed out.
/// - Latched: a refresh has failed because the refresh token is no longer valid. There are no more refreshes, and a
///   request that needs a new token fails at once. If the token is in a store, it first waits for a look into the store.
///   Next: usable or signed out, when a user signs in or out, here or in another process.
///
/// In addition, at most one refresh is in flight. The refresh belongs to the session in which it began. If a user signs
/// in or out before its token arrives, that token is discarded.
struct TokenMachine<Waiter> {
    typealias Grant = TokenGrant

    /// What to do with a request.
    enum Decision {
        case send(Grant)
        /// Send it without a token, because nobody has signed in.
        case sendBare(SignIn)
        /// Wait for a token; the number identifies the wait.
        case wait(Int)
        /// Return the 401 to the caller.
        case giveBack
        /// Fail, because no refresh can bring a token any more.
        case fail(any Error)
    }

    /// A refresh for the caller to begin, and then to end with ``endRefresh(_:with:at:)``.
    struct Refresh {
        let number: Int
        let token: AccessToken
        /// The error to fail with, unless the store has another token; nil for an ordinary refresh.
        let latch: (any Error)?
    }

    private struct HeldToken {
        let grant: Grant
        let expiry: SchedulerInstant?
        /// Requests from this instant on start a refresh; nil for never.
        let renewal: SchedulerInstant?
        /// Until then, a 401 doesn't count against the token.
        let trust: SchedulerInstant?
        var isRefused = false

        func isTrusted(at now: SchedulerInstant) -> Bool { trust.map { now < $0 } ?? false }

        func isOver(at now: SchedulerInstant) -> Bool { expiry.map { $0 <= now } ?? false }
    }

    private let leeway: Duration
    private let grace: Duration
    /// True if other processes use the same store.
    private let isShared: Bool
    private var held: HeldToken?
    /// The current sign-in; an object that stands for nobody while no user is signed in.
    private(set) var signIn: SignIn
    /// Set once a refresh has failed for good; no refresh is begun while it's set.
    private var latch: (any Error)?
    private var lastNumber = 0
    private var refreshing: Int?
    private var lastRefresh = 0
    private var waiters: [Int: (waiter: Waiter, needsNew: Bool)] = [:]
    private var lastWaiter = 0

    init(
        _ token: AccessToken?, leeway: Duration, grace: Duration = .zero, isShared: Bool = false,
        at now: SchedulerInstant
    ) {
        self.leeway = leeway
        self.grace = grace
        self.isShared = isShared
        signIn = token?.signIn.map { SignIn(named: $0) } ?? SignIn(ofNobody: token == nil)
        hold(token, from: now)
    }

    var token: AccessToken? { held?.grant.token }

    var waiting: Int { waiters.count }

    /// Decides how to send a request.
    ///
    /// - Parameter sendsOnce: True if the request can't be sent again after a 401. It then waits rather than use a
    ///   token that expires soon.
    mutating func ask(
        sendsOnce: Bool, at now: SchedulerInstant, _ waiter: @autoclosure () -> Waiter
    ) -> (decision: Decision, refresh: Refresh?) {
        guard let held else { return (.sendBare(signIn), nil) }
        if held.isRefused || held.isOver(at: now) { return wait(waiter(), needsNew: false) }
        guard let renewal = held.renewal, renewal <= now, latch == nil else {
            return (.send(held.grant), nil)
        }
        return sendsOnce
            ? wait(waiter(), needsNew: false) : (.send(held.grant), startRefreshIfIdle(held))
    }

    /// Handles a 401 to a request that can be sent again.
    mutating func refused(
        _ grant: Grant, at now: SchedulerInstant, _ waiter: @autoclosure () -> Waiter
    ) -> (decision: Decision, refresh: Refresh?) {
        // The session may now be another user's, for whom this request must not be sent.
        guard let held, grant.signIn == signIn else { return (.giveBack, nil) }
        if grant.number == held.grant.number {
            if held.isTrusted(at: now) { return (.giveBack, nil) }
            self.held?.isRefused = true
        } else if !held.isRefused, !held.isOver(at: now) {
            return (.send(held.grant), nil)
        }
        return wait(waiter(), needsNew: true)
    }

    /// Handles a 401 to a request that can't be sent again: the next request waits for a refresh.
    mutating func reject(_ grant: Grant, at now: SchedulerInstant) {
        guard let held, grant.signIn == signIn, grant.number == held.grant.number else { return }
        if !held.isTrusted(at: now) { self.held?.isRefused = true }
    }

    /// Asks for a new token, even if the old one is usable.
    mutating func renew(
        _ waiter: @autoclosure () -> Waiter
    ) -> (decision: Decision, refresh: Refresh?) {
        held == nil ? (.giveBack, nil) : wait(waiter(), needsNew: true)
    }

    /// Removes a request that no longer waits.
    mutating func leave(_ number: Int) -> Waiter? {
        waiters.removeValue(forKey: number)?.waiter
    }

    private mutating func wait(
        _ waiter: @autoclosure () -> Waiter, needsNew: Bool
    ) -> (decision: Decision, refresh: Refresh?) {
        if let latch, !isShared { return (.fail(latch), nil) }
        lastWaiter += 1
        waiters[lastWaiter] = (waiter(), needsNew)
        return (.wait(lastWaiter), held.flatMap { startRefreshIfIdle($0) })
    }

    private mutating func startRefreshIfIdle(_ held: HeldToken) -> Refresh? {
        guard refreshing == nil else { return nil }
        lastRefresh += 1
        refreshing = lastRefresh
        return Refresh(number: lastRefresh, token: held.grant.token, latch: latch)
    }

    private mutating func hold(
        _ token: AccessToken?, from now: SchedulerInstant, isNew: Bool = false,
        isFound: Bool = false
    ) {
        lastNumber += 1
        held = token.map { token in
            // A token isn't renewed in the first half of its lifetime. Otherwise a short-lived one would be renewed by
            // every request.
            let ahead = token.lifetime.map { min(leeway, $0 / 2) } ?? .zero
            return HeldToken(
                grant: Grant(
                    token: token, signIn: signIn, number: lastNumber, isFound: isFound),
                expiry: token.lifetime.map { now.advanced(by: $0) },
                renewal: token.lifetime.map { now.advanced(by: $0 - ahead) },
                trust: isNew ? now.advanced(by: grace) : nil)
        }
    }
}

extension TokenMachine {
    struct WaiterResults {
        var waiters: [(waiter: Waiter, result: Result<Grant, any Error>)] = []
        /// True if the token has changed.
        var hasChanged = false
        /// True if the store already has the token.
        var isFound = false
        /// True if this refresh has failed for good, so that no other is begun.
        var isLatched = false
        /// A sign-in that has ended; the caller tells its caches.
        var endedSignIn: SignIn?
    }

    mutating func endRefresh(
        _ number: Int, with result: Result<AccessToken, any Error>, at now: SchedulerInstant
    ) -> WaiterResults {
        guard refreshing == number, let old = held else { return WaiterResults() }
        refreshing = nil
        switch result {
        case .success(var token):
            token.refreshToken = token.refreshToken ?? old.grant.token.refreshToken
            token.signIn = old.grant.token.signIn
            hold(token, from: now, isNew: true)
            return WaiterResults(waiters: takeAll { [held] _ in held?.grant }, hasChanged: true)
        case .failure(let error):
            let wasLatched = latch != nil
            if error.isInvalidGrant {
                latch = error
            } else {
                // There is no other token, so the next request tries the refused one.
                held?.isRefused = false
            }
            let isGood = !old.isRefused && !old.isOver(at: now)
            let waiters = takeAll(orElse: error) { needsNew in
                isGood && !needsNew ? old.grant : nil
            }
            return WaiterResults(waiters: waiters, isLatched: latch != nil && !wasLatched)
        }
    }

    /// Ends a refresh with a token that another process has stored; nil if the user has signed out there.
    ///
    /// If the token is of another sign-in, a new session begins, as if that user had signed in here.
    mutating func adopt(
        _ number: Int, _ token: AccessToken?, at now: SchedulerInstant
    ) -> WaiterResults {
        guard refreshing == number, let old = held else { return WaiterResults() }
        refreshing = nil
        var ended: WaiterResults
        if let token, token.signIn != nil, token.signIn == old.grant.token.signIn {
            latch = nil
            // Nobody knows how old the token is, so a 401 counts against it at once.
            hold(token, from: now, isFound: true)
            ended = WaiterResults(waiters: takeAll { [held] _ in held?.grant }, hasChanged: true)
        } else {
            ended = startSession(with: token, named: token?.signIn, at: now)
        }
        ended.isFound = true
        return ended
    }

    /// Begins a session.
    ///
    /// - Parameter name: The sign-in's name; nil if only this process knows the sign-in.
    mutating func startSession(
        with token: AccessToken?, named name: String? = nil, at now: SchedulerInstant
    ) -> WaiterResults {
        var token = token
        token?.signIn = name
        let (ended, next) = (signIn, token?.signIn.map { SignIn(named: $0) })
        signIn = next ?? SignIn(ofNobody: token == nil)
        ended.endSignIn(before: signIn, isSignOut: token == nil)
        latch = nil
        refreshing = nil
        let hasChanged = held != nil || token != nil
        hold(token, from: now)
        return WaiterResults(
            waiters: takeAll { _ in nil }, hasChanged: hasChanged, endedSignIn: ended)
    }

    /// Removes and returns all waiters, in order of arrival.
    private mutating func takeAll(
        orElse error: any Error = SessionEnded(), _ grant: (_ needsNew: Bool) -> Grant?
    ) -> [(waiter: Waiter, result: Result<Grant, any Error>)] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map { entry in
            let (waiter, needsNew) = entry.value
            return (waiter, grant(needsNew).map(Result.success) ?? .failure(error))
        }
    }
}

/// A token for a request.
struct TokenGrant: Sendable {
    let token: AccessToken
    /// Tokens that a refresh brings have the same sign-in as the first.
    let signIn: SignIn
    /// Identifies the token within its refresher.
    let number: Int
    /// True if another process has stored the token.
    var isFound = false
}
