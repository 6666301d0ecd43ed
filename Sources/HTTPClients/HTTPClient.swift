public import PledgeFutures
public import PledgeHTTPAuthentication
public import PledgeHTTPCaching
public import PledgeHTTPNetworking
public import PledgeServices

/// An HTTP client with a slot for each part, and the parts in the right order.
///
/// ```swift
/// var client = HTTPClient(base: server)
/// client.authorization = .bearer(from: refresher)
/// client.cache = HTTPCache()
/// client.deadline = .seconds(20)
///
/// let products: Future<[Product]> = client.decoded(Endpoint(path: "/products"))
/// ```
///
/// Call it through ``send``, ``stream``, ``networking`` or ``decoded(_:)``. Each of these is an ordinary service, and
/// you can combine it like any other.
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
/// stack" lists the order with the reasons. To choose another order, use `stack`; ``problems(of:)`` lists a stack's
/// problems.
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
/// The client sends ``headers`` only to the origin of ``base``, and ``authorization`` only to ``authorizedOrigins``,
/// which is the same origin by default. So another origin gets neither of them, whether a redirect leads there or you
/// pass a request for it to ``send``. The cookie jar's rules decide where cookies are sent.
///
/// ## Values, and what they share
///
/// A client is a value: changing a copy leaves the original unchanged. Copies of a client, and all functions that it
/// has returned, share its retry budgets, breakers, limiters and bulkheads. If you change the slot for one of these
/// in a copy, the copy starts with new ones of that kind and keeps the other kinds. If you change the copy's
/// ``scheduler`` or ``random``, it starts with new ones of every kind. An object that you put into a slot (a cache, a
/// cookie jar, a budget) is shared by all clients that hold it. ``origins`` shows the budgets, breakers, limiters and
/// bulkheads.
///
/// ## Changes while calls are in flight
///
/// You can change a slot of a client that is in use. The next call uses it, even if you make the call with a function
/// that you took from the client before. Calls in flight go on as they began. A changed number of attempts doesn't
/// refill a budget: retry budgets stay, unless you change their own limits. A changed limit of ``bulkhead`` holds for
/// the bulkheads that exist, whose calls in flight still count.
///
/// As the client is a value, this is true of a client without copies. If there are copies, functions that you took
/// before stay with the copies that you didn't change, and so do the bulkheads. To change a limit for all copies, change
/// the state that they share: `client.origins[origin].bulkhead?.resize(limit: 8, queue: 100)`.
///
/// You can use a client from any thread. The first use assembles the parts; each later use holds a lock for a short,
/// constant time.
public struct HTTPClient: Sendable {
    /// The URL that endpoints without their own base are appended to.
    ///
    /// Its origin gets ``headers`` and ``authorization``.
    ///
    /// With nil, each endpoint needs its own base or URL. The headers then go to whatever origin the caller names,
    /// and the credentials only to ``authorizedOrigins``.
    public var base: URL? { didSet { renew() } }

    /// The headers of each request to the base's origin.
    ///
    /// If a request has a header with the same name, the request's header is sent instead.
    public var headers: HTTPHeaders = [:] { didSet { renew() } }

    /// The User-Agent of requests that have none; nil leaves it to the transport.
    public var userAgent: String? = "Pledge/0.1" { didSet { renew() } }

    /// The credentials of requests: a token, a `TokenRefresher`'s tokens, a password, or a key.
    public var authorization: HTTPCredentials? { didSet { renewUsers() } }

    /// The origins that get ``authorization``; nil for the base's origin.
    public var authorizedOrigins: HTTPOrigins? { didSet { renew() } }

    /// The account that ``authorization`` belongs to, for the cache.
    ///
    /// With nil, requests with the same credentials have the same account. When the user of a `TokenRefresher` signs
    /// out, the ``cache`` removes the account's responses. For other credentials, call `HTTPCache.remove(account:)`.
    public var account: String? { didSet { renewUsers() } }

    /// The jar that keeps the servers' cookies and sends them back.
    public var cookies: CookieJar? { didSet { renewUsers() } }

    /// The cache of whole responses; ``stream`` doesn't use it.
    ///
    /// If a stale response can stand in for a failure, you get it after the first ``attemptTimeout`` or at the
    /// ``deadline``, whichever is earlier.
    public var cache: HTTPCache? { didSet { renewUsers() } }

    /// The rules for following redirects; nil follows none.
    ///
    /// With nil, a 3xx response is an error, like any other status outside ``acceptedStatuses``.
    public var redirects: Redirects? = Redirects() { didSet { renew() } }

    /// The rules for repeating a failed request that may be repeated; nil repeats none.
    public var retry: Retry? = Retry() {
        didSet {
            if oldValue == nil || !SharedStates(of: self).keepsBudgets {
                keptStates.budgets = StatesByOrigin()
                keptStates.hedgings = StatesByOrigin()
            }
            if retry?.maxServerDelay != oldValue?.maxServerDelay {
                keptStates.pushbacks = StatesByOrigin()
            }
            renew()
        }
    }

    /// Adds an idempotency key to requests that must not be carried out twice.
    ///
    /// The key lets a server recognise a repeated request, so the retry may repeat it. Use it only for servers that
    /// support the Idempotency-Key header.
    public var sendsIdempotencyKeys = false { didSet { renew() } }

    /// The rules for sending a second request beside a slow one.
    ///
    /// A hedge works without ``retry`` too. With both, hedges and retries draw from the same budget.
    public var hedge: Hedge? {
        didSet {
            if hedge?.delay != oldValue?.delay || hedge?.maxExtraLoad != oldValue?.maxExtraLoad {
                keptStates.hedgings = StatesByOrigin()
            }
            renew()
        }
    }

    /// The circuit breakers; one for each origin by default.
    public var circuitBreaker: PerOrigin<CircuitBreaker>? = .perOrigin() {
        didSet {
            keptStates.breakers = StatesByOrigin()
            renew()
        }
    }

    /// The limit on requests in a period, such as a server's quota; excess requests wait or are refused.
    ///
    /// The limit counts every request that is sent: attempts, hedges, and redirected requests.
    public var rateLimit: PerOrigin<RateLimiter>? {
        didSet {
            keptStates.limiters = StatesByOrigin()
            renew()
        }
    }

    /// The limit on calls in flight; by default 256 to each origin, while 1,000 more wait.
    ///
    /// By default, a call counts for at most a second, so calls to a hanging host don't keep the others waiting. Waiting
    /// calls start in the order of their `CallPriority`, and a more important call displaces a less important one from a
    /// full queue. With ``PerOrigin/shedding(_:)``, load shedders stand in for the bulkheads.
    public var bulkhead: PerOrigin<Bulkhead>? = .perOrigin() {
        didSet {
            let isAlone = isKnownUniquelyReferenced(&bulkheadUsers)
            if !isAlone || !SharedStates(of: self).resizeBulkheads() {
                keptStates.bulkheads = StatesByOrigin()
                keptStates.shedders = StatesByOrigin()
                bulkheadUsers = Users()
            }
            renew()
        }
    }

    /// Overrides what the end of an exchange means for ``retry``, ``hedge`` and ``circuitBreaker``.
    ///
    /// ```swift
    /// client.classifier = { end in
    ///     guard case .success(let response) = end, response.status == 404 else { return nil }
    ///     return .retryable(fault: .caller)  // the server has not seen the write yet
    /// }
    /// ```
    ///
    /// The function gets a response of any status, or the error of the exchange. If it returns nil, or if there is no
    /// function, the standard rules decide. It is called on the thread that settles the exchange, more than once if
    /// several parts ask.
    public var classifier: (@Sendable (Result<any HTTPResponseHead, any Error>) -> Outcome?)?
    {
        didSet { renew() }
    }

    /// The time limit for one attempt, from the end of the request's body until the response's headers arrive.
    ///
    /// The time in which the bytes of a body are sent or received isn't counted. If no bytes move, the transport's idle
    /// timeout of 60 seconds ends the attempt. Bytes in memory count as sent at once if there are at most 64 KiB.
    /// Waiting for a connection isn't counted either. A client over a function can't see when bytes move, so if the
    /// request's body is a file or a stream, no time is counted at all; bytes in memory then count as sent at once.
    ///
    /// Set a longer time, or nil, if your server needs more than 45 seconds to begin its answer, such as for a report or a
    /// long poll. Less than zero is a programming error and traps when the client is used.
    public var attemptTimeout: Duration? = .seconds(45) { didSet { renew() } }

    /// The time limit for a call, including all attempts and waits.
    ///
    /// For ``stream``, the limit covers the time until the headers arrive. The time spent sending a body isn't counted,
    /// unless it has at most 64 KiB in memory, so a long upload doesn't exceed the limit. The time spent waiting for a
    /// free connection is counted, and the error names it.
    ///
    /// Set a longer time, or nil, for a whole response that takes more than 100 seconds to arrive, or use ``stream``. Less
    /// than zero is a programming error and traps when the client is used.
    public var deadline: Duration? = .seconds(100) { didSet { renew() } }

    /// The largest decompressed body, in bytes.
    ///
    /// With nil, the client neither asks for a content coding nor decompresses a body. If the transport decompresses a
    /// body, the transport's own limit applies instead. A resumed download has its own limit.
    public var decompressionLimit: Int? = 64 << 20 { didSet { renew() } }

    /// The statuses that aren't errors, whichever function of the client you call.
    ///
    /// Any other status is an `HTTPError` that keeps the response, except for a 206 to a download that has asked for
    /// missing bytes. With nil, no status is an error.
    public var acceptedStatuses: ClosedRange<Int>? = 200...299 { didSet { renew() } }

    /// The JSON settings for sent bodies, and for values that the client, its responses and its errors decode.
    ///
    /// A body with its own settings or encoder keeps them.
    public var json = JSONCoding() { didSet { renew() } }

    /// The function that writes a line for each exchange; nil writes none.
    public var log: Log? { didSet { renew() } }

    /// The observers of the parts, such as the observer of a `ServiceMetrics` or of a recorder.
    ///
    /// Metrics also show the numbers of the client's own breakers, bulkheads, limiters and budgets.
    public var observers: [ServiceObserver] = [] { didSet { renew() } }

    /// The name of a call for observers and metrics; by default, it is like "GET api.example.com".
    ///
    /// It must hold no secrets. Keep the number of different names small, because each becomes a label of the metrics.
    public var callName: @Sendable (HTTPRequest) -> String = HTTPClient.methodAndHost {
        didSet { renew() }
    }

    /// The rules for tracing calls across processes; nil begins and sends no trace.
    public var tracing: Tracing? { didSet { renew() } }

    /// Your own middleware around each call, outside all parts except the observers.
    ///
    /// If a status isn't accepted, the middleware gets an `HTTPError`.
    public var aroundCall: CustomMiddleware? { didSet { renew() } }

    /// Your own middleware around each attempt, inside the retry and outside the hedge.
    public var aroundAttempt: CustomMiddleware? { didSet { renew() } }

    /// Your own middleware around each exchange; only decompression and the transport are below it.
    public var aroundExchange: CustomMiddleware? { didSet { renew() } }

    /// The scheduler of all parts.
    ///
    /// An object that you create yourself (a cache, a budget) keeps its own scheduler.
    public var scheduler: any FutureScheduler = LiveScheduler.live {
        didSet {
            keptStates = KeptStates()
            renew()
        }
    }

    /// The source of randomness of all parts, for jitter, idempotency keys and trace IDs.
    public var random: RandomSource = .system {
        didSet {
            keptStates = KeptStates()
            renew()
        }
    }

    let transport: any HTTPTransport

    /// The states that the client keeps for each origin.
    private(set) var keptStates = KeptStates()

    /// The client's functions, shared by its copies until one of them changes.
    private var lazyFunctions = LazyFunctions()

    /// An object that is held by this client and by all copies with the same bulkheads.
    private var bulkheadUsers = Users()

    private final class Users: Sendable {}

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``base``.
    ///   - transport: The transport that sends the requests.
    public init(base: URL?, over transport: some HTTPTransport) {
        self.base = base
        self.transport = transport
    }

    /// Creates a client over a function, such as a fake in a test, or your own stack.
    ///
    /// ``stream`` returns the function's whole responses as streamed bodies.
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``base``.
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
    ///   - base: The URL that endpoints are appended to; see ``base``.
    ///   - send: The function that sends the requests. Each call runs it in a new task, which is cancelled with the
    ///     call.
    @_disfavoredOverload
    public init(
        base: URL?, over send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        self.init(base: base, over: asFuture(send))
    }

    private mutating func renew() {
        if isKnownUniquelyReferenced(&lazyFunctions) {
            lazyFunctions.follow(self)
        } else {
            lazyFunctions = LazyFunctions()
        }
    }

    /// Has the cache told when a user signs out, even if no request is sent before.
    private mutating func renewUsers() {
        if let cache {
            authorization?.inform(cache, account: account)
            cookies?.inform(cache)
        }
        renew()
    }

    /// A copy that doesn't count as one when the client changes; its functions are the client's.
    var uncountedCopy: HTTPClient { copy(with: LazyFunctions(following: lazyFunctions)) }

    /// A copy for the assembly of the parts, which doesn't hold the client's functions.
    var slots: HTTPClient { copy(with: LazyFunctions()) }

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
    /// Sends a request, and returns a future of the whole response.
    ///
    /// A status outside ``acceptedStatuses`` is an error, as in every other function of the client. A request for an
    /// origin other than the base's gets neither ``headers`` nor credentials.
    public var send: HTTPService { functions.send }

    /// Sends a request, and returns a future that settles when the response's headers arrive.
    ///
    /// It works like ``send``, but without the cache. If the exchange fails after the headers, reading the body fails;
    /// the request isn't repeated.
    public var stream: HTTPStreamingService { functions.stream }

    /// Sends an endpoint's request, resolved against ``base``, and returns a future of the whole response.
    ///
    /// ```swift
    /// let response = try await client.send(Endpoint(path: "/products")).value
    /// print(response.headers["X-RateLimit-Remaining"] ?? "")
    /// ```
    ///
    /// - Returns: A future that rejects with the same errors as for a request, and with `Endpoint.Error` if the
    ///   endpoint can't be sent.
    public func send(_ endpoint: Endpoint) -> Future<HTTPResponse> { send(endpoint, nil) }

    /// Sends an endpoint's request, resolved against ``base``, and returns a future of the streamed response.
    ///
    /// The future settles when the response's headers arrive.
    ///
    /// - Returns: A future that rejects with the same errors as for a request, and with `Endpoint.Error` if the
    ///   endpoint can't be sent.
    public func stream(_ endpoint: Endpoint) -> Future<HTTPStreamedResponse> {
        functions.streamEndpoint(endpoint, nil)
    }

    /// Sends an endpoint's request, and returns a future of the response's body.
    ///
    /// It works like `send` with an endpoint, for code that takes a `Networking`. The returned data doesn't contain the
    /// client's ``json`` settings. To decode the data with these settings, call `decoded(using: client.json)` on the
    /// future, or call ``decoded(_:)`` instead.
    public var networking: Networking { functions.networking }

    /// Sends an endpoint's request; a `body` that isn't nil replaces the endpoint's body.
    func send(_ endpoint: Endpoint, _ body: HTTPRequest.Body?) -> Future<HTTPResponse> {
        functions.sendEndpoint(endpoint, body)
    }

    /// Sends an endpoint's request, and decodes the accepted body as JSON with ``json``.
    ///
    /// ```swift
    /// let product: Future<Product> = client.decoded(.product(withID: 7))
    /// let load: @Sendable (Int) -> Future<Product> = chain(Endpoint.product, to: client.decoded)
    /// ```
    ///
    /// Observers see the call, but not the decoding.
    ///
    /// - Returns: A future that rejects with the same errors as ``networking``. If the body can't be decoded, it
    ///   rejects with a `DecodingFailure`, which keeps the response and its request. Decoding runs on the thread that
    ///   settles the call.
    @Sendable
    public func decoded<Value: Decodable & Sendable>(_ endpoint: Endpoint) -> Future<Value> {
        send(endpoint).mapWithoutOrigin { [json] in try json.value(of: $0) }
    }

    /// Sends an endpoint's request, and decodes the accepted body as JSON with ``json``, on the caller's actor.
    ///
    /// ```swift
    /// let product: Product = try await client.decoded(.product(withID: 7))
    /// ```
    ///
    /// - Throws: The errors that the future of ``decoded(_:)`` rejects with.
    @_disfavoredOverload
    public func decoded<Value: Decodable>(
        _ endpoint: Endpoint, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try json.value(of: await send(endpoint).get())
    }
}

extension HTTPClient: CustomStringConvertible, CustomReflectable {
    /// The base's origin, without the rest of the URL, which may hold secrets.
    public var description: String {
        let origin = base.map {
            HTTPOrigin($0)?.description ?? "a base that is no http or https URL"
        }
        return "HTTPClient(\(origin ?? "no base"))"
    }

    /// A mirror with only the description, because slots hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}

/// A transport over a function that returns whole responses.
struct FunctionTransport: HTTPTransport {
    private let service: HTTPService
    /// The client's clock.
    var scheduler: any FutureScheduler = LiveScheduler.live

    init(service: @escaping HTTPService) { self.service = Middleware.naming(service) }

    /// Calls the function; notes the request in the attempt's record and in the response, unless the function does so.
    ///
    /// A cache reads the request in the response, to learn whether a part below the cache added credentials.
    ///
    /// The function can't tell when the bytes of a body are sent. So if the body is read while it is sent, the whole
    /// time counts as upload time, which time limits leave out.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let context = CallContext.current
        let future = sendRecorded(request, in: context, service)
        guard request.body.isReadWhileSent, let record = context.record, !future.isSettled else {
            return future
        }
        record.begin(.upload, on: scheduler)
        return future.onEnd { _ in record.end(.upload) }
    }
}
