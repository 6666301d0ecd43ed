package import PledgeFutures

/// What a refresh brings.
package enum Renewal: Sendable {
    /// The server's new token.
    case renewed(AccessToken)
    /// The token that another process has stored; nil if a user has signed out there.
    case found(AccessToken?)
}

/// A refresher's token that other processes may use too, across their runs.
package protocol KeptToken: Sendable {
    /// Gets a new token from the server, or the one that another process has stored.
    ///
    /// - Parameters:
    ///   - latch: The error with which the refresh token was refused; nil if it may be sent.
    ///   - lock: Gets the store's lock, for the caller to release.
    func renew(
        _ token: AccessToken, latch: (any Error)?, under lock: RefreshLock
    ) -> Future<Renewal>

    /// Notes that the refresher has taken the token that another process has stored.
    func adopt(_ token: AccessToken?)
}

/// The store's lock during one refresh, until its token is stored or it has failed.
package final class RefreshLock: Sendable {
    private let state = Locked<(lock: (any AnyObject & Sendable)?, isOver: Bool)>((nil, false))

    package init() {}

    /// Keeps a lock, unless the refresh has ended meanwhile.
    package func hold(_ lock: any AnyObject & Sendable) {
        state.withLock { if !$0.isOver { $0.lock = lock } }
    }

    /// Ends the lock.
    func release() {
        state.withLockThenRelease { state -> (any AnyObject & Sendable)? in
            state.isOver = true
            return state.lock.take()
        }
    }
}
