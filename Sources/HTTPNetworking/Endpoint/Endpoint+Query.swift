extension Endpoint {
    /// Names and values, in order: of a query, or of a form.
    ///
    /// ```swift
    /// let query: Endpoint.Query = ["page": 2, "q": term, "cursor": cursor]
    /// ```
    ///
    /// A value is a text, a number or a `Bool`; it is encoded when it is sent. A nil leaves its name out.
    public struct Query: Hashable, Sendable {
        /// The items, not encoded.
        public var items: [URLQueryItem]

        /// Makes a query of items.
        ///
        /// - Parameter items: The items, not encoded. One without a value is sent as its bare name.
        public init(_ items: [URLQueryItem] = []) { self.items = items }
    }
}

extension Endpoint.Query: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The names, without their values, which may be passwords and keys: `user=…&password=…`.
    public var description: String {
        items.map { SafeText.escaped($0.name) + ($0.value == nil ? "" : "=…") }
            .joined(separator: "&")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror that shows no values.
    public var customMirror: Mirror { Mirror(self, children: ["query": description]) }
}

extension Endpoint.Query: ExpressibleByDictionaryLiteral {
    /// Makes a query of a literal, whose names may repeat.
    public init(dictionaryLiteral elements: (String, (any LosslessStringConvertible)?)...) {
        self.init(
            elements.compactMap { name, value in
                value.map { URLQueryItem(name: name, value: $0.description) }
            })
    }
}
