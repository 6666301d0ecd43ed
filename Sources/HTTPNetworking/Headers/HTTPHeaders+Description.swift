extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names, and the values of those names whose values are known to contain no secret.
    ///
    /// Every other value is shown as "…": a list of secret names would be incomplete.
    public var description: String { text(showing: Self.isHarmless) }

    /// The same for an answer, which may repeat sent secrets.
    func description(without secrets: KnownSecrets) -> String {
        secrets.scrubbed(text { secrets.isComplete && Self.isHarmless($0) })
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

    /// Whether the values of a name are known to hold no secret.
    static func isHarmless(_ name: String) -> Bool { harmless.contains(name.lowercased()) }

    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age",
        "allow", "cache-control", "connection", "content-encoding", "content-language",
        "content-length", "content-range", "content-type", "date", "etag", "expires", "host",
        "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "last-modified",
        "range", "retry-after", "server", "traceparent", "transfer-encoding", "user-agent",
        "vary", "x-request-id",
    ]
}
