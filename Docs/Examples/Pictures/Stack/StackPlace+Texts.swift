@testable import PledgeHTTPClients

/// The texts of the guide's table and picture.
extension StackPlace {
    /// True if a level of the stack begins at this place; a call may pass a lower level more often than a higher one.
    var beginsLevel: Bool { [.redirect, .retry, .circuitBreaker].contains(self) }

    /// A few words on what the part does at this place.
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

    /// The reason for the part's place.
    var reason: String {
        switch self {
        case .observed:
            "It gets the events of every part below: refusals, answers from the cache, each attempt."
        case .newTrace:
            "All requests of the call are in one trace, and observers are notified of that trace."
        case .aroundCall: "Your own middleware runs here, once per call."
        case .deadline:
            "It limits the total time of redirects, attempts and waits, and tells the parts below how much time is left. A deadline in the call's context does the same."
        case .acceptStatus:
            "It turns the caller's response into an error, so that observers count what the caller gets. The parts below still see responses."
        case .userAgent: "It tells every server which program is calling, even after a redirect."
        case .idempotencyKey:
            "All requests of a call have the same key, so a server recognises that the second repeats the first."
        case .redirect: "Each URL of a redirect chain passes through every part below."
        case .defaultHeaders:
            "Clients without a base have this part; use it in a stack of your own, too. After a redirect to another origin, `redirect` removes every header that is not harmless."
        case .headersOfOrigin:
            "Clients with a base have this part. It sends the `headers` only to the base's origin, so no redirect carries a key to another origin."
        case .authorize:
            "It sees a 401 before the parts above do, renews the token, and sends the request again."
        case .cookies:
            "Each URL gets its own host's cookies. If a 401 sets cookies, the jar keeps them, and the request with the new token sends them. The jar also keeps cookies from a response that leads to a retry."
        case .cache:
            "A stored answer needs no place in the bulkhead, no attempt, and no server. Equal requests that miss the cache share one request."
        case .bulkhead: "A call keeps its place through all its attempts, until it ends."
        case .retry: "It repeats failed requests that may be repeated."
        case .aroundAttempt: "Your own middleware runs here, once per attempt."
        case .hedge:
            "One hedged call counts as one attempt. Hedges and retries draw from the same budget."
        case .circuitBreaker: "It sees every request, and refuses requests to an unhealthy origin."
        case .pushback:
            "Every request waits while the server asks for a pause."
        case .rateLimit:
            "It counts the requests that the server gets, including a hedge's second calls."
        case .attemptHeader: "Each request says which attempt it is."
        case .tracePropagation:
            "Each request gets its own span ID. The log's line and your own middleware below can see it."
        case .exchangeLog: "It logs a line for each request, even if the request times out."
        case .timeout: "If a request hangs, the breaker, the hedge and the retry see a failure."
        case .aroundExchange: "Your own middleware runs here, once per request."
        case .decompress: "The cache stores decoded responses, so each is decoded only once."
        }
    }

    /// The parts that must not stand above this one, each with what goes wrong if it does.
    var consequencesBeneath: [(outer: StackPlace, consequence: String)] {
        Self.allCases.compactMap { outer in
            StackProblem.consequences[outer.rawValue]?[rawValue].map { (outer, $0) }
        }
    }
}
