public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Sends a call's remaining time and its priority to servers, as headers.
    ///
    /// ```swift
    /// let service = stack(
    ///     .deadline(.seconds(10)), .retry(), .callPropagation(to: .origins(of: server)),
    ///     over: transport.send)
    /// ```
    ///
    /// A server that knows how long its caller waits can stop working once the caller has left, and can pass on the
    /// time that remains. On the server, `CallContext.init(_:named:on:)` reads both headers.
    ///
    /// **Place.** Put it below all middleware that waits or sends a request again, such as `.redirect`, `.retry` and
    /// `.hedge`, so that each request carries the time that is left when the request is sent. Put it below `.cache` and
    /// `.coalesce` too, because requests with different headers share no response.
    ///
    /// **What is sent.** Both values come from the current `CallContext`: one header carries the time until the
    /// deadline, the other one carries the priority. Without a deadline, the first header is not sent; without a
    /// priority, the second is not sent. A request's own deadline counts only if a client has put it into the
    /// `CallContext`, as `HTTPClient` does for whole responses.
    ///
    /// **Existing headers.** If the request already has one of the two headers, that header is sent unchanged, to any
    /// origin.
    ///
    /// **Other origins.** A request to an origin that is not listed gets neither header, even after a redirect.
    ///
    /// - Parameters:
    ///   - origins: The origins that receive the headers. Name only your own servers: other servers do not know the
    ///     headers, and the priority reveals how important a request is to you.
    ///   - names: The names of the headers.
    public static func callPropagation(
        to origins: HTTPOrigins, named names: CallHeaders = CallHeaders()
    ) -> Middleware {
        .changing(named: "callPropagation") { request in
            origins.contains(request.url) ? request.adding(names, of: .current) : nil
        }
    }
}

extension HTTPRequest {
    /// Returns the request with the call's headers added; nil if there is no header to add.
    fileprivate func adding(_ names: CallHeaders, of context: CallContext) -> HTTPRequest? {
        var added: [(name: String, value: String)] = []
        if let timeout = names.timeout, let left = context.remainingWithBody,
            headers[timeout.name] == nil
        {
            added.append((timeout.name, timeout.value(of: left)))
        }
        if let name = names.priority, let priority = context.boundPriority, headers[name] == nil {
            added.append((name, priority.headerValue))
        }
        if added.isEmpty { return nil }
        var request = self
        for (name, value) in added { request.headers.set(value, for: name) }
        return request
    }
}

/// The names of the headers that carry a call's remaining time and its priority, for clients and for servers.
///
/// No standard defines such headers. The default for the time is `Request-Timeout`, in milliseconds; ``TimeoutHeader``
/// also knows the names that Envoy and gRPC use. The default for the priority is `Request-Criticality`. The header
/// `Priority` of RFC 9218 has another purpose: it tells a server in which order to send the parts of its responses, not
/// which requests to serve first.
public struct CallHeaders: Hashable, Sendable {
    /// The header of the remaining time; if nil, the time is neither sent nor read.
    public var timeout: TimeoutHeader?

    /// The name of the priority's header; if nil, the priority is neither sent nor read.
    public var priority: String?

    /// Creates a pair of headers.
    ///
    /// - Parameters:
    ///   - timeout: The header of the remaining time; nil for none.
    ///   - priority: The name of the priority's header; nil for none. Requests fail if the name is not a token (RFC
    ///     9110).
    public init(
        timeout: TimeoutHeader? = .requestTimeout, priority: String? = "Request-Criticality"
    ) {
        self.timeout = timeout
        self.priority = priority
    }
}

extension CallHeaders {
    /// Returns the deadline of a received request: now, plus the time that its caller still waits.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request.
    ///   - scheduler: The clock of the deadline.
    /// - Returns: Nil if the headers hold no time, a malformed one, or several.
    package func deadline(
        in headers: HTTPHeaders, on scheduler: some FutureScheduler = .live
    ) -> CallDeadline? {
        timeout.flatMap { $0.duration(in: headers) }.map { CallDeadline(after: $0, on: scheduler) }
    }

    /// Returns the priority of a received request.
    ///
    /// - Parameter headers: The headers of the request.
    /// - Returns: Nil if the headers hold no priority, an unknown one, or several.
    package func priority(in headers: HTTPHeaders) -> CallPriority? {
        priority.flatMap { headers.only($0) }.flatMap(CallPriority.init(headerValue:))
    }
}

extension CallContext {
    /// Creates the context of a received request: its caller's remaining time, priority and trace.
    ///
    /// ```swift
    /// CallContext(request.headers, named: CallHeaders()).run { client.futures.send(next) }
    /// ```
    ///
    /// Read the headers only from callers whom you trust: strangers could choose a high priority, and be served before
    /// others.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request. A missing or malformed header leaves its part of the context unset.
    ///   - names: The names of the headers.
    ///   - scheduler: The clock of the deadline.
    public init(
        _ headers: HTTPHeaders, named names: CallHeaders, on scheduler: some FutureScheduler = .live
    ) {
        self = CallContext(traceContext: TraceContext(headers))
            .with(deadline: names.deadline(in: headers, on: scheduler))
            .with(priority: names.priority(in: headers))
    }
}

extension CallPriority {
    /// The priority as a header's value: lower case, with hyphens.
    var headerValue: String {
        switch self {
        case .sheddable: "sheddable"
        case .sheddablePlus: "sheddable-plus"
        case .critical: "critical"
        case .criticalPlus: "critical-plus"
        }
    }

    /// Parses a header's value, in lower or upper case.
    init?(headerValue: String) {
        let text = headerValue.lowercased()
        guard let priority = Self.allCases.first(where: { $0.headerValue == text }) else {
            return nil
        }
        self = priority
    }
}

extension HTTPHeaders {
    /// Returns the value of a header that occurs exactly once; otherwise nil.
    func only(_ name: String) -> String? {
        let values = values(for: name)
        return values.count == 1 ? values[0] : nil
    }
}

/// A header that tells a server how long the caller waits: the header's name, and the format of the time.
///
/// The header carries a duration rather than an instant, so the clocks of client and server need not agree. The time
/// that the request spends on the network is not subtracted.
public struct TimeoutHeader: Hashable, Sendable {
    /// The format of the time.
    public enum Format: Hashable, Sendable {
        /// A whole number of milliseconds.
        case milliseconds
        /// At most eight digits and a unit: `H`, `M`, `S`, `m` (milliseconds), `u` or `n`, as in gRPC over HTTP/2.
        case grpc
    }

    /// The name of the header.
    public var name: String

    /// The format of the time.
    public var format: Format

    /// Creates a header.
    ///
    /// - Parameters:
    ///   - name: The name. Requests fail if it is not a token (RFC 9110).
    ///   - format: The format of the time.
    public init(_ name: String, _ format: Format = .milliseconds) {
        self.name = name
        self.format = format
    }

    /// `Request-Timeout`, in milliseconds; no standard defines this name.
    public static let requestTimeout = TimeoutHeader("Request-Timeout")

    /// `x-envoy-expected-rq-timeout-ms`, where Envoy says how long it waits for a response.
    ///
    /// An Envoy proxy between the client and the server replaces the value with its own time limit.
    public static let envoyExpected = TimeoutHeader("x-envoy-expected-rq-timeout-ms")

    /// `grpc-timeout`, in gRPC's format.
    public static let grpc = TimeoutHeader("grpc-timeout", .grpc)
}

extension TimeoutHeader {
    /// The longest time that is sent or read; a longer time is replaced by this limit.
    static let longest = Duration.seconds(1_000_000)

    /// Returns the time as a header's value, rounded down but never to zero.
    ///
    /// To some receivers, zero means no limit.
    func value(of duration: Duration) -> String {
        let time = min(duration, Self.longest)
        let milliseconds = max(1, time.nanoseconds / 1_000_000)
        guard format == .grpc else { return "\(milliseconds)" }
        if milliseconds < 100_000_000 { return "\(milliseconds)m" }
        return "\(milliseconds / 1_000)S"
    }

    /// Returns the time in the headers of a request.
    ///
    /// - Returns: Nil if they hold no time, a malformed one, or several. Zero counts as malformed, because some senders
    ///   use it to mean no limit.
    func duration(in headers: HTTPHeaders) -> Duration? {
        guard let text = headers.only(name) else { return nil }
        switch format {
        case .milliseconds: return Self.duration(text, unit: .milliseconds(1), digits: 19)
        case .grpc:
            guard let unit = text.last.flatMap(Self.unit) else { return nil }
            return Self.duration(text.dropLast(), unit: unit, digits: 8)
        }
    }

    private static func duration(
        _ text: some StringProtocol, unit: Duration, digits: Int
    ) -> Duration? {
        guard (1...digits).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit),
            let number = Int64(text), number > 0
        else { return nil }
        let most = longest.nanoseconds / unit.nanoseconds + 1
        return min(unit * min(number, most), longest)
    }

    private static func unit(_ letter: Character) -> Duration? {
        switch letter {
        case "H": .seconds(3_600)
        case "M": .seconds(60)
        case "S": .seconds(1)
        case "m": .milliseconds(1)
        case "u": .microseconds(1)
        case "n": .nanoseconds(1)
        default: nil
        }
    }
}
