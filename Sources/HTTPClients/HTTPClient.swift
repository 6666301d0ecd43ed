public import PledgeFutures
public import PledgeHTTPAuthentication
import PledgeHTTPCaching
public import PledgeHTTPMessages
public import PledgeHTTPNetworking
public import PledgeHTTPTransportKit
import PledgeServices

/// An HTTP client with a slot for each part, and the parts in the right order.
///
/// ```swift
/// var client = HTTPClient(base: server)
/// client.authorization = .bearer(from: refresher)
/// client.cache = HTTPCache()
/// client.deadline = .seconds(20)
///
/// let products: [Product] = try await client.get("/products")
/// ```
///
/// You await the calls as they are written. ``futures`` has the same calls as futures, and its functions are ordinary
/// services, which you can combine like any other.
///
/// ## The defaults
///
/// A new client follows redirects. It repeats failed requests that may be repeated, for three attempts in all. An
/// attempt fails after 45 seconds without an answer, and a call fails after 100 seconds. The client refuses calls to a
/// failing origin, for at most 10 seconds at a time. At most 256 calls to an origin are in flight, while 1,000 more
/// wait; a call that takes longer than a second no longer counts. It decompresses bodies of up to 64 MiB, and sends a
/// User-Agent. Every other part is off until you set its slot. Setting a slot to nil turns its part off.
///
/// ## The order
///
/// The parts have a fixed order: the observers are outermost, and the transport is innermost. The guide "The whole
/// stack" lists the order with the reasons. To choose another order, make an ``HTTPStack``;
/// ``HTTPStack/problems`` lists its problems.
///
/// ## Cancelled tasks
///
/// A call that you make in a task that is already cancelled fails with `CancellationError`, even if you don't await it.
/// It sends nothing, and takes no token, no place in a bulkhead, and no breaker's probe. To make a call from a
/// cancelled task, for example to clean up, use a new `Task`. The client looks at the task only where your own code
/// makes the call. A closure that you pass to a future, such as one for `flatMap`, may run in any task, so its calls
/// are made.
///
/// ## The base's origin
///
/// The client sends ``Settings/headers`` only to the origin of ``Settings/base``, and ``Settings/authorization`` only to ``Settings/authorizedOrigins``,
/// which is the same origin by default. So another origin gets neither of them, whether a redirect leads there or you
/// pass a request for it to `send`. The cookie jar's rules decide where cookies are sent.
///
/// ## Values, and what they share
///
/// A client is a value: changing a copy leaves the original unchanged. Copies of a client, and all functions that it
/// has returned, share its retry budgets, breakers, limiters and bulkheads. If you change the slot for one of these
/// in a copy, the copy starts with new ones of that kind and keeps the other kinds. If you change the copy's
/// ``Settings/scheduler`` or ``Settings/random``, it starts with new ones of every kind. An object that you put into a slot (a cache, a
/// cookie jar, a budget) is shared by all clients that hold it. ``origins`` shows the budgets, breakers, limiters and
/// bulkheads.
///
/// ## Changes while calls are in flight
///
/// You can change a slot of a client that is in use. The next call uses it, even if you make the call with a function
/// that you took from the client before. Calls in flight go on as they began. A changed number of attempts doesn't
/// refill a budget: retry budgets stay, unless you change their own limits. A changed limit of ``Settings/bulkhead`` holds for
/// the bulkheads that exist, whose calls in flight still count.
///
/// As the client is a value, this is true of a client without copies. If there are copies, functions that you took
/// before stay with the copies that you didn't change, and so do the bulkheads. To change a limit for all copies, change
/// the state that they share: `client.origins[origin].bulkhead?.resize(limit: 8, queue: 100)`.
///
/// You can use a client from any thread. The first use assembles the parts; each later use holds a lock for a short,
/// constant time.
@dynamicMemberLookup
public struct HTTPClient: Sendable {
    let transport: any HTTPTransport

    /// The slots; each change goes through the setter of the subscript.
    var slots: Settings { _read { yield kept.settings } }

    /// The slots in an object, so that a client is a few references, and so is each closure that keeps one.
    private(set) var kept: KeptSettings

    /// The states that the client keeps for each origin.
    private(set) var keptStates = KeptStates()

    /// The client's functions, shared by its copies until one of them changes.
    private var lazyFunctions = LazyFunctions()

    /// An object that is held by this client and by all copies with the same bulkheads.
    private var bulkheadUsers = Users()

    private final class Users: Sendable {}

    /// Unchecked: only the one client that holds the object changes it.
    final class KeptSettings: @unchecked Sendable {
        fileprivate(set) var settings: Settings

        init(_ settings: Settings) { self.settings = settings }
    }

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``Settings/base``.
    ///   - transport: The transport that sends the requests.
    public init(base: URL?, over transport: some HTTPTransport) {
        kept = KeptSettings(Settings(base: base))
        self.transport = transport
    }

    /// Creates a client over a function, such as a fake in a test, or your own stack.
    ///
    /// `stream` returns the function's whole responses as streamed bodies.
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``Settings/base``.
    ///   - send: The function that sends the requests.
    public init(base: URL?, over send: @escaping HTTPService) {
        self.init(base: base, over: FunctionTransport(service: send))
    }

    /// Creates a client over an async function, such as a fake in a test, or another library.
    ///
    /// ```swift
    /// let client = HTTPClient(base: server) { request in HTTPResponse(status: await fake.status(of: request)) }
    /// ```
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``Settings/base``.
    ///   - send: The function that sends the requests. Each call runs it in a new task, which is cancelled with the
    ///     call.
    @_disfavoredOverload
    public init(
        base: URL?, over send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        self.init(base: base, over: asFuture(send))
    }

    /// What is in a slot; see ``Settings``.
    ///
    /// After a change, the client's functions use the new value.
    public subscript<Value>(dynamicMember slot: WritableKeyPath<Settings, Value>) -> Value {
        get { kept.settings[keyPath: slot] }
        set {
            let wasRetrying = slots.retry != nil
            if !isKnownUniquelyReferenced(&kept) { kept = KeptSettings(kept.settings) }
            kept.settings[keyPath: slot] = newValue
            renewStates(of: slot)
            // Hedges draw from the retries' budget, if there are any.
            if wasRetrying != (slots.retry != nil) { renewBudgets() }
            if isKnownUniquelyReferenced(&lazyFunctions) {
                lazyFunctions.follow(self)
            } else {
                lazyFunctions = LazyFunctions()
            }
        }
    }

    /// Discards the states that a changed slot would make otherwise.
    private mutating func renewStates(of slot: PartialKeyPath<Settings>) {
        switch slot {
        case \.scheduler, \.random: keptStates = KeptStates()
        case \.circuitBreaker: keptStates.breakers = StatesByOrigin()
        case \.rateLimit: keptStates.limiters = StatesByOrigin()
        case \.admission: keptStates.shedders = StatesByOrigin()
        case \.pushback: keptStates.pushbacks = StatesByOrigin()
        case \.hedge: keptStates.hedges = StatesByOrigin()
        case \.retryBudget:
            if !SharedStates(of: self).keepsBudgets { renewBudgets() }
        case \.bulkhead:
            let isAlone = isKnownUniquelyReferenced(&bulkheadUsers)
            if isAlone, SharedStates(of: self).resizeBulkheads() { return }
            keptStates.bulkheads = StatesByOrigin()
            bulkheadUsers = Users()
        case \.authorization, \.account, \.cookies, \.cache: informCache()
        case \.base, \.headers, \.userAgent, \.authorizedOrigins, \.redirects, \.retry,
            \.attemptHeader,
            \.sendsIdempotencyKeys, \.classifier, \.attemptTimeout, \.deadline,
            \.decompressionLimit,
            \.acceptedStatuses, \.json, \.log, \.observers, \.callName, \.tracing, \.aroundCall,
            \.aroundAttempt, \.aroundExchange:
            break
        default:
            // A path to several slots, or into one.
            keptStates = KeptStates()
            bulkheadUsers = Users()
            informCache()
        }
    }

    private mutating func renewBudgets() {
        keptStates.budgets = StatesByOrigin()
        keptStates.hedges = StatesByOrigin()
    }

    /// Has the cache told when a user signs out, even if no request is sent before.
    private func informCache() {
        guard let cache = slots.cache else { return }
        slots.authorization?.inform(cache, account: slots.account)
        slots.cookies?.inform(cache)
    }

    /// A copy that doesn't count as one when the client changes; its functions are the client's.
    var uncountedCopy: HTTPClient { copy(with: LazyFunctions(following: lazyFunctions)) }

    /// A copy for the assembly of the parts, which doesn't hold the client's functions.
    var withoutFunctions: HTTPClient { copy(with: LazyFunctions()) }

    private func copy(with functions: LazyFunctions) -> HTTPClient {
        var copy = self
        copy.lazyFunctions = functions
        copy.bulkheadUsers = Users()
        return copy
    }

    /// The client's functions.
    var functions: LazyFunctions.Functions { lazyFunctions.functions(of: self) }
}

extension HTTPClient {
    /// Sends a request, and returns the whole response.
    ///
    /// A status outside ``Settings/acceptedStatuses`` is an error, as in every other function of the client. A request
    /// for an origin other than the base's gets neither ``Settings/headers`` nor credentials.
    ///
    /// - Throws: The errors of ``get(_:as:query:headers:timeout:context:isolation:)``.
    @discardableResult
    public func send(
        _ request: HTTPRequest, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse { try await functions.send(request).get() }

    /// Sends a request, and decodes the body like `get`.
    @_disfavoredOverload
    public func send<Value: Decodable>(
        _ request: HTTPRequest, as type: Value.Type = Value.self,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value { try slots.json.value(of: await functions.send(request).get()) }

    /// Sends an endpoint's request, resolved against ``Settings/base``, and returns the whole response.
    ///
    /// ```swift
    /// let response = try await client.send(Endpoint(path: "/products"))
    /// print(response.headers["X-RateLimit-Remaining"] ?? "")
    /// ```
    ///
    /// - Throws: The errors of ``get(_:as:query:headers:timeout:context:isolation:)``.
    @discardableResult
    public func send(
        _ endpoint: Endpoint, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse { try await functions.sendEndpoint(endpoint).get() }

    /// Sends an endpoint's request, resolved against ``Settings/base``, and decodes the body like `get`.
    ///
    /// ```swift
    /// let product: Product = try await client.send(.product(withID: 7))
    /// ```
    @_disfavoredOverload
    public func send<Value: Decodable>(
        _ endpoint: Endpoint, as type: Value.Type = Value.self,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(of: await functions.sendEndpoint(endpoint).get())
    }

    /// Sends a request, and returns the response when its headers have arrived.
    ///
    /// It works like `send`, but without the cache. If the exchange fails after the headers, reading the body fails;
    /// the request isn't repeated.
    public func stream(
        _ request: HTTPRequest, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPStreamedResponse { try await functions.stream(request).get() }

    /// Sends an endpoint's request, resolved against ``Settings/base``, and returns the response when its headers have
    /// arrived.
    public func stream(
        _ endpoint: Endpoint, isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPStreamedResponse { try await functions.streamEndpoint(endpoint).get() }

    /// Sends a GET, and returns the response when its headers have arrived.
    ///
    /// ```swift
    /// for try await chunk in try await client.stream("/films/7").body { play(chunk) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path below `base`.
    ///   - query: A query to append to the path's own.
    ///   - headers: The headers of this request.
    ///   - timeout: The time limit until the headers arrive, instead of ``Settings/deadline``.
    ///   - context: Further properties of the call.
    ///   - isolation: The caller's actor; leave it out.
    public func stream(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPStreamedResponse {
        try await stream(Endpoint(.get, path, query, headers, timeout, context))
    }

    /// Sends an endpoint's request, and returns a future of the response's body, for code that takes a `Networking`.
    ///
    /// The data doesn't say which client loaded it. To decode it with the client's ``Settings/json`` settings, call
    /// `decoded(as:using:)` on the future with `client.json`.
    public var networking: Networking { functions.networking }
}

extension Endpoint {
    /// Creates the endpoint of a call, without its body.
    init(
        _ method: HTTPMethod, _ path: Path, _ query: Query, _ headers: HTTPHeaders,
        _ timeout: Duration?, _ context: HTTPRequest.Context
    ) {
        self.init(path: path, query: query, method: method, headers: headers)
        self.context = context
        if let timeout { self.context.deadline = timeout }
    }
}

extension HTTPClient.Settings: DescriptionOnly {
    /// Nothing but the type's name, because slots hold secrets.
    public var description: String { "HTTPClient.Settings" }
}

extension HTTPClient: DescriptionOnly {
    /// The base's origin, without the rest of the URL, which may hold secrets.
    public var description: String {
        let origin = slots.base.map {
            HTTPOrigin($0)?.description ?? "a base that is no http or https URL"
        }
        return "HTTPClient(\(origin ?? "no base"))"
    }
}

/// A transport over a function that returns whole responses.
struct FunctionTransport: HTTPTransport {
    private let service: HTTPService
    /// The client's clock.
    var scheduler: any FutureScheduler

    init(service: @escaping HTTPService, scheduler: any FutureScheduler = LiveScheduler.live) {
        self.service = service
        self.scheduler = scheduler
    }

    /// Calls the function; notes the request in the attempt's record and in the response, unless the function does so.
    ///
    /// A cache reads the request in the response, to learn whether a part below the cache added credentials.
    ///
    /// The function can't tell when the bytes of a body are sent. So if the body is read while it is sent, the whole
    /// time counts as upload time, which time limits leave out.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let context = CallContext.current
        let future = sendRecorded(request, in: context, completing: true, service)
        guard request.body.isReadWhileSent, let record = context.record, !future.isSettled else {
            return future
        }
        record.beginPause(.upload, on: scheduler)
        return future.onEnd { _ in record.endPause(.upload) }
    }
}
