package import PledgeFutures

/// The result of a refresh.
package enum Renewal: Sendable {
    /// The server's new token.
    case renewed(AccessToken)
    /// A token that another process has stored; nil if the user has signed out there.
    case found(AccessToken?)
}

/// Keeps a refresher's token where other processes and later runs can use it.
package protocol KeptToken: Sendable {
    /// Gets a new token from the server, or one that another process has stored.
    ///
    /// - Parameters:
    ///   - latch: The error that refused the current refresh token; nil if it may still be sent.
    ///   - lock: Gets the store's lock; the caller releases it.
    func renew(
        _ token: AccessToken, latch: (any Error)?, under lock: RefreshLock
    ) -> Future<Renewal>

    /// Records that the refresher now uses the token that another process has stored.
    func adopt(_ token: AccessToken?)
}

/// Holds the store's lock during one refresh, until the new token is stored or the refresh has failed.
package final class RefreshLock: Sendable {
    private let state = Locked<(lock: (any AnyObject & Sendable)?, isOver: Bool)>((nil, false))

    package init() {}

    /// Keeps a lock, unless the refresh has already ended.
    package func hold(_ lock: any AnyObject & Sendable) {
        state.withLock { if !$0.isOver { $0.lock = lock } }
    }

    func release() {
        state.withLockThenRelease { state -> (any AnyObject & Sendable)? in
            state.isOver = true
            return state.lock.take()
        }
    }
}
