public import PledgeServices

/// One exchange that has ended: the request, the result, and the duration.
///
/// The middleware `exchangeLog` makes it.
public struct HTTPExchange {
    /// The request as it was sent, if the answer or the error has it; otherwise as it was passed to this
    /// middleware.
    public let request: HTTPRequest

    /// The number of the observed call that it is part of, as in `PolicyEvent.call`; nil without
    /// observers.
    public let call: UInt64?

    /// The span that it is part of, as in `PolicyEvent.span`; nil without observers.
    public let span: Int?

    /// Its span in a distributed trace; nil if the call is not traced.
    ///
    /// It is the one that the request was sent with if the middleware `tracePropagation` stands above;
    /// otherwise, the call's.
    public let traceContext: TraceContext?

    /// Which attempt of the innermost retry above it was, counted from one.
    public let attempt: Int

    /// The status; nil if no answer arrived.
    public let status: Int?

    /// The headers of the answer; none if no answer arrived.
    public let headers: HTTPHeaders

    /// How many bytes of the answer's body arrived.
    public let bytes: Int64

    /// From the call to its end: for a streamed body, until it was read, failed or was given up.
    public let duration: Duration

    /// The error, other than a status; nil without one.
    public let error: (any Error)?
}

extension HTTPExchange {
    /// Whether it was answered with a status from 400 on, or failed; giving it up is not a failure.
    public var isFailure: Bool {
        if let status, status >= 400 { return true }
        return error.map { !($0 is CancellationError) } ?? false
    }

    /// The exchange in one line: keys and values, like
    /// `call=7 span=2 method=GET url="https://api.example.com/products?page=…" attempt=1 status=200 bytes=512
    /// duration_ms=35`.
    ///
    /// The keys are in this order. `call` and `span` are those of `PolicyEvent.logLine`, which join
    /// the line with the events of the same call; they are left out if the call is not observed. `trace_id` and
    /// `span_id` follow where the call is traced.
    /// `status` is left out if there is none, and at the end there are `error` and `code` if it
    /// failed, as `PolicyEvent.logLine` writes them. Values are written as there. The URL is as in
    /// ``HTTPRequest``'s description; there are no headers, and nothing of the bodies.
    public var logLine: String { line(with: []) }

    /// The same with the headers of request and answer, where "…" replaces each value that may be a secret.
    public var logLineWithHeaders: String {
        let secrets = KnownSecrets(of: request, nil, HTTPResponse(status: 0, headers: headers))
        return line(with: [
            EventFact("request_headers", secrets.scrubbed("\(request.effectiveHeaders)")),
            EventFact("response_headers", headers.description(without: secrets)),
        ])
    }

    private func line(with more: [EventFact]) -> String {
        var facts: [EventFact] = []
        if let call { facts.append(EventFact("call", "\(call)")) }
        if let span { facts.append(EventFact("span", "\(span)")) }
        if let traceContext { facts += EventFact.facts(of: traceContext) }
        facts += [
            EventFact("method", SafeText.escaped(request.method.rawValue)),
            EventFact("url", SafeText.redacted(request.url)), EventFact("attempt", "\(attempt)"),
        ]
        if let status { facts.append(EventFact("status", "\(status)")) }
        facts += [EventFact("bytes", "\(bytes)"), EventFact("duration_ms", milliseconds: duration)]
        return (facts + more + EventFact.facts(of: error)).map(\.text).joined(separator: " ")
    }
}

extension HTTPExchange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``logLine``.
    public var description: String { logLine }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["exchange": description]) }
}

extension HTTPExchange: Sendable {}
