/// An observer of the events that a stack's policies report.
///
/// ```swift
/// let printing = ServiceObserver { event in print(event.policy, event.kind) }
/// let api = stack(.observed(by: printing), .retry(), .timeout(.seconds(2)), over: transport)
/// ```
public struct ServiceObserver: Sendable {
    /// The function that receives each event.
    ///
    /// It is called right away, on the thread where the event happened, while no lock is held. Several threads may
    /// report events of one call at the same time.
    public let receive: @Sendable (PolicyEvent) -> Void

    /// Receives each state that a client's policies create, such as a breaker.
    package private(set) var watch: @Sendable (any AnyObject & Sendable) -> Void = { _ in }

    /// The object that gets the events, so that it gets each only once; nil for a plain function.
    fileprivate var receiver: ObjectIdentifier?

    /// The observers that this one combines.
    fileprivate var parts: [ServiceObserver] = []

    /// Creates an observer from a function.
    ///
    /// - Parameter receive: Called with each event, on any thread. It should return quickly, because the call waits
    ///   for it.
    public init(_ receive: @escaping @Sendable (PolicyEvent) -> Void) { self.receive = receive }

    /// Creates the observer of an object.
    ///
    /// If the object observes a call already, an `observed` within the call doesn't add it again.
    package init(
        for receiver: AnyObject & Sendable, _ receive: @escaping @Sendable (PolicyEvent) -> Void,
        watch: @escaping @Sendable (any AnyObject & Sendable) -> Void = { _ in }
    ) {
        self.receive = receive
        self.watch = watch
        self.receiver = ObjectIdentifier(receiver)
    }
}

extension ServiceObserver {
    /// Creates one observer from several.
    ///
    /// ```swift
    /// let observer = ServiceObserver(combining: [metrics.observer, recorder.observer])
    /// ```
    ///
    /// - Parameter observers: The observers. Each event goes to all of them in this order, on the thread where it
    ///   happened.
    public init(combining observers: [ServiceObserver]) {
        let parts = observers.distinct()
        self.init { event in for observer in parts { observer.receive(event) } }
        watch = { state in for observer in parts { observer.watch(state) } }
        self.parts = parts
    }
}

extension [ServiceObserver] {
    /// These observers one by one, without the objects that are among others or come twice.
    func distinct(from others: [ServiceObserver] = []) -> [ServiceObserver] {
        var known = Set(others.compactMap(\.receiver))
        return flatMap { $0.parts.isEmpty ? [$0] : $0.parts }
            .filter { $0.receiver.map { known.insert($0).inserted } ?? true }
    }
}
