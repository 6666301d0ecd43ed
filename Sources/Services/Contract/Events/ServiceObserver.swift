/// Hears what the policies of a stack do.
///
/// ```swift
/// let printing = ServiceObserver { event in print(event.policy, event.kind) }
/// let api = stack(.observed(by: printing), .retry(), .timeout(.seconds(2)), over: transport)
/// ```
public struct ServiceObserver {
    /// Hears of one event.
    ///
    /// Called on the thread where it happened, at once; no lock is held. Events of one call may come
    /// from several threads at the same time.
    public let receive: @Sendable (PolicyEvent) -> Void

    /// Makes an observer.
    ///
    /// - Parameter receive: Hears of each event, from any thread. It should return soon: the call waits.
    public init(_ receive: @escaping @Sendable (PolicyEvent) -> Void) { self.receive = receive }
}

extension ServiceObserver: Sendable {}
