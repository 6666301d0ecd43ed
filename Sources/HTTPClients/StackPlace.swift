/// The places of a client's parts, outermost first: the one list of their order.
///
/// The stack is built by it, and the guide's table and the picture are made of it. What goes wrong in another order is in
/// ``StackProblem/consequences``.
enum StackPlace: String, CaseIterable {
    case observed, newTrace, aroundCall, deadline, acceptStatus, userAgent, idempotencyKey
    case defaultHeaders
    case redirect, headersOfOrigin, authorize, cookies, cache, bulkhead
    case retry, aroundAttempt, hedge
    case circuitBreaker, pushback, rateLimit, attemptHeader, tracePropagation, exchangeLog, timeout
    case aroundExchange, decompress

    /// Whether calls pass it, and the places beneath, several times.
    var beginsLevel: Bool { [.redirect, .retry, .circuitBreaker].contains(self) }

    /// What the part does there, in a few words.
    var note: String {
        switch self {
        case .observed: "log, metrics and recorders observe all beneath"
        case .newTrace: "one trace for the whole call"
        case .aroundCall, .aroundAttempt, .aroundExchange: "your own"
        case .deadline: "bounds redirects, attempts and waits together"
        case .acceptStatus: "makes an error of a status that is not accepted"
        case .userAgent: "says who asks"
        case .idempotencyKey: "one key for the whole call"
        case .redirect: "goes around for each URL"
        case .defaultHeaders: "without a base, for what the caller asks"
        case .headersOfOrigin: "for the base's origin alone"
        case .authorize: "goes around once more after a 401"
        case .cookies: "by each URL's host"
        case .cache: "may answer by itself"
        case .bulkhead: "holds a place until the call is over"
        case .retry: "goes around for each attempt"
        case .hedge: "goes down twice where it is slow"
        case .circuitBreaker: "may refuse by itself"
        case .pushback: "waits while the server asks for a pause"
        case .rateLimit: "lets each request wait for its turn"
        case .attemptHeader: "tells the server the number of the attempt"
        case .tracePropagation: "a span for each request"
        case .exchangeLog: "a line for each exchange"
        case .timeout: "bounds one exchange"
        case .decompress: "decodes the body"
        }
    }

    /// Why it stands there.
    var reason: String {
        switch self {
        case .observed:
            "It gets the events of every part beneath: refusals, answers from the cache, each attempt."
        case .newTrace:
            "All requests of the call are in one trace, and the observers are notified of it."
        case .aroundCall: "Your own middleware, once a call."
        case .deadline:
            "It bounds redirects, attempts and waits together, and gives the parts beneath the remaining time. So does a deadline in the context of the call."
        case .acceptStatus:
            "It turns the response for the caller into an error, so that observers count what the caller gets. The parts beneath see responses."
        case .userAgent: "It names the program that asks, also to the target of a redirect."
        case .idempotencyKey:
            "One key for the call: a server recognises the second request as a repetition of the first."
        case .redirect: "Each URL of a chain passes through every part beneath."
        case .defaultHeaders:
            "In a client without a base, and in a stack of your own: `redirect` removes every header that is not harmless."
        case .headersOfOrigin:
            "In a client with a base, the `headers` by the origin of each URL, so that no redirect carries a key to another origin."
        case .authorize:
            "It sees a 401 before the parts above it do, renews the token, and sends the request again."
        case .cookies:
            "Each URL has the cookies of its own host. Those of a 401 are kept, and are sent with the new token; those of a response that is repeated are kept too."
        case .cache:
            "A stored answer needs no place, no attempt, and no server. Equal misses share one request."
        case .bulkhead: "A call has its place until it is over, including its attempts."
        case .retry: "It repeats what failed and may be repeated."
        case .aroundAttempt: "Your own middleware, once an attempt."
        case .hedge: "One hedged call is one attempt, and draws from the same budget."
        case .circuitBreaker:
            "It sees every request, and refuses those to an unhealthy origin."
        case .pushback:
            "By `retry?.holdsBackOrigin`: every request waits while the server asks for a pause."
        case .rateLimit:
            "It counts what the server gets, second calls of a hedge included."
        case .attemptHeader:
            "By `retry?.attemptHeader`: each request says which attempt it is."
        case .tracePropagation:
            "Each request that is sent has a span ID of its own, which the log's line and your own middleware beneath see."
        case .exchangeLog: "A line for each request that is sent, timed-out ones included."
        case .timeout: "A request that hangs is a failure to the breaker, the hedge and the retry."
        case .aroundExchange: "Your own middleware, once a request."
        case .decompress: "A stored response is decoded once."
        }
    }

    /// What goes wrong where the part stands beneath another one that belongs beneath it, by the other one.
    var consequencesBeneath: [(outer: StackPlace, consequence: String)] {
        Self.allCases.compactMap { outer in
            StackProblem.consequences[outer.rawValue]?[rawValue].map { (outer, $0) }
        }
    }
}
