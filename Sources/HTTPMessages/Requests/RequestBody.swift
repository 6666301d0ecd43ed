public import PledgeFutures
import PledgeHTTPText

extension HTTPRequest {
    /// The body of a request: bytes and their type.
    public struct Body: Hashable, Sendable {
        /// True for a file or a stream.
        package var isReadWhileSent: Bool {
            switch content {
            case .none, .data: false
            case .file, .stream: true
            }
        }

        /// True if sending the body may take a while, which the policies' time limits don't count.
        ///
        /// False for bytes in memory that a connection usually takes at once.
        package var isUpload: Bool {
            if case .data(let data) = content { return data.count > Self.largestPiece }
            return isReadWhileSent
        }

        /// The largest body in memory that a transport sends in one piece, in bytes.
        package static let largestPiece = 65_536

        /// The content of the body.
        package enum Content: Hashable, Sendable {
            /// No body.
            case none
            /// Bytes in memory.
            case data(Data)
            /// A file, read while it is sent.
            case file(URL)
            /// A stream, opened when it is sent.
            case stream(BodySource)
        }

        /// The content of the body.
        package let content: Content

        /// The Content-Type to send if the headers have none.
        public let contentType: String?

        /// The value of a JSON body that has no settings of its own; ignored when bodies are compared.
        ///
        /// A client encodes the value again with the client's settings.
        @Uncompared package var value: (any Encodable & Sendable)?

        package init(_ content: Content, contentType: String?) {
            self.content = content
            self.contentType = contentType
        }
    }
}

extension HTTPRequest.Body {
    /// The bytes, if they are in memory; nil for a file or a stream.
    ///
    /// They are empty if there is no body.
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

    /// Creates a body from bytes.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> Self {
        Self(.data(data), contentType: contentType)
    }

    /// Creates a JSON body, `application/json`.
    ///
    /// A client that sends the body encodes the value with its own settings. Two bodies are equal if the default
    /// encoder, which sorts the keys, writes the same bytes for both.
    ///
    /// - Throws: The encoder's error. For a value that cannot be encoded, such as a number that is not finite, this
    ///   is an `EncodingError` that names the place.
    public static func json(_ value: some Encodable & Sendable) throws -> Self {
        var body = try json(value, using: JSONCoding())
        body.value = value
        return body
    }

    /// Creates a JSON body from an object written in place, like the function for any value.
    ///
    /// - Throws: The encoder's error.
    public static func json(_ object: JSONObject) throws -> Self {
        let value: any Encodable & Sendable = object
        return try json(value)
    }

    /// Creates a JSON body with settings of its own; the value is encoded now, and no client encodes it again.
    ///
    /// - Throws: The encoder's error.
    public static func json(_ value: some Encodable, using json: JSONCoding) throws -> Self {
        .data(try json.encoder().encode(value), contentType: "application/json")
    }

    /// Creates a form, `application/x-www-form-urlencoded`, with its fields in order.
    ///
    /// Everything except letters, digits and `*-._` is percent-encoded as UTF-8, and a space becomes "+". A field
    /// without a value is sent with an empty value, because every field of a form has a value.
    public static func form(_ fields: Endpoint.Query) -> Self {
        let pairs = fields.items.map { field in
            let encoding = PercentEncoding.form
            return "\(encoding.encode(field.name))=\(encoding.encode(field.value ?? ""))"
        }
        return .data(
            Data(pairs.joined(separator: "&").utf8),
            contentType: "application/x-www-form-urlencoded")
    }

    /// Creates a body that reads a file while it is sent.
    ///
    /// - Parameters:
    ///   - url: The file. It must not change until the call has ended, because each attempt reads it again.
    ///   - contentType: The type of the bytes.
    public static func file(
        _ url: URL, contentType: String = "application/octet-stream"
    ) -> Self {
        Self(.file(url), contentType: contentType)
    }

    /// Creates a body from a stream that is opened when the request is sent.
    ///
    /// - Parameters:
    ///   - source: The source that opens the stream, once or for each attempt.
    ///   - contentType: The type of the bytes.
    public static func stream(
        _ source: HTTPRequest.BodySource, contentType: String = "application/octet-stream"
    ) -> Self {
        Self(.stream(source), contentType: contentType)
    }

    /// True if the same bytes can be sent a second time.
    public var isReplayable: Bool {
        if case .stream(let source) = content { return source.isReplayable }
        return true
    }

    /// True if the body is a stream that can be opened only once, and has been opened.
    var isConsumed: Bool {
        if case .stream(let source) = content { return source.isConsumed }
        return false
    }

    /// True if the body certainly has no bytes.
    public var isEmpty: Bool {
        switch content {
        case .none: true
        case .data(let data): data.isEmpty
        case .file: false
        case .stream(let source): source.length == 0
        }
    }
}

extension HTTPRequest.Body: DescriptionOnly {
    /// The type, and the size if it is known, without the bytes.
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
}

extension HTTPRequest.Body: ExpressibleByNilLiteral {
    /// Creates the same body as ``none``.
    public init(nilLiteral: ()) { self = .none }
}

extension HTTPRequest.Body.Content: DescriptionOnly {
    /// The kind of content, and its size if it is known, without the bytes.
    package var description: String { HTTPRequest.Body(self, contentType: nil).description }
}

extension HTTPRequest.Body {
    /// The number of bytes; nil if it is unknown before they are sent.
    ///
    /// For a file this is the current length, or nil if it cannot be read; each access makes a system call.
    public var length: Int64? {
        switch content {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(let file): FileReader.length(of: file)
        case .stream(let source): source.length
        }
    }

    /// Opens a body of any kind as a stream, for a transport to send.
    ///
    /// The length of the stream is the length to announce. The stream delivers exactly that many bytes, or fails with
    /// an ``HTTPError`` with the code ``HTTPError/Code/bodyLengthMismatch``. If the length is nil, the bytes are sent
    /// in chunks. Opening a file blocks until it is open.
    ///
    /// - Throws: An ``HTTPError`` with one of these codes, or the error of the source that opens the stream:
    ///   ``HTTPError/Code/bodyUnreadable`` for a file that cannot be read; ``HTTPError/Code/bodyNotReplayable`` for a
    ///   source that has been opened before and can be opened only once; ``HTTPError/Code/bodyLengthMismatch`` if the
    ///   source and its stream have different lengths.
    public func open() throws -> HTTPBodyStream {
        switch content {
        case .none: return HTTPBodyStream(Data())
        case .data(let data): return HTTPBodyStream(data)
        case .file(let file): return try .file(file)
        case .stream(let source):
            let stream = try source.open()
            guard let length = source.length ?? stream.length else { return stream }
            if let other = stream.length, other != length {
                throw HTTPError(code: .bodyLengthMismatch)
            }
            return stream.checkingLength(length)
        }
    }
}

extension HTTPRequest {
    /// Opens the stream of a body, once or for each attempt.
    ///
    /// ```swift
    /// let source = HTTPRequest.BodySource(length: file.size, isReplayable: true) {
    ///     HTTPBodyStream(try file.chunks())
    /// }
    /// ```
    ///
    /// Two sources are equal if they are the same object.
    public final class BodySource: Sendable {
        /// The number of bytes, or nil if it is unknown.
        ///
        /// A transport sends exactly this many bytes: a stream with fewer or more fails the call.
        public let length: Int64?

        /// True if the source can be opened any number of times, for the same bytes.
        ///
        /// Otherwise the body is sent at most once: no retry, redirect or token refresh repeats it.
        public let isReplayable: Bool

        /// The pieces of the body in order, for code that looks into the body; nil if they are unknown.
        package let pieces: [Piece]?

        private let make: @Sendable () throws -> HTTPBodyStream
        private let opened = Locked(false)

        /// True if the source has been opened, and cannot be opened again.
        var isConsumed: Bool { !isReplayable && opened.withLock { $0 } }

        /// Creates a source.
        ///
        /// - Parameters:
        ///   - length: The number of bytes; nil if it is unknown, and then the body is sent in chunks.
        ///   - isReplayable: True if `open` may be called any number of times, for the same bytes.
        ///   - open: Returns the stream. Called when the request is sent, on any thread.
        public convenience init(
            length: Int64? = nil, isReplayable: Bool,
            open: @escaping @Sendable () throws -> HTTPBodyStream
        ) {
            self.init(length: length, isReplayable: isReplayable, pieces: nil, open: open)
        }

        package init(
            length: Int64?, isReplayable: Bool, pieces: [Piece]?,
            open: @escaping @Sendable () throws -> HTTPBodyStream
        ) {
            self.length = length
            self.isReplayable = isReplayable
            self.pieces = pieces
            make = open
        }

        /// Opens the stream.
        ///
        /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/bodyNotReplayable`` if the source has been opened
        ///   before and is not replayable, or the error of opening the stream.
        public func open() throws -> HTTPBodyStream {
            let again = opened.withLock { opened in
                defer { opened = true }
                return opened
            }
            if again, !isReplayable { throw HTTPError(code: .bodyNotReplayable) }
            return try make()
        }
    }
}

extension HTTPRequest.BodySource {
    /// A piece of a composite body.
    package enum Piece: Sendable {
        /// Text between other pieces.
        case text(Data)

        /// A body with its own headers.
        case part(HTTPHeaders, HTTPRequest.Body)
    }
}

extension HTTPRequest.BodySource: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: HTTPRequest.BodySource, right: HTTPRequest.BodySource) -> Bool {
        left === right
    }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { ObjectIdentifier(self).hash(into: &hasher) }
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
