public import Futures
public import HTTPAuthentication
public import HTTPCaching
public import HTTPNetworking
public import Services

/// A client with everything in its place: a slot for each part, and one order of the parts.
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
/// It follows redirects; repeats what failed and may be repeated, three attempts in all; gives up an attempt
/// after 30 seconds; decompresses bodies up to 64 MiB; and says who it is. All else is off until its slot is set, and
/// a slot that is nil turns its part off.
///
/// ## The order
///
/// From outside: the observers (``log``, ``metrics``, ``observers``), a new trace (``tracing``), ``aroundCall``,
/// ``deadline``,
/// ``acceptedStatuses``, ``userAgent``, ``sendsIdempotencyKeys``, ``redirects``, ``headers``,
/// ``cookies``, ``authorization``, ``cache``, ``bulkhead``, ``retry``, ``aroundAttempt``,
/// ``hedge``, ``circuitBreaker``, ``tracing``, ``log``, ``attemptTimeout``, ``aroundExchange``,
/// ``decompressionLimit``, and the transport. The page "The whole stack" has the reasons. For
/// another order use `stack`; ``problems(of:)`` lists the problems of a stack.
///
/// ## The base's origin
///
/// ``headers`` and ``authorization`` go to the origin of ``base`` alone: not where a redirect leads to another one, and
/// not with a request that ``send`` is given for another one. Cookies go where the jar's rules say.
///
/// ## Values, and what they share
///
/// A client is a value: changing a copy leaves the first unchanged. The retry budget, the breakers
/// and the bulkheads of a client are shared by all unchanged copies, and by all functions that it
/// has returned; a changed client begins with new ones. An object that you put into a slot (a
/// cache, a jar of cookies, a budget) is shared by all clients that have it.
///
/// It may be used from any thread. The first use of a client puts the parts together; each further one takes a lock
/// for constant time.
public struct HTTPClient {
    /// What endpoints without a base of their own are appended to, and whose origin gets ``headers`` and
    /// ``authorization``.
    ///
    /// With nil, each endpoint needs a base or a URL of its own; headers then go with each request to the origin
    /// that the caller names, and credentials to ``authorizedOrigins`` alone.
    public var base: URL? { didSet { renew() } }

    /// What each request to the base's origin has, where it has no header of that name itself.
    public var headers: HTTPHeaders = [:] { didSet { renew() } }

    /// The header User-Agent of requests that have none; nil leaves it to the transport.
    public var userAgent: String? = "Pledge/0.1" { didSet { renew() } }

    /// By what requests are let in: a token, a `TokenRefresher`'s, a password, or a key.
    public var authorization: HTTPCredentials? { didSet { renew() } }

    /// Whom ``authorization`` is for; nil means the base's origin.
    public var authorizedOrigins: HTTPOrigins? { didSet { renew() } }

    /// The account of ``authorization``, for the cache; nil means all requests with the same
    /// credentials.
    public var account: String? { didSet { renew() } }

    /// The jar whose cookies are sent, and which keeps those that servers set.
    public var cookies: CookieJar? { didSet { renew() } }

    /// The cache of whole responses.
    ///
    /// ``stream`` goes past it.
    public var cache: HTTPCache? { didSet { renew() } }

    /// How redirects are followed; nil gives them back as they come.
    public var redirects: Redirects? = Redirects() { didSet { renew() } }

    /// How often, and after which waits, a request is sent again that failed and may be repeated.
    public var retry: Retry? = Retry() { didSet { renew() } }

    /// Whether requests that must not be carried out twice get a key, by which a server knows the second for the
    /// first, so that the retry may repeat them.
    ///
    /// Only for servers that heed the header Idempotency-Key.
    public var sendsIdempotencyKeys = false { didSet { renew() } }

    /// When a second request is sent beside a slow one.
    ///
    /// It needs no ``retry``, and draws on its budget.
    public var hedge: Hedge? { didSet { renew() } }

    /// The breakers, one for each origin unless told otherwise.
    public var circuitBreaker: OriginState<CircuitBreaker>? { didSet { renew() } }

    /// How many calls may be in flight, to each origin unless told otherwise.
    public var bulkhead: OriginState<Bulkhead>? { didSet { renew() } }

    /// How long one attempt may take: until the whole response has come, or of ``stream`` until its headers have.
    ///
    /// Less than zero is a programming error and traps when the client is used.
    public var attemptTimeout: Duration? = .seconds(30) { didSet { renew() } }

    /// How long a call may take, all attempts and waits included; of ``stream``, until the headers have come.
    ///
    /// Less than zero is a programming error and traps when the client is used.
    public var deadline: Duration? { didSet { renew() } }

    /// How many bytes a body may have that the client decompresses; nil: it asks for no coding, and decompresses none.
    ///
    /// It bounds no body that the transport gives decompressed: that is the transport's own limit.
    public var decompressionLimit: Int? = 64 << 20 { didSet { renew() } }

    /// The statuses that are no error; nil: ``send`` and ``stream`` give every response, and ``networking`` accepts
    /// 200…299.
    public var acceptedStatuses: ClosedRange<Int>? { didSet { renew() } }

    /// How ``decoded(_:)`` reads JSON; give it to `Endpoint.Body.json(_:using:)` for what is sent.
    public var json = JSONCoding()

    /// Where lines about the exchanges are written.
    public var log: Log? { didSet { renew() } }

    /// What counts the calls, and measures how long they take.
    public var metrics: ServiceMetrics? { didSet { renew() } }

    /// Further observers that hear what the parts do, such as a recorder.
    public var observers: [ServiceObserver] = [] { didSet { renew() } }

    /// What a call is named by, to the observers and in the metrics: like "GET api.example.com", unless told otherwise.
    ///
    /// It must hold no secrets, and have few different values: each is a label that stays.
    public var callName: @Sendable (HTTPRequest) -> String = HTTPClient.methodAndHost {
        didSet { renew() }
    }

    /// How calls are traced across processes; nil: no trace begins, and none is sent.
    public var tracing: Tracing? { didSet { renew() } }

    /// Your own middleware around each call: outside all but the observers.
    ///
    /// Of ``networking`` and ``decoded(_:)``, it gets an `HTTPError` where the status is not accepted.
    public var aroundCall: OwnMiddleware? { didSet { renew() } }

    /// Your own middleware around each attempt: within the retry, outside the hedge.
    public var aroundAttempt: OwnMiddleware? { didSet { renew() } }

    /// Your own middleware around each exchange: outside the decompression and the transport only.
    public var aroundExchange: OwnMiddleware? { didSet { renew() } }

    /// Whose time all parts use.
    ///
    /// An object that is made elsewhere (a cache, a budget) has its own.
    public var scheduler: any Scheduler = LiveScheduler.live { didSet { renew() } }

    /// Where the chance of all parts comes from: the jitter of waits, idempotency keys, and the IDs of traces.
    public var random: RandomSource = .system { didSet { renew() } }

    /// What carries the requests.
    let transport: any HTTPTransport

    /// The functions that it hands out, made when they are first used.
    private(set) var lazyFunctions = LazyFunctions()

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - base: What endpoints are appended to; see ``base``.
    ///   - transport: What carries the requests.
    public init(base: URL?, over transport: some HTTPTransport) {
        self.base = base
        self.transport = transport
    }

    /// Makes a client over a function: a fake in a test, or a stack of your own.
    ///
    /// ``stream`` gives the whole responses of that function, as bodies on their way.
    ///
    /// - Parameters:
    ///   - base: What endpoints are appended to; see ``base``.
    ///   - send: What carries the requests.
    public init(base: URL?, over send: @escaping HTTPService) {
        self.init(base: base, over: FunctionTransport(service: send))
    }

    private mutating func renew() { lazyFunctions = LazyFunctions() }
}

extension HTTPClient: Sendable {}
