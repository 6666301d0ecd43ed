public import PledgeAdmission
public import PledgeFutures
public import PledgeHTTPAuthentication
public import PledgeHTTPCaching
public import PledgeHTTPMessages
public import PledgeHTTPNetworking
public import PledgeServices

extension HTTPClient {
    /// The slots of a client, and what is in them by default.
    ///
    /// Read and change them as properties of the client:
    ///
    /// ```swift
    /// client.deadline = .seconds(20)
    /// client.retry?.attempts = 5
    /// ```
    public struct Settings: Sendable {
        /// The URL that endpoints without their own base are appended to.
        ///
        /// Its origin gets ``headers`` and ``authorization``. A user and a password in the URL are sent as Basic
        /// authorization, unless ``authorization`` is set; requests and responses show the URL without them.
        ///
        /// With nil, each endpoint needs its own base or URL. The headers then go to whatever origin the caller names,
        /// and the credentials only to ``authorizedOrigins``.
        public var base: URL?

        /// The headers of each request to the base's origin.
        ///
        /// If a request has a header with the same name, the request's header is sent instead.
        public var headers: HTTPHeaders = [:]

        /// The User-Agent of requests that have none; nil leaves it to the transport.
        public var userAgent: String? = "Pledge/0.1"

        /// The credentials of requests: a token, a `TokenRefresher`'s tokens, a password, or a key.
        public var authorization: HTTPCredentials?

        /// The origins that get ``authorization``; nil for the base's origin.
        public var authorizedOrigins: HTTPOrigins?

        /// The account that ``authorization`` belongs to, for the cache.
        ///
        /// With nil, requests with the same credentials have the same account. When the user of a `TokenRefresher` signs
        /// out, the ``cache`` removes the account's responses. For other credentials, call `HTTPCache.remove(account:)`.
        public var account: String?

        /// The jar that keeps the servers' cookies and sends them back.
        public var cookies: CookieJar?

        /// The cache of whole responses; `stream` doesn't use it.
        ///
        /// If a stale response can stand in for a failure, you get it after the first ``attemptTimeout`` or at the
        /// ``deadline``, whichever is earlier.
        public var cache: HTTPCache?

        /// The rules for following redirects; nil follows none.
        ///
        /// With nil, a 3xx response is an error, like any other status outside ``acceptedStatuses``.
        public var redirects: Redirects? = Redirects()

        /// The settings for repeating a failed request; nil repeats none.
        ///
        /// A request is repeated only if it is replayable, was not sent, or was not processed.
        public var retry: Retry? = Retry()

        /// The budgets that retries and hedges draw from; one for each origin by default.
        ///
        /// ```swift
        /// client.retryBudget = .perOrigin(RetryBudget(capacity: 100))  // a busy client
        /// client.retryBudget = RetryBudget(capacity: 100)  // one for all origins, and for other clients too
        /// ```
        public var retryBudget: any OriginPolicy<RetryBudget> = .perOrigin(RetryBudget())

        /// Makes other calls to an origin wait too when its server asks for a wait; see the middleware `pushback`.
        ///
        /// If the server asks for a longer wait than `maxWait`, the other calls are refused with `heldBack`.
        public var pushback: (any OriginPolicy<Pushback>)?

        /// The header that tells the server the attempt's number, starting from 1, such as `X-Attempt`; nil sends none.
        public var attemptHeader: String?

        /// Adds an idempotency key to requests that must not be carried out twice.
        ///
        /// The key lets a server recognise a repeated request, so the retry may repeat it. Use it only for servers that
        /// support the Idempotency-Key header.
        public var sendsIdempotencyKeys = false

        /// The hedges, which send a second request beside a slow one.
        ///
        /// ```swift
        /// client.hedge = .perOrigin(Hedge(maxExtraLoad: 0.02))
        /// ```
        ///
        /// A hedge works without ``retry`` too. With both, `.perOrigin` hedges also draw from ``retryBudget``, unless you give
        /// them a budget. A plain `Hedge`, which all origins share, has only the budget that you give it.
        public var hedge: (any OriginPolicy<Hedge>)?

        /// The circuit breakers; one for each origin by default.
        public var circuitBreaker: (any OriginPolicy<CircuitBreaker>)? = .perOrigin(
            CircuitBreaker())

        /// The limit on requests in a period, such as a server's quota; excess requests wait or are refused.
        ///
        /// The limit counts every request that is sent: attempts, hedges, and redirected requests.
        public var rateLimit: (any OriginPolicy<RateLimiter>)?

        /// The limit on calls in flight; by default 256 to each origin, while 1,000 more wait.
        ///
        /// By default, a call counts for at most a second, so calls to a hanging host don't keep the others waiting. Waiting
        /// calls start in the order of their `CallPriority`, and a more important call displaces a less important one from a
        /// full queue.
        public var bulkhead: (any OriginPolicy<Bulkhead>)? = .perOrigin(Bulkhead())

        /// What stands in for the bulkheads; the slot `loadShedder` of PledgeTraffic.
        package var admission: AdmissionSlot?

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

        /// The time limit for one attempt, from the end of the request's body until the response's headers arrive.
        ///
        /// The time in which the bytes of a body are sent or received isn't counted. If no bytes move, the transport's idle
        /// timeout of 60 seconds ends the attempt. Bytes in memory count as sent at once if there are at most 64 KiB.
        /// Waiting for a connection isn't counted either. A client over a function can't see when bytes move, so if the
        /// request's body is a file or a stream, no time is counted at all; bytes in memory then count as sent at once.
        ///
        /// Set a longer time, or nil, if your server needs more than 45 seconds to begin its answer, such as for a report or a
        /// long poll. Less than zero is a programming error and traps when the client is used.
        public var attemptTimeout: Duration? = .seconds(45)

        /// The time limit for a call, including all attempts and waits.
        ///
        /// For `stream`, the limit covers the time until the headers arrive. The time spent sending a body isn't counted,
        /// unless it has at most 64 KiB in memory, so a long upload doesn't exceed the limit. The time spent waiting for a
        /// free connection is counted, and the error names it.
        ///
        /// Set a longer time, or nil, for a whole response that takes more than 100 seconds to arrive, or use `stream`. Less
        /// than zero is a programming error and traps when the client is used.
        public var deadline: Duration? = .seconds(100)

        /// The largest decompressed body, in bytes.
        ///
        /// With nil, the client neither asks for a content coding nor decompresses a body. If the transport decompresses a
        /// body, the transport's own limit applies instead. A resumed download has its own limit.
        public var decompressionLimit: Int? = 64 << 20

        /// The statuses that aren't errors, whichever function of the client you call.
        ///
        /// Any other status is an `HTTPError` that keeps the response, except for a 206 to a download that has asked for
        /// missing bytes. With nil, no status is an error.
        public var acceptedStatuses: ClosedRange<Int>? = 200...299

        /// The JSON settings for sent bodies, and for values that the client, its responses and its errors decode.
        ///
        /// A body with its own settings or encoder keeps them.
        public var json = JSONCoding()

        /// The function that writes a line for each exchange; nil writes none.
        public var log: Log?

        /// The observers of the parts, such as the observer of a `ServiceMetrics` or of a recorder.
        ///
        /// Metrics also show the numbers of the client's own breakers, bulkheads, limiters and budgets.
        public var observers: [ServiceObserver] = []

        /// The name of a call for observers and metrics; by default, it is like "GET api.example.com".
        ///
        /// It must hold no secrets. Keep the number of different names small, because each becomes a label of the metrics.
        public var callName: @Sendable (HTTPRequest) -> String = HTTPClient.methodAndHost

        /// The rules for tracing calls across processes; nil begins and sends no trace.
        public var tracing: Tracing?

        /// Your own middleware around each call, outside all parts except the observers.
        ///
        /// If a status isn't accepted, the middleware gets an `HTTPError`.
        public var aroundCall: CustomMiddleware?

        /// Your own middleware around each attempt, inside the retry and outside the hedge.
        public var aroundAttempt: CustomMiddleware?

        /// Your own middleware around each exchange; only decompression and the transport are below it.
        public var aroundExchange: CustomMiddleware?

        /// The scheduler of all parts.
        ///
        /// An object that you create yourself (a cache, a budget) keeps its own scheduler.
        public var scheduler: any FutureScheduler = LiveScheduler.live

        /// The source of randomness of all parts, for jitter, idempotency keys and trace IDs.
        public var random: RandomSource = .system

        init(base: URL?) { self.base = base }
    }
}
