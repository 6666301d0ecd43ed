public import PledgeFutures

/// A store's state or a part of it, and its subscribers: what a store, a derived store and a view stand on.
@usableFromInline
protocol StateSource<State>: Sendable {
    associatedtype State: Sendable

    var state: State { get }

    /// The state with its version: of two, the one with the greater version is the newer.
    var versioned: (state: State, version: UInt64) { get }

    /// Returns the state with its version, unless it is the known one.
    func newer(than known: State, _ version: UInt64) -> (state: State, version: UInt64)?

    /// Adds a subscriber, and replays the state to it. Every form of subscription ends up here.
    ///
    /// - Parameters:
    ///   - place: Where it subscribes, if that is known, for reports.
    ///   - onClose: Called once, when the subscription ends or the store is released.
    ///   - receive: Called with the state before, which is nil at the replay, and the state after.
    func subscribe(
        at place: CodeLocation?, onClose: (@Sendable () -> Void)?,
        _ receive: @escaping Subscriber<State>.Receive
    ) -> UUID

    /// The function that ends a subscription to this or any other part of the store's state; it keeps nothing alive.
    func ending(_ id: UUID) -> @Sendable () -> Void

    /// The source of a part.
    func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> any StateSource<Part>
}

extension StateSource {
    /// Subscribes until the returned token is released.
    func subscription(
        at place: CodeLocation?, onClose: (@Sendable () -> Void)? = nil,
        _ receive: @escaping Subscriber<State>.Receive
    ) -> Subscription {
        Subscription(ending(subscribe(at: place, onClose: onClose, receive)))
    }

    /// Subscribes on the main actor, until the returned token is released.
    func subscriptionOnMainActor(
        at place: CodeLocation, _ observer: @escaping @MainActor @Sendable (State?, State) -> Void
    ) -> Subscription {
        let observer = MainActorObserver(observer)
        return subscription(at: place, onClose: { observer.close() }) { observer.receive($0, $1) }
    }

    /// The newest states as a stream, which ends with the store.
    var states: AsyncStream<State> {
        let (stream, continuation) = AsyncStream<State>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let id = subscribe(at: nil, onClose: { continuation.finish() }) { _, new in
            continuation.yield(new)
        }
        let end = ending(id)
        continuation.onTermination = { _ in end() }
        return stream
    }
}
