#if Observability
import PledgeHTTPNetworking
import Tracing

/// The attributes of a request that are known when it is sent.
struct RequestAttributes: Sendable {
    private let method: HTTPMethod
    private let origin: HTTPOrigin?

    init(_ request: HTTPRequest) {
        method = request.method
        origin = HTTPOrigin(request.url)
    }

    /// The name of the span: the method, if it is one of a known few.
    var spanName: String { isKnown ? method.rawValue : "HTTP" }

    /// The dimensions of a metric: each has few values if the servers are few.
    var dimensions: [(String, String)] {
        [("http.request.method", methodName)]
            + (origin.map {
                [("server.address", $0.host.withoutBrackets), ("server.port", "\($0.port)")]
            } ?? [])
    }

    /// Adds the attributes of a span.
    func add(to attributes: inout SpanAttributes, _ request: HTTPRequest, attempt: Int) {
        attributes["http.request.method"] = methodName
        if !isKnown {
            attributes["http.request.method_original"] = SafeText.escaped(method.rawValue)
        }
        if let origin {
            attributes["server.address"] = origin.host.withoutBrackets
            attributes["server.port"] = origin.port
        }
        attributes["url.full"] = SafeText.redacted(request.url)
        if attempt > 1 { attributes["http.request.resend_count"] = attempt - 1 }
    }

    private var methodName: String { isKnown ? method.rawValue : "_OTHER" }

    private var isKnown: Bool { Self.known.contains(method.rawValue) }

    /// The methods of RFC 9110, PATCH, and QUERY.
    private static let known: Set = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]
}
#endif
