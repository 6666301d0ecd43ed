public import PledgeFutures
public import PledgeServices

/// The names of the headers that carry a call's remaining time and its priority, for both sides.
///
/// No standard names a header for either. The default for the time is `Request-Timeout`, in milliseconds; Envoy
/// and gRPC have names of their own, which ``TimeoutHeader`` knows. The default for the priority is
/// `Request-Criticality`. It is not the header `Priority` of RFC 9218, which says in which order a server sends the
/// parts of its responses, and is not about which requests it serves.
public struct CallHeaders {
    /// The header of the remaining time; nil if it is not sent, or not read.
    public var timeout: TimeoutHeader?

    /// The name of the header of the priority; nil if it is not sent, or not read.
    public var priority: String?

    /// Names headers.
    ///
    /// - Parameters:
    ///   - timeout: The header of the remaining time; nil for none.
    ///   - priority: The name of the header of the priority; nil for none. A name that is no token of RFC 9110
    ///     fails the requests.
    public init(
        timeout: TimeoutHeader? = .requestTimeout, priority: String? = "Request-Criticality"
    ) {
        self.timeout = timeout
        self.priority = priority
    }
}

extension CallHeaders {
    /// The time that the caller of a received request waits, from now.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request.
    ///   - scheduler: The clock of the deadline.
    /// - Returns: Nil if the headers name no time, one that is not well formed, or several.
    public func deadline(
        in headers: HTTPHeaders, on scheduler: some Scheduler = .live
    ) -> CallDeadline? {
        timeout.flatMap { $0.duration(in: headers) }.map { CallDeadline(after: $0, on: scheduler) }
    }

    /// The priority of a received request.
    ///
    /// - Parameter headers: The headers of the request.
    /// - Returns: Nil if the headers name no priority, an unknown one, or several.
    public func priority(in headers: HTTPHeaders) -> CallPriority? {
        priority.flatMap { headers.only($0) }.flatMap(CallPriority.init(headerValue:))
    }
}

extension CallContext {
    /// The context of a received request: its caller's remaining time, priority and trace.
    ///
    /// ```swift
    /// CallContext(request.headers, named: CallHeaders()).run { client.send(next) }
    /// ```
    ///
    /// Read them only from callers whom you trust: with a priority of its own choice a stranger would be served
    /// before others.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request. What is missing or not well formed is not in the context.
    ///   - names: The names of the headers.
    ///   - scheduler: The clock of the deadline.
    public init(
        _ headers: HTTPHeaders, named names: CallHeaders, on scheduler: some Scheduler = .live
    ) {
        self = CallContext(traceContext: TraceContext(headers))
            .with(deadline: names.deadline(in: headers, on: scheduler))
            .with(priority: names.priority(in: headers))
    }
}

extension CallPriority {
    /// The priority as headers have it: in lower case, with hyphens.
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
    /// The value of a header that occurs once; nil otherwise.
    func only(_ name: String) -> String? {
        let values = values(for: name)
        return values.count == 1 ? values[0] : nil
    }
}

extension CallHeaders: Hashable, Sendable {}
