extension Endpoint {
    /// The body of an endpoint: bytes and their type.
    public struct Body {
        /// The bytes; nil if nothing is sent.
        public let data: Data?

        /// The Content-Type that is sent if the endpoint's headers have none.
        public let contentType: String?

        /// The value of JSON without settings of its own, which a client encodes again by its settings; not compared.
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
        /// A client that sends it encodes it by its own settings. Two endpoints are equal if the
        /// bytes are, as an encoder without settings writes them, which sorts the keys.
        ///
        /// - Throws: The encoder's error: an `EncodingError` that names the place, if the value
        ///   cannot be encoded (a number that is not finite, for example).
        public static func json(_ value: some Encodable & Sendable) throws -> Body {
            var body = try json(value, encoder: JSONCoding().encoder())
            body.value = value
            return body
        }

        /// A value as JSON, whose bytes an encoder makes now; no client encodes it again.
        ///
        /// - Throws: What the encoder throws.
        public static func json(_ value: some Encodable, encoder: JSONEncoder) throws -> Body {
            Body(data: try encoder.encode(value), contentType: "application/json")
        }

        /// A value as JSON, whose bytes are made now, with settings that are given once.
        ///
        /// - Throws: What the encoder throws.
        public static func json(
            _ value: some Encodable, using json: JSONCoding
        ) throws -> Body { try .json(value, encoder: json.encoder()) }

        /// Items as a form, `application/x-www-form-urlencoded`, in order.
        ///
        /// Everything except letters, digits and `*-._` is percent-encoded as UTF-8, and a space is "+". An
        /// item without a value is sent with an empty value, because a form has only such items.
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

extension Endpoint.Body: Hashable {}

extension Endpoint.Body: Sendable {}
