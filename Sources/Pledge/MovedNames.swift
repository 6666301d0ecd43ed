public import Foundation
public import PledgeFutures
public import PledgeHTTPClients
public import PledgeHTTPNetworking
public import PledgeServices

// Names of PledgeStores, PledgeArticles, PledgeObservation and PledgeTesting, for an app that hasn't imported them: the
// compiler's error then says what to do. If the module with the name is imported, or the app has such a name itself, the
// compiler doesn't look at these.

/// An app's state; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Store<State, Event> {
    /// Creates nothing.
    public init(
        initialState: State, reducer: Reducer<State, Event>, middleware: [Any] = [],
        feedback: [Any] = [], queueLimit: Int? = nil, onFailure: ((any Error) -> Void)? = nil
    ) {}
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
    public init() where State: Reducible, State.Event == Event {}
}

/// A store's work; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Effect<Event> {
    /// No work.
    public static var none: Effect { Effect() }

    /// No work.
    public static func future(_ future: @autoclosure () -> Future<Event>) -> Effect { Effect() }

    /// No work.
    public static func future(_ operation: () async throws -> Event) -> Effect { Effect() }

    /// No work.
    public static func request<Value>(
        _ operation: () async throws -> Value, _ event: (Result<Value, any Error>) -> Event
    ) -> Effect { Effect() }

    /// No work.
    public static func request<Value: Sendable>(
        _ future: @autoclosure () -> Future<Value>, _ event: (Result<Value, any Error>) -> Event
    ) -> Effect { Effect() }

    /// No work.
    public static func run(_ operation: (_ send: (Event) -> Void) async throws -> Void) -> Effect {
        Effect()
    }
}

/// A state with a reducer; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public protocol Reducible {
    /// The state's events.
    associatedtype Event
}

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

/// Counters and histograms for Prometheus; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct ServiceMetrics {
    /// Creates nothing.
    public init(prefix: String = "pledge", labelLimit: Int = 100) {}

    /// Counts nothing.
    public var observer: ServiceObserver { ServiceObserver { _ in } }

    /// No text.
    public var prometheusText: String { "" }
}

/// A recorder of calls; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct CallRecorder {
    /// Creates nothing.
    public init(calls: Int = 100, eventsPerCall: Int = 1_000) {}

    /// Records nothing.
    public var observer: ServiceObserver { ServiceObserver { _ in } }

    /// No call.
    public var lastCall: RecordedCall? { nil }
}

/// One call in a recorder; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct RecordedCall {
    /// Draws nothing.
    public func waterfall(width: Int = 40) -> String { "" }
}

/// A recorder of exchanges; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct HTTPRecorder {
    /// Creates nothing.
    public init(
        bodyLimit: Int = 1_048_576, totalLimit: Int = 268_435_456,
        on scheduler: some FutureScheduler = .live,
        redact: ((HTTPArchive.Entry) -> HTTPArchive.Entry?)? = nil
    ) {}

    /// No exchanges.
    public var archive: HTTPArchive { HTTPArchive() }
}

/// Recorded exchanges; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct HTTPArchive {
    /// An exchange.
    public struct Entry {}

    /// The exchanges.
    public var entries: [Entry] { [] }

    /// Creates nothing.
    public init(entries: [Entry] = []) {}

    /// Reads nothing.
    public init(_ data: Data) throws {}

    /// Reads nothing.
    public init(contentsOf file: URL) throws {}

    /// Writes nothing.
    public func write(to file: URL) throws {}
}

extension HTTPClient.CustomMiddleware {
    /// Records nothing.
    @available(
        *, unavailable,
        message: "add the product PledgeObservation to your target, and import PledgeObservation"
    )
    public static func record(into recorder: HTTPRecorder) -> Self { fatalError() }
}

/// A network from a recording; in `PledgeTesting`.
@available(
    *, unavailable,
    message: "add the product PledgeTesting to your target, and import PledgeTesting"
)
public struct ReplayTransport: HTTPTransport {
    /// The parts to compare.
    public struct Matching: Sendable {
        /// Creates nothing.
        public init(query: Bool = true, body: Bool = false, headers: [String] = []) {}
    }

    /// Creates nothing.
    public init(
        _ archive: HTTPArchive, matching: Matching = Matching(), repeatsLast: Bool = true,
        takesRecordedTime: Bool = false, on scheduler: any FutureScheduler = LiveScheduler.live
    ) {}

    /// Sends nothing.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> { fatalError() }
}

/// A transport that records once, and then replays; in `PledgeTesting`.
@available(
    *, unavailable,
    message: "add the product PledgeTesting to your target, and import PledgeTesting"
)
public struct RecordOnceTransport: HTTPTransport {
    /// Creates nothing.
    public init(_ file: URL, over transport: some HTTPTransport) throws {}

    /// Sends nothing.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> { fatalError() }
}
