package import PledgeFutures
package import PledgeServices

extension CallDeadline {
    /// Runs a transport's action when the deadline has passed.
    ///
    /// A policy with the same deadline comes first, so that the caller gets its error. It sets its timer after the
    /// transport has: on virtual time for the same instant, on a live clock for some microseconds later.
    ///
    /// - Returns: A token that cancels the action until the deadline; after it, the action may still run.
    package func schedule(_ action: @escaping @Sendable () -> Void) -> any ScheduledAction {
        scheduler.schedule(after: remaining) {
            // Only on virtual time does an action run at its very instant.
            let isOnVirtualTime = remaining == .zero
            scheduler.schedule(after: isOnVirtualTime ? .zero : .milliseconds(1), action)
        }
    }
}
