/// An observer of the events of a stack's policies.
///
/// ```swift
/// let printing = ServiceObserver { event in print(event.policy, event.kind) }
/// let api = stack(.observed(by: printing), .retry(), .timeout(.seconds(2)), over: transport)
/// ```
public struct ServiceObserver {
    /// The function that is called with each event.
    ///
    /// Called at once, on the thread where the event happened, while no lock is held. Events of one call may
    /// come from several threads at the same time.
    public let receive: @Sendable (PolicyEvent) -> Void

    /// Makes an observer.
    ///
    /// - Parameter receive: Called with each event, on any thread. It should return quickly: the call waits.
    public init(_ receive: @escaping @Sendable (PolicyEvent) -> Void) { self.receive = receive }
}

extension ServiceObserver: Sendable {}
