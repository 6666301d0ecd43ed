import PledgeHTTPText

extension Endpoint {
    /// The body of an endpoint: bytes and their type.
    public struct Body: Hashable, Sendable {
        /// The bytes; nil if nothing is sent.
        public let data: Data?

        /// The Content-Type to send if the endpoint's headers have none.
        public let contentType: String?

        /// The value that `json(_:)` encoded; a client encodes it again with the client's settings.
        ///
        /// `==` ignores the value, and compares the encoded bytes.
        @Uncompared package var value: (any Encodable & Sendable)?

        init(data: Data?, contentType: String?) {
            self.data = data
            self.contentType = contentType
        }

        /// No body.
        public static let none = Body(data: nil, contentType: nil)

        /// The given bytes.
        public static func data(
            _ data: Data,
            contentType: String = "application/octet-stream"
        ) -> Body {
            Body(data: data, contentType: contentType)
        }

        /// A value as JSON, `application/json`.
        ///
        /// A client that sends the body encodes the value with its own settings. Two bodies are equal if the default
        /// encoder, which sorts the keys, writes the same bytes for both.
        ///
        /// - Throws: The encoder's error. For a value that cannot be encoded, such as a number that is not finite, this
        ///   is an `EncodingError` that names the place.
        public static func json(_ value: some Encodable & Sendable) throws -> Body {
            var body = try json(value, encoder: JSONCoding().encoder())
            body.value = value
            return body
        }

        /// A value as JSON, encoded now with an encoder; no client encodes it again.
        ///
        /// - Throws: The encoder's error.
        public static func json(_ value: some Encodable, encoder: JSONEncoder) throws -> Body {
            Body(data: try encoder.encode(value), contentType: "application/json")
        }

        /// A value as JSON, encoded now with the given settings; no client encodes it again.
        ///
        /// - Throws: The encoder's error.
        public static func json(
            _ value: some Encodable, using json: JSONCoding
        ) throws -> Body { try .json(value, encoder: json.encoder()) }

        /// Items as a form, `application/x-www-form-urlencoded`, in order.
        ///
        /// Everything except letters, digits and `*-._` is percent-encoded as UTF-8, and a space becomes "+". An item
        /// without a value is sent with an empty value, because every item of a form has a value.
        public static func form(_ items: [URLQueryItem]) -> Body {
            let pairs = items.map { item in
                let encoding = PercentEncoding.form
                return "\(encoding.encode(item.name))=\(encoding.encode(item.value ?? ""))"
            }
            return Body(
                data: Data(pairs.joined(separator: "&").utf8),
                contentType: "application/x-www-form-urlencoded"
            )
        }
    }
}

extension Endpoint.Body: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size and the type, without the bytes.
    public var description: String {
        guard let data else { return "none" }
        return "\(data.count) bytes of \(SafeText.escaped(contentType ?? "unknown type"))"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows no bytes.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

extension Endpoint.Body: ExpressibleByNilLiteral {
    /// The same as ``none``.
    public init(nilLiteral: ()) { self = .none }
}

/// Excludes a property from the `==` and the `hash(into:)` that the compiler generates for the containing type.
@propertyWrapper
package struct Uncompared<Value> {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Uncompared: Hashable {
    package static func == (left: Self, right: Self) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension Uncompared: Sendable where Value: Sendable {}
