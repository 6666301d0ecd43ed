import PledgeFutures

extension HTTPRequest {
    /// The body of a request: bytes and their type.
    public struct Body {
        /// Whether it is a file or a stream: how long it takes to send it depends on its size.
        package var isReadWhileSent: Bool {
            switch content {
            case .none, .data: false
            case .file, .stream: true
            }
        }

        /// The content of the body.
        public enum Content {
            /// Nothing is sent.
            case none
            /// In memory.
            case data(Data)
            /// In a file, which is read while it is sent.
            case file(URL)
            /// In a stream, which is made when it is sent.
            case stream(BodySource)
        }

        /// The content of the body.
        public let content: Content

        /// The Content-Type that is sent if the headers have none.
        public let contentType: String?

        /// The value of JSON without settings of its own, which a client encodes again by its settings; not compared.
        @Uncompared package var value: (any Encodable & Sendable)?

        package init(_ content: Content, contentType: String?) {
            self.content = content
            self.contentType = contentType
        }

        /// The body of an endpoint.
        public init(_ body: Endpoint.Body) {
            content = body.data.map(Content.data) ?? .none
            contentType = body.contentType
            value = body.value
        }
    }
}

extension HTTPRequest.Body {
    /// The bytes, if they are in memory, empty for no body; nil for a file and a stream.
    ///
    /// ```swift
    /// request.headers["X-Digest"] = request.body.data.map(digest)
    /// ```
    public var data: Data? {
        switch content {
        case .none: Data()
        case .data(let data): data
        case .file, .stream: nil
        }
    }

    /// No body.
    public static let none = Self(.none, contentType: nil)

    /// The given bytes.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> Self {
        Self(.data(data), contentType: contentType)
    }

    /// A value as JSON, which a client encodes by its own settings; see `Endpoint.Body.json(_:)`.
    ///
    /// - Throws: What the encoder throws.
    public static func json(_ value: some Encodable & Sendable) throws -> Self {
        Self(try Endpoint.Body.json(value))
    }

    /// A value as JSON, whose bytes an encoder makes now; no client encodes it again.
    ///
    /// - Throws: What the encoder throws.
    public static func json(_ value: some Encodable, encoder: JSONEncoder) throws -> Self {
        Self(try Endpoint.Body.json(value, encoder: encoder))
    }

    /// A value as JSON, whose bytes are made now, with settings that are given once.
    ///
    /// - Throws: What the encoder throws.
    public static func json(_ value: some Encodable, using json: JSONCoding) throws -> Self {
        try .json(value, encoder: json.encoder())
    }

    /// Items as a form; see `Endpoint.Body.form(_:)`.
    public static func form(_ items: [URLQueryItem]) -> Self { Self(Endpoint.Body.form(items)) }

    /// The bytes of a file, read while they are sent.
    ///
    /// - Parameters:
    ///   - url: The file. It must not change until the call has ended; it is read again for each attempt.
    ///   - contentType: The type of the bytes.
    public static func file(
        _ url: URL, contentType: String = "application/octet-stream"
    ) -> Self {
        Self(.file(url), contentType: contentType)
    }

    /// A stream that is opened when the request is sent.
    ///
    /// - Parameters:
    ///   - source: The source that opens it, once or for each attempt.
    ///   - contentType: The type of the bytes.
    public static func stream(
        _ source: HTTPRequest.BodySource, contentType: String = "application/octet-stream"
    ) -> Self {
        Self(.stream(source), contentType: contentType)
    }

    /// Whether the same bytes can be sent a second time.
    public var isReplayable: Bool {
        if case .stream(let source) = content { return source.isReplayable }
        return true
    }

    /// Whether certainly nothing is sent.
    public var isEmpty: Bool {
        switch content {
        case .none: true
        case .data(let data): data.isEmpty
        case .file: false
        case .stream(let source): source.length == 0
        }
    }
}

extension HTTPRequest.Body: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The size, if it is known, and the type, without the bytes.
    public var description: String {
        let type = SafeText.escaped(contentType ?? "unknown type")
        switch content {
        case .none: return "none"
        case .data(let data): return "\(data.count) bytes of \(type)"
        case .file: return "a file of \(type)"
        case .stream(let source):
            return source.length.map { "a stream of \($0) bytes of \(type)" }
                ?? "a stream of \(type)"
        }
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows no bytes.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}

extension HTTPRequest.Body: ExpressibleByNilLiteral {
    /// The same as ``none``.
    public init(nilLiteral: ()) { self = .none }
}

extension HTTPRequest.Body.Content: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The place of the bytes, and their number if it is known, without the bytes.
    public var description: String { HTTPRequest.Body(self, contentType: nil).description }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows no bytes.
    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}

extension HTTPRequest.Body.Content: Hashable {}

extension HTTPRequest.Body.Content: Sendable {}

extension HTTPRequest.Body: Hashable {}

extension HTTPRequest.Body: Sendable {}
