public import Foundation
public import PledgeFutures
public import PledgeHTTPAuthentication
public import PledgeHTTPBodies
public import PledgeHTTPCaching
public import PledgeHTTPClients
public import PledgeHTTPNetworking
public import PledgeServices

// Names of PledgeStorage, PledgeStores, PledgeArticles and PledgeTesting, for an app that hasn't imported them: the
// compiler's error then says what to do. If the module with the name is imported, or the app has such a name itself, the
// compiler doesn't look at these, or prefers the available one.

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
        isPublicSuffix: @escaping @Sendable (String) -> Bool = PublicSuffix.contains,
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
    /// Creates nothing.
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
    /// Creates nothing.
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
    /// Nothing.
    public static var tus: ResumableUploadProtocol { ResumableUploadProtocol() }

    /// Nothing.
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
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil,
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
        by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
        progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil
    ) -> Future<HTTPResponse> { fatalError() }
}

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
