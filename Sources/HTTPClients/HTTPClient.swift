public import PledgeFutures
public import PledgeHTTPAuthentication
public import PledgeHTTPCaching
public import PledgeHTTPNetworking
public import PledgeServices

/// An HTTP client: a slot for each part, and one order of the parts.
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
/// It has the functions ``send``, ``stream``, ``networking`` and ``decoded(_:)``. Each is a service
/// like any other, and is composed like any other.
///
/// ## What it does with a base alone
///
/// It follows redirects; repeats failed requests that may be repeated, three attempts in all; gives up an
/// attempt that has no answer after 30 seconds, and a call after 60; refuses calls to an origin that fails, for
/// 10 seconds at most; has 256 calls to an origin in flight, while 1,000 more wait; decompresses bodies up to 64 MiB;
/// and sends a User-Agent. Every other part is off until its slot is set. A slot that is nil turns its part off.
///
/// ## The order
///
/// The parts stand in one order, the observers outermost and the transport innermost. The guide "The whole stack" has
/// the list with the reasons. For another order use `stack`; ``problems(of:)`` lists the problems of a stack.
///
/// ## The base's origin
///
/// ``headers`` and ``authorization`` are sent to the origin of ``base`` only. A redirect to another origin is
/// followed without them, and so is a request for another origin that is passed to ``send``. The jar's rules
/// decide where cookies are sent.
///
/// ## Values, and what they share
///
/// A client is a value: changing a copy leaves the first unchanged. The retry budgets, the breakers,
/// the limiters and the bulkheads of a client are shared by its copies, and by all functions that it has returned. A copy
/// whose slot for one of these is changed begins with new ones of that kind, and keeps the others; with another
/// ``scheduler`` or ``random`` it begins with new ones of each kind. An object that you put into a slot (a
/// cache, a jar of cookies, a budget) is shared by all clients that have it. ``origins`` shows them.
///
/// It may be used from any thread. The first use of a client puts the parts together; each further one takes a lock
/// for constant time.
public struct HTTPClient {
    /// The URL that endpoints without a base of their own are appended to.
    ///
    /// Its origin gets ``headers`` and ``authorization``.
    ///
    /// With nil, each endpoint needs a base or a URL of its own; headers then go with each request to the origin
    /// that the caller names, and credentials to ``authorizedOrigins`` alone.
    public var base: URL? { didSet { renew() } }

    /// The headers of each request to the base's origin; a header that the request has itself is kept.
    public var headers: HTTPHeaders = [:] { didSet { renew() } }

    /// The header User-Agent of requests that have none; nil leaves it to the transport.
    public var userAgent: String? = "Pledge/0.1" { didSet { renew() } }

    /// The credentials of requests: a token, the tokens of a `TokenRefresher`, a password, or a key.
    public var authorization: HTTPCredentials? { didSet { renew() } }

    /// The origins that ``authorization`` is sent to; nil means the base's origin.
    public var authorizedOrigins: HTTPOrigins? { didSet { renew() } }

    /// The account of ``authorization``, for the cache; nil: requests with the same credentials have the same
    /// account.
    public var account: String? { didSet { renew() } }

    /// The jar whose cookies are sent, and which keeps those that servers set.
    public var cookies: CookieJar? { didSet { renew() } }

    /// The cache of whole responses.
    ///
    /// ``stream`` does not use it.
    public var cache: HTTPCache? { didSet { renew() } }

    /// How redirects are followed; nil follows none.
    ///
    /// With nil, a response with status 3xx is an error like any other outside
    /// ``acceptedStatuses``.
    public var redirects: Redirects? = Redirects() { didSet { renew() } }

    /// How often, and after which waits, a failed request that may be repeated is sent again.
    public var retry: Retry? = Retry() {
        didSet {
            keptStates.budgets = StatesByOrigin()
            keptStates.hedgings = StatesByOrigin()
            keptStates.pushbacks = StatesByOrigin()
            renew()
        }
    }

    /// Whether requests that must not be carried out twice get a key.
    ///
    /// By the key a server recognises a repetition, so the retry may repeat them.
    ///
    /// Only for servers that support the header Idempotency-Key.
    public var sendsIdempotencyKeys = false { didSet { renew() } }

    /// When a second request is sent beside a slow one.
    ///
    /// It works without ``retry``, and takes from the same budget.
    public var hedge: Hedge? {
        didSet {
            keptStates.hedgings = StatesByOrigin()
            renew()
        }
    }

    /// The circuit breakers: by default one for each origin.
    public var circuitBreaker: PerOrigin<CircuitBreaker>? = .perOrigin() {
        didSet {
            keptStates.breakers = StatesByOrigin()
            renew()
        }
    }

    /// How many requests may be sent in a period, such as a server's quota; the others wait or are refused.
    ///
    /// It counts every request that is sent: attempts, hedges, and those that follow a redirect.
    public var rateLimit: PerOrigin<RateLimiter>? {
        didSet {
            keptStates.limiters = StatesByOrigin()
            renew()
        }
    }

    /// How many calls may be in flight: by default 256 to each origin, while 1,000 more wait.
    public var bulkhead: PerOrigin<Bulkhead>? = .perOrigin() {
        didSet {
            keptStates.bulkheads = StatesByOrigin()
            renew()
        }
    }

    /// Says what the end of an exchange means for ``retry``, ``hedge`` and ``circuitBreaker``, where the standard rules say
    /// something else; nil: those rules.
    ///
    /// ```swift
    /// client.classifier = { end in
    ///     guard case .success(let response) = end, response.status == 404 else { return nil }
    ///     return .retryable(fault: .caller)  // the server has not seen the write yet
    /// }
    /// ```
    ///
    /// It gets the response of any status, or the error of the exchange, and returns nil for the standard rules. It is called
    /// on the thread that settles the exchange, more than once if several parts ask.
    public var classifier: (@Sendable (Result<any HTTPResponseHead, any Error>) -> Outcome?)?
    {
        didSet { renew() }
    }

    /// How long one attempt may take, from the end of the request's body until the headers of the response have
    /// arrived.
    ///
    /// While bytes of a body move, no time is counted: the transport's idle timeout, 60 seconds, ends a body that stands
    /// still. The wait for a connection is not counted either. A client over a function does not know when
    /// bytes move: the whole time of a request whose body is a file or a stream is then taken for that of its body.
    ///
    /// Less than zero is a programming error and traps when the client is used.
    public var attemptTimeout: Duration? = .seconds(30) { didSet { renew() } }

    /// How long a call may take, all attempts and waits included.
    ///
    /// For ``stream``: until the headers have arrived. The time in which bytes of a request's body leave that is a file or a
    /// stream is not counted, so that a long upload does not end by it.
    ///
    /// Less than zero is a programming error and traps when the client is used.
    public var deadline: Duration? = .seconds(60) { didSet { renew() } }

    /// The largest decompressed body, in bytes; nil: the client asks for no coding, and decompresses nothing.
    ///
    /// It does not limit a body that the transport decompresses: the transport has a limit of its own.
    public var decompressionLimit: Int? = 64 << 20 { didSet { renew() } }

    /// The statuses that are not errors, whatever way a call takes: words like `get`, ``send``, ``stream``,
    /// ``networking`` or ``decoded(_:)``.
    ///
    /// Any other status is an `HTTPError` that keeps the response. With nil, no status is an error.
    public var acceptedStatuses: ClosedRange<Int>? = 200...299 { didSet { renew() } }

    /// How JSON is written and read: bodies that are sent, and values that this client, its responses and its errors decode.
    ///
    /// A body that has settings or an encoder of its own keeps them.
    public var json = JSONCoding() { didSet { renew() } }

    /// Where lines about the exchanges are written.
    public var log: Log? { didSet { renew() } }

    /// The metrics that count the calls and measure how long they take.
    public var metrics: ServiceMetrics? { didSet { renew() } }

    /// Further observers of the parts, such as a recorder.
    public var observers: [ServiceObserver] = [] { didSet { renew() } }

    /// The name of a call for the observers and in the metrics: by default like "GET api.example.com".
    ///
    /// It must contain no secrets, and have few different values: each becomes a label of the metrics.
    public var callName: @Sendable (HTTPRequest) -> String = HTTPClient.methodAndHost {
        didSet { renew() }
    }

    /// How calls are traced across processes; nil: no trace is begun or sent.
    public var tracing: Tracing? { didSet { renew() } }

    /// Your own middleware around each call: outside all parts except the observers.
    ///
    /// It gets an `HTTPError` if the status is not accepted.
    public var aroundCall: CustomMiddleware? { didSet { renew() } }

    /// Your own middleware around each attempt: within the retry, outside the hedge.
    public var aroundAttempt: CustomMiddleware? { didSet { renew() } }

    /// Your own middleware around each exchange: only the decompression and the transport are beneath it.
    public var aroundExchange: CustomMiddleware? { didSet { renew() } }

    /// The scheduler of all parts.
    ///
    /// An object that is made elsewhere (a cache, a budget) has a scheduler of its own.
    public var scheduler: any Scheduler = LiveScheduler.live {
        didSet {
            keptStates = KeptStates()
            renew()
        }
    }

    /// The source of randomness of all parts: the jitter of waits, idempotency keys, and the IDs of traces.
    public var random: RandomSource = .system {
        didSet {
            keptStates = KeptStates()
            renew()
        }
    }

    /// The transport that sends the requests.
    let transport: any HTTPTransport

    /// What it keeps about the origins that it calls.
    private(set) var keptStates = KeptStates()

    /// The functions of the client, made when they are first used.
    private(set) var lazyFunctions = LazyFunctions()

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``base``.
    ///   - transport: The transport that sends the requests.
    public init(base: URL?, over transport: some HTTPTransport) {
        self.base = base
        self.transport = transport
    }

    /// Makes a client over a function: a fake in a test, or your own stack.
    ///
    /// ``stream`` returns the whole responses of that function as streamed bodies.
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``base``.
    ///   - send: The function that sends the requests.
    public init(base: URL?, over send: @escaping HTTPService) {
        self.init(base: base, over: FunctionTransport(service: send))
    }

    /// Makes a client over an async function: a fake in a test, or another library.
    ///
    /// ```swift
    /// let client = HTTPClient(base: server) { request in HTTPResponse(status: await fake.status(of: request)) }
    /// ```
    ///
    /// - Parameters:
    ///   - base: The URL that endpoints are appended to; see ``base``.
    ///   - send: The function that sends the requests. Called in a task of its own, which is cancelled with the call.
    @_disfavoredOverload
    public init(
        base: URL?, over send: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        self.init(base: base, over: asFuture(send))
    }

    private mutating func renew() { lazyFunctions = LazyFunctions() }
}

extension HTTPClient: Sendable {}
