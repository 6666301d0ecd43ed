// Names of PledgeStores and PledgeArticles, for an app that hasn't imported them: the compiler's error then says what to
// do. If the module with the name is imported, or the app has such a name itself, the compiler doesn't look at these.

/// An app's state; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Store<State, Event> {
    /// Creates nothing.
    public init(initialState: State, reducer: Reducer<State, Event>) {}
}

/// A change of state; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Reducer<State, Event> {
    /// Creates nothing.
    public init(_ reduce: (inout State, Event) -> Void) {}

    /// Creates nothing.
    public init(_ reduce: (State, Event) -> State) {}

    /// Creates nothing.
    public init(effects reduce: (inout State, Event) -> Effect<Event>) {}

    /// Creates nothing.
    public init() {}
}

/// A store's work; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Effect<Event> {
    /// No work.
    public static var none: Effect { Effect() }
}

/// A state with a reducer; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public protocol Reducible {}

/// A part of a store; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct DerivedStore<State, Event> {}

/// A store for SwiftUI; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct ObservedStore<State, Event> {
    /// Creates nothing.
    public init(_ store: Store<State, Event>) {}
}

/// A store that goes back and replays; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct StoreRecorder<State, Event> {
    /// Creates nothing.
    public init(initialState: State, reducer: Reducer<State, Event>) {}
}

/// A function that calls back; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "add the product PledgeArticles to your target, and import PledgeArticles"
)
public typealias Action<Input, Output> =
    @Sendable (Input, @escaping @Sendable (Output) -> Void) -> Void

/// A source of events; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "add the product PledgeArticles to your target, and import PledgeArticles"
)
public struct EventSource<Events> {
    /// Creates nothing.
    public init() {}
}

/// Requests in order; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "add the product PledgeArticles to your target, and import PledgeArticles"
)
public struct RequestState {
    /// Creates nothing.
    public init(networking: Any) {}
}

/// Joins two functions; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "write chain(_:to:), or add the product PledgeArticles to your target, and import it"
)
public func compose<Input, Middle, Output>(
    _ first: (Input) -> Middle, and second: (Middle) -> Output
) -> (Input) -> Output { fatalError() }

/// Joins two functions; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "write chain(_:to:), or add the product PledgeArticles to your target, and import it"
)
public func compose<Input, Middle, Output>(
    _ first: (Input) -> Middle, _ second: (Middle) -> Output
) -> (Input) -> Output { fatalError() }
