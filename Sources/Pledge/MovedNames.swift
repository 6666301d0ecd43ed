public import Foundation
public import PledgeAdmission
public import PledgeFutures
public import PledgeHTTPAuthentication
public import PledgeHTTPBodies
public import PledgeHTTPCaching
public import PledgeHTTPClients
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
public import PledgeServices

// Names of PledgeStorage, PledgeStores, PledgeArticles, PledgeObservation, PledgeTraffic and PledgeTesting, for an app
// that hasn't imported them: the compiler's error then says what to do. If the module with the name is imported, or the
// app has such a name itself, the compiler doesn't look at these, or prefers the available one.

extension HTTPCache {
    /// Creates nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    public convenience init(
        named name: String? = nil, folder: URL, limit: Int = 256 << 20, memory: Int = 8 << 20,
        mode: Mode = .private, replaysCookies: Bool = false, statusName: String? = nil,
        coalescesMisses: Bool = true, harmlessHeaders names: [String] = [],
        staleIfUnreachable: Duration? = nil, defaultLifetime: Duration? = nil,
        backgroundLimit: Duration = .seconds(60),
        now: @escaping @Sendable () -> Date = { .now },
        on scheduler: some FutureScheduler = .live
    ) { fatalError() }
}

extension CachedResponse {
    /// Nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    public var encoded: Data { fatalError() }

    /// Creates nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    public init?(encoded: Data) { fatalError() }
}

extension CookieJar {
    /// Creates nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    public convenience init(
        file: URL, keepingSessionCookies: Bool = false, cookiesPerDomain: Int = 50,
        cookiesInAll: Int = 3_000, bytesPerCookie: Int = 4_096,
        now: @escaping @Sendable () -> Date = { .now },
        isPublicSuffix: (@Sendable (String) -> Bool)? = nil,
        onFileError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) { fatalError() }
}

/// A place for a token; in `PledgeStorage`.
@available(
    *, unavailable,
    message: "add the product PledgeStorage to your target, and import PledgeStorage"
)
public protocol AccessTokenStore {}

extension TokenRefresher {
    /// Creates nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    public convenience init(
        storedIn store: some AccessTokenStore, named name: String? = nil,
        leeway: Duration = .seconds(60), timeout: Duration = .seconds(30),
        grace: Duration = .seconds(10), on scheduler: some FutureScheduler = .live,
        onStoreError: @escaping @Sendable (any Error) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) -> Future<AccessToken>
    ) { fatalError() }

    /// Creates nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    @_disfavoredOverload
    public convenience init(
        storedIn store: some AccessTokenStore, named name: String? = nil,
        leeway: Duration = .seconds(60), timeout: Duration = .seconds(30),
        grace: Duration = .seconds(10), on scheduler: some FutureScheduler = .live,
        onStoreError: @escaping @Sendable (any Error) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) async throws -> AccessToken
    ) { fatalError() }
}

/// A token in a file; in `PledgeStorage`.
@available(
    *, unavailable,
    message: "add the product PledgeStorage to your target, and import PledgeStorage"
)
public struct AccessTokenFile: AccessTokenStore {
    /// Moved to `PledgeStorage`.
    public init(_ url: URL, lockingRefreshes: Bool? = nil) {}

    /// Loads nothing.
    public func load() throws -> AccessToken? { nil }

    /// Saves nothing.
    public func save(_ token: AccessToken?) throws {}
}

#if canImport(Security)
/// A token in the Keychain; in `PledgeStorage`.
@available(
    *, unavailable,
    message: "add the product PledgeStorage to your target, and import PledgeStorage"
)
public struct AccessTokenKeychain: AccessTokenStore {
    /// Moved to `PledgeStorage`.
    public init(service: String, account: String = "", accessGroup: String? = nil) {}

    /// Loads nothing.
    public func load() throws -> AccessToken? { nil }

    /// Saves nothing.
    public func save(_ token: AccessToken?) throws {}
}
#endif

/// A protocol to go on with an upload; in `PledgeStorage`.
@available(
    *, unavailable,
    message: "add the product PledgeStorage to your target, and import PledgeStorage"
)
public struct ResumableUploadProtocol {
    /// Moved to `PledgeStorage`.
    public static var tus: ResumableUploadProtocol { ResumableUploadProtocol() }

    /// Moved to `PledgeStorage`.
    public static func ietfDraft(interopVersion: Int = 8) -> ResumableUploadProtocol {
        ResumableUploadProtocol()
    }
}

/// Uploads nothing; in `PledgeStorage`.
@available(
    *, unavailable,
    message: "add the product PledgeStorage to your target, and import PledgeStorage"
)
public func upload(
    _ file: URL, with request: HTTPRequest, over service: @escaping HTTPService,
    by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
    resuming rules: Resumption = Resumption(),
    progress: HTTPProgress? = nil,
    random: RandomSource = .system, on scheduler: some FutureScheduler = .live
) -> Future<HTTPResponse> { fatalError() }

extension HTTPClient {
    /// Uploads nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    public func upload(
        _ file: URL, to path: Endpoint.Path, headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
        progress: HTTPProgress? = nil
    ) async throws -> HTTPResponse { fatalError() }
}

extension HTTPClient.Futures {
    /// Uploads nothing; in `PledgeStorage`.
    @available(
        *, unavailable,
        message: "add the product PledgeStorage to your target, and import PledgeStorage"
    )
    public func upload(
        _ file: URL, to path: Endpoint.Path, headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> { fatalError() }
}

/// An app's state; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Store<State, Event> {
    /// Moved to `PledgeStores`.
    public init(
        initialState: State, reducer: Reducer<State, Event>, middleware: [Any] = [],
        feedback: [Any] = [], queueLimit: Int? = nil, onFailure: ((any Error) -> Void)? = nil
    ) {}

    /// Moved to `PledgeStores`.
    public func dispatch(_ event: Event) {}
}

/// A change of state; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Reducer<State, Event> {
    /// Moved to `PledgeStores`.
    public init(_ reduce: (inout State, Event) -> Void) {}

    /// Moved to `PledgeStores`.
    public init(_ reduce: (State, Event) -> State) {}

    /// Moved to `PledgeStores`.
    public init(effects reduce: (inout State, Event) -> Effect<Event>) {}

    /// Moved to `PledgeStores`.
    public init() where State: Reducible, State.Event == Event {}

    /// Moved to `PledgeStores`.
    public static func combine(_ reducers: Reducer...) -> Reducer { fatalError() }

    /// Moved to `PledgeStores`.
    public static func combine(parts: Any...) -> Reducer { fatalError() }
}

/// A store's work; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Effect<Event> {
    /// Moved to `PledgeStores`.
    public static var none: Effect { Effect() }

    /// Moved to `PledgeStores`.
    public static func future(_ future: @autoclosure () -> Future<Event>) -> Effect { Effect() }

    /// Moved to `PledgeStores`.
    public static func future(_ operation: () async throws -> Event) -> Effect { Effect() }

    /// Moved to `PledgeStores`.
    public static func request<Value>(
        _ operation: () async throws -> Value, _ event: (Result<Value, any Error>) -> Event
    ) -> Effect { Effect() }

    /// Moved to `PledgeStores`.
    public static func request<Value: Sendable>(
        _ future: @autoclosure () -> Future<Value>, _ event: (Result<Value, any Error>) -> Event
    ) -> Effect { Effect() }

    /// Moved to `PledgeStores`.
    public static func run(_ operation: (_ send: (Event) -> Void) async throws -> Void) -> Effect {
        Effect()
    }

    /// Moved to `PledgeStores`.
    public func id(_ id: some Hashable & Sendable) -> Effect { self }
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
    /// Moved to `PledgeStores`.
    public init(_ store: Store<State, Event>) {}
}

/// A store that goes back and replays; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct StoreRecorder<State, Event> {
    /// Moved to `PledgeStores`.
    public init(initialState: State, reducer: Reducer<State, Event>) {}
}

/// Effects that follow the state; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct Feedback<State, Event> {
    /// Moved to `PledgeStores`.
    public init<Query>(_ query: (State) -> Query?, effect: (Query) -> Effect<Event>) {}

    /// Moved to `PledgeStores`.
    public init<Query>(each queries: (State) -> Set<Query>, effect: (Query) -> Effect<Event>) {}
}

/// A layer around a store's dispatch; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct StoreMiddleware<State, Event> {
    /// Moved to `PledgeStores`.
    public init(
        _ setUp: (DispatchContext<State, Event>) -> (@escaping (Event) -> Void) -> (Event) -> Void
    ) {}
}

/// A middleware's access to its store; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct DispatchContext<State, Event> {
    /// Moved to `PledgeStores`.
    public var state: State { fatalError() }

    /// Dispatches nothing.
    public func dispatch(_ event: Event) {}
}

/// The differences of two states; in `PledgeStores`.
@available(
    *, unavailable, message: "add the product PledgeStores to your target, and import PledgeStores"
)
public struct StateDiff {
    /// Compares nothing.
    public init<Value>(from old: Value, to new: Value) {}
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
    /// Moved to `PledgeArticles`.
    public init() {}
}

/// Requests in order; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "add the product PledgeArticles to your target, and import PledgeArticles"
)
public struct RequestState {
    /// Moved to `PledgeArticles`.
    public init(networking: Any, onFailure rule: RequestFailureRule = .stop) {}
}

/// What follows a failed request; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "add the product PledgeArticles to your target, and import PledgeArticles"
)
public enum RequestFailureRule {
    /// Moved to `PledgeArticles`.
    case stop

    /// The next request.
    case goOn
}

/// A chain of functions that call back; in `PledgeArticles`.
@available(
    *, unavailable,
    message: "add the product PledgeArticles to your target, and import PledgeArticles"
)
public struct ActionPromise<Input, Output> {
    /// Moved to `PledgeObservation`.
    public init(action: (Input, @escaping (Output) -> Void) -> Void) {}
}

/// Counters and histograms for Prometheus; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct ServiceMetrics {
    /// Moved to `PledgeObservation`.
    public init(prefix: String = "pledge", labelLimit: Int = 100) {}

    /// Counts nothing.
    public var observer: ServiceObserver { ServiceObserver { _ in } }

    /// Moved to `PledgeObservation`.
    public var prometheusText: String { "" }
}

/// A recorder of calls; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct CallRecorder {
    /// Moved to `PledgeObservation`.
    public init(calls: Int = 100, eventsPerCall: Int = 1_000) {}

    /// Records nothing.
    public var observer: ServiceObserver { ServiceObserver { _ in } }

    /// Moved to `PledgeObservation`.
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
    /// Moved to `PledgeObservation`.
    public init(
        bodyLimit: Int = 1_048_576, totalLimit: Int = 268_435_456,
        on scheduler: some FutureScheduler = .live,
        redact: ((HTTPArchive.Entry) -> HTTPArchive.Entry?)? = nil
    ) {}

    /// Moved to `PledgeObservation`.
    public var archive: HTTPArchive { HTTPArchive() }
}

/// Recorded exchanges; in `PledgeObservation`.
@available(
    *, unavailable,
    message: "add the product PledgeObservation to your target, and import PledgeObservation"
)
public struct HTTPArchive {
    /// An exchange.
    public struct Entry {
        /// Moved to `PledgeObservation`.
        public var request: HTTPRequest { fatalError() }

        /// Moved to `PledgeObservation`.
        public var response: HTTPResponse? { nil }
    }

    /// The exchanges.
    public var entries: [Entry] { [] }

    /// Moved to `PledgeObservation`.
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

/// A network made of routes; in `PledgeTesting`.
@available(
    *, unavailable,
    message: "add the product PledgeTesting to your target, and import PledgeTesting"
)
public struct MemoryTransport: HTTPTransport {
    /// An answer of a route.
    public struct Answer {
        /// Moved to `PledgeTesting`.
        public static func data(_ data: Data) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func text(_ text: String) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func json(_ value: some Encodable) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func status(
            _ status: Int, headers: HTTPHeaders = [:], body: Data = Data()
        ) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func failure(_ error: any Error) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func sequence(_ answers: [Self]) -> Self { Self() }
    }

    /// A route and its answer.
    public struct Route {
        /// Moved to `PledgeTesting`.
        public static func any(
            _ pattern: String, query: [String: String?] = [:], answer: Answer
        ) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func get(
            _ pattern: String, query: [String: String?] = [:], answer: Answer
        ) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func post(
            _ pattern: String, query: [String: String?] = [:], answer: Answer
        ) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func put(
            _ pattern: String, query: [String: String?] = [:], answer: Answer
        ) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func patch(
            _ pattern: String, query: [String: String?] = [:], answer: Answer
        ) -> Self { Self() }

        /// Moved to `PledgeTesting`.
        public static func delete(
            _ pattern: String, query: [String: String?] = [:], answer: Answer
        ) -> Self { Self() }
    }

    /// Moved to `PledgeTesting`.
    public var calls: [Any] { [] }

    /// Moved to `PledgeTesting`.
    public init(routes: [Route], latency: Duration = .zero) {}

    /// Moved to `PledgeTesting`.
    public func request(_ endpoint: Endpoint) -> Future<Data> { fatalError() }

    /// Sends nothing.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> { fatalError() }
}

/// A network that the test answers; in `PledgeTesting`.
@available(
    *, unavailable,
    message: "add the product PledgeTesting to your target, and import PledgeTesting"
)
public struct MockNetwork: HTTPTransport {
    /// Moved to `PledgeTesting`.
    public init() {}

    /// Moved to `PledgeTesting`.
    public func next() throws -> Any { fatalError() }

    /// Moved to `PledgeTesting`.
    public func request(_ endpoint: Endpoint) -> Future<Data> { fatalError() }

    /// Sends nothing.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> { fatalError() }
}

/// A network from a recording; in `PledgeTesting`.
@available(
    *, unavailable,
    message: "add the product PledgeTesting to your target, and import PledgeTesting"
)
public struct ReplayTransport: HTTPTransport {
    /// The parts to compare.
    public struct Matching: Sendable {
        /// Moved to `PledgeTesting`.
        public init(query: Bool = true, body: Bool = false, headers: [String] = []) {}
    }

    /// Moved to `PledgeTesting`.
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
    /// Moved to `PledgeTesting`.
    public init(_ file: URL, over transport: some HTTPTransport) throws {}

    /// Sends nothing.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> { fatalError() }
}

/// A limit that adapts to a service; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct AdaptiveConcurrency: Sendable {
    /// Moved to `PledgeTraffic`.
    public init(
        named name: String? = nil, algorithm: ConcurrencyLimitAlgorithm = .gradient(),
        queue: Int = 10, queueTimeout: Duration? = .seconds(1),
        on scheduler: some FutureScheduler = .live,
        random: RandomSource = .system
    ) {}
}

/// The algorithm of an adaptive limit; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct ConcurrencyLimitAlgorithm: Sendable {
    /// Moved to `PledgeTraffic`.
    public static func aimd(
        initial: Int = 20, minimum: Int = 2, maximum: Int = 200, decrease: Double = 0.9,
        slowCallDuration: Duration = .seconds(5)
    ) -> Self { Self() }

    /// Moved to `PledgeTraffic`.
    public static func vegas(initial: Int = 20, minimum: Int = 1, maximum: Int = 1_000) -> Self {
        Self()
    }

    /// Moved to `PledgeTraffic`.
    public static func gradient(
        minimum: Int = 3, maximum: Int = 1_000, window: Duration = .milliseconds(100),
        measurementInterval: Duration = .seconds(60)
    ) -> Self { Self() }

    /// Moved to `PledgeTraffic`.
    public static func correlation(
        initial: Int = 20, minimum: Int = 1, maximum: Int = 200
    ) -> Self { Self() }
}

/// A throttle that adapts to a service; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct AdaptiveThrottle: Sendable {
    /// Moved to `PledgeTraffic`.
    public init(
        named name: String? = nil, rule: ThrottleRule = .acceptMultiplier(),
        maxProbability: Double = 0.8, minimumRate: Int = 5,
        on scheduler: some FutureScheduler = .live,
        random: RandomSource = .system
    ) {}
}

/// The rule of an adaptive throttle; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct ThrottleRule: Sendable {
    /// Moved to `PledgeTraffic`.
    public static func acceptMultiplier(
        _ multiplier: Double = 2, over window: Duration = .seconds(10)
    ) -> Self { Self() }

    /// Moved to `PledgeTraffic`.
    public static func successRate(
        _ rate: Double = 0.95, aggression: Int = 1, over window: Duration = .seconds(30)
    ) -> Self { Self() }
}

/// A limit on the calls in flight, with a short queue; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public final class LoadShedder: OriginPolicy {
    /// The type itself.
    public typealias Policy = LoadShedder

    /// The order of waiting calls.
    public enum Order { case oldestFirst, newestFirstInOverload }

    /// Moved to `PledgeTraffic`.
    public init(
        named name: String? = nil, limit: Int = 64, queue: Int = 1_000,
        target: Duration = .milliseconds(5), interval: Duration = .milliseconds(100),
        order: Order = .oldestFirst, on scheduler: some FutureScheduler = .live
    ) {}
}

/// The place of state in a store; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct SharedState: Sendable {
    /// What happens while the store fails.
    public enum Failing { case open, closed }

    /// Moved to `PledgeTraffic`.
    public init(
        _ key: String, in store: Any, failing: Failing = .open,
        timeLimit: Duration = .milliseconds(100),
        on scheduler: some FutureScheduler = .live
    ) {}
}

/// A store of several machines; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public protocol PolicyStore {}

/// A step of a bucket in a store; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct BucketRequest: Sendable {}

/// The result of a bucket's step; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct BucketGrant: Sendable {
    /// Moved to `PledgeTraffic`.
    public init(isGranted: Bool, level: Double) {}
}

/// A store in memory; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct MemoryPolicyStore: Sendable {
    /// Moved to `PledgeTraffic`.
    public init(on scheduler: some FutureScheduler = .live) {}
}

/// Answers in a store; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct SharedMemo<Output>: Sendable {
    /// Moved to `PledgeTraffic`.
    public init(
        named name: String? = nil, timeToLive: Duration, shared: SharedState,
        encode: (Output) throws -> [UInt8], decode: ([UInt8]) throws -> Output
    ) {}
}

/// The names of a call's headers; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct CallHeaders: Sendable {
    /// Moved to `PledgeTraffic`.
    public init(
        timeout: TimeoutHeader? = .requestTimeout, priority: String? = "Request-Criticality"
    ) {}
}

/// The header of a call's remaining time; in `PledgeTraffic`.
@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
public struct TimeoutHeader: Sendable {
    /// Moved to `PledgeTraffic`.
    public static var requestTimeout: Self { Self() }

    /// Moved to `PledgeTraffic`.
    public static var envoyExpected: Self { Self() }

    /// Moved to `PledgeTraffic`.
    public static var grpc: Self { Self() }
}

extension Middleware {
    /// Limits the calls in flight; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func adaptiveConcurrency(sharing limit: AdaptiveConcurrency) -> Middleware {
        .passThrough
    }

    /// Refuses a share of the calls; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func throttle(sharing throttle: AdaptiveThrottle) -> Middleware { .passThrough }

    /// Limits the calls in flight; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func loadShedding(sharing shedder: LoadShedder) -> Middleware { .passThrough }

    /// Keeps answers in a store; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func memoize(
        by key: (Input) -> String, sharing memo: SharedMemo<Output>
    ) -> Middleware { .passThrough }
}

extension Middleware where Input == HTTPRequest {
    /// Sends a call's remaining time and priority; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func callPropagation(
        to origins: HTTPOrigins, named names: CallHeaders = CallHeaders()
    ) -> Middleware { .passThrough }
}

extension HTTPPart where Level == HTTPStack.Hop {
    /// Limits the calls in flight; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func loadShedding(_ shedders: any OriginPolicy<LoadShedder>) -> Self { nothing }
}

extension HTTPPart where Level == HTTPStack.Attempt {
    /// Refuses a share of the requests; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func throttle(_ throttle: AdaptiveThrottle) -> Self { nothing }

    /// Limits the requests in flight; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func adaptiveConcurrency(_ limit: AdaptiveConcurrency) -> Self { nothing }

    /// Sends a call's remaining time and priority; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public static func callPropagation(
        to origins: HTTPOrigins, named names: CallHeaders = CallHeaders()
    ) -> Self { nothing }
}

extension HTTPPart {
    fileprivate static var nothing: Self {
        Self(HTTPClient.CustomMiddleware(send: .passThrough, stream: .passThrough))
    }
}

extension HTTPClient {
    /// What stands in for the bulkheads; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public var loadShedder: (any OriginPolicy<LoadShedder>)? {
        get { nil }
        set {}
    }
}

extension HTTPClient.Origins.States {
    /// What stands in for the bulkhead; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public var loadShedder: LoadShedder? { nil }
}

@available(
    *, unavailable,
    message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
)
extension OriginPolicy where Self == PerOrigin<LoadShedder> {
    /// A load shedder for each origin; in `PledgeTraffic`.
    public static func perOrigin() -> Self { .perOrigin(LoadShedder()) }
}

extension RateLimiter {
    /// Creates a limiter whose bucket is in a store; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public convenience init(
        named name: String? = nil, rate: Int, per period: Duration, burst: Int = 1,
        maxWait: Duration = .seconds(1), shared: SharedState?,
        on scheduler: some FutureScheduler = .live
    ) { self.init(rate: rate, per: period) }
}

extension RetryBudget {
    /// Creates a budget whose bucket is in a store; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public convenience init(
        named name: String? = nil, capacity: Int = 10, retriesPerSuccess: Double = 0.2,
        shared: SharedState?
    ) { self.init() }
}

extension CallContext {
    /// Creates the context of a received request; in `PledgeTraffic`.
    @available(
        *, unavailable,
        message: "add the product PledgeTraffic to your target, and import PledgeTraffic"
    )
    public init(
        _ headers: HTTPHeaders, named names: CallHeaders,
        on scheduler: some FutureScheduler = .live
    ) { self.init(traceContext: nil) }
}
