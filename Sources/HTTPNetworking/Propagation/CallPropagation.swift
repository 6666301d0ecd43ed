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
    /// A server that knows how long its caller waits does not work for one that has gone, and can pass the rest of
    /// the time on. ``CallContext/init(_:named:on:)`` reads both.
    ///
    /// **Place.** Beneath all parts that send again or wait, `.redirect`, `.retry` and `.hedge`: each request then
    /// has the time that is left when it is sent. Also beneath `.cache` and `.coalesce`: requests with different
    /// headers share no answer.
    ///
    /// **What is sent.** The time until the earlier of two deadlines, of the `CallContext` and of the request;
    /// without a deadline, nothing. The priority that is bound in the `CallContext`; if none is bound, nothing.
    ///
    /// **Existing headers.** A header that the request has is sent as it is, whatever its origin.
    ///
    /// **Other origins.** A request to an origin that is not listed gets neither header, also after a redirect.
    ///
    /// - Parameters:
    ///   - origins: The origins that the headers are sent to. Name your own servers: no other knows the headers, and
    ///     the priority says what you think of a request.
    ///   - names: The names of the headers.
    public static func callPropagation(
        to origins: HTTPOrigins, named names: CallHeaders = CallHeaders()
    ) -> Middleware {
        Middleware(named: "callPropagation") { service in
            { request in
                guard origins.contains(request.url) else { return service(request) }
                let sent = request.adding(names, of: .current)
                return sent.map { service($0).naming($0) } ?? service(request)
            }
        }
    }
}

extension HTTPRequest {
    /// The same with the headers of a call; nil if none is added.
    fileprivate func adding(_ names: CallHeaders, of context: CallContext) -> HTTPRequest? {
        var added: [(name: String, value: String)] = []
        if let timeout = names.timeout, let left = context.remaining, headers[timeout.name] == nil {
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
