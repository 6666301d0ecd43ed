package import Futures
import Services

extension HTTPRequest {
    /// The time that is left until the request's deadline, nil where it has none.
    package var timeLeft: Duration? { context.deadline?.remaining }

    /// Runs an action when the request's deadline has come.
    ///
    /// - Parameter action: Runs once, as the deadline's scheduler runs actions.
    /// - Returns: What takes the action back, or nil where there is no deadline.
    package func atDeadline(_ action: @escaping @Sendable () -> Void) -> (any ScheduledAction)? {
        guard let deadline = context.deadline else { return nil }
        return deadline.scheduler.schedule(after: deadline.remaining, action)
    }
}
