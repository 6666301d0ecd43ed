extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names, and the values of those names whose values are known to contain no secret.
    ///
    /// Every other value is shown as "…": a list of secret names would be incomplete.
    public var description: String { text(showing: Self.isShown) }

    /// The same for an answer, which may repeat sent secrets.
    func description(without secrets: KnownSecrets) -> String {
        secrets.scrubbed(text { secrets.isComplete && Self.isShown($0) })
    }

    private func text(showing isShown: (String) -> Bool) -> String {
        let all = map { field in
            let value = isShown(field.name) ? SafeText.escaped(field.value) : "…"
            return "\(SafeText.escaped(field.name)): \(value)"
        }
        return "[\(all.joined(separator: ", "))]"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description]) }

    /// Whether the values of a name are known to say nothing about who sends them: no credential, no user.
    ///
    /// A list of credentials would be incomplete. Redirects keep headers by this list, and caches separate users by it.
    package static func isHarmless(_ name: String) -> Bool { harmless.contains(name.lowercased()) }

    /// Whether texts show the values of a name.
    static func isShown(_ name: String) -> Bool {
        let name = name.lowercased()
        return harmless.contains(name) && !hidden.contains(name)
    }

    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age",
        "allow", "baggage", "cache-control", "connection", "content-encoding", "content-language",
        "content-length", "content-range", "content-type", "date", "etag", "expires",
        "grpc-timeout", "host", "idempotency-key", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "last-modified", "pragma", "range",
        "request-criticality", "request-timeout", "retry-after", "server", "traceparent",
        "tracestate", "transfer-encoding", "user-agent", "vary", "x-envoy-expected-rq-timeout-ms",
        "x-request-id",
    ]

    /// Harmless to send and to share, but values of the app's own, which are for its servers.
    private static let hidden: Set<String> = ["baggage", "idempotency-key", "tracestate"]
}
