public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
import PledgeServices

/// A body of several parts, such as the fields and files of a form (RFC 7578, RFC 2046).
///
/// ```swift
/// let form = Multipart([
///     .text("title", "Holidays"),
///     .file("photo", photo, contentType: "image/jpeg"),
/// ])
/// let request = HTTPRequest(.post, url, body: try .multipart(form))
/// ```
///
/// Files and streams are read chunk by chunk while they are sent. If the length of each part is known, the total length
/// is sent to the server.
public struct Multipart: Sendable {
    /// The parts, in the order of sending.
    public let parts: [Part]

    /// The kind of body, such as `form-data`, `mixed` or `related`.
    public let subtype: String

    /// The boundary between the parts, with at most 70 letters, digits and "-".
    public let boundary: String

    /// Creates a body from parts.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - subtype: The kind of body, a token such as `mixed`.
    ///   - random: The source of the boundary, which has 128 random bits. All parts in memory are searched once, so
    ///     that none of them contains the boundary.
    public init(_ parts: [Part], subtype: String = "form-data", random: RandomSource = .system) {
        self.parts = parts
        self.subtype = subtype
        boundary = Self.boundary(for: parts, random)
    }

    /// The value of the header Content-Type.
    public var contentType: String { "multipart/\(subtype); boundary=\(boundary)" }

    private static func boundary(for parts: [Part], _ random: RandomSource) -> String {
        let start =
            "pledge-\(HexDigits.text(random.nextOfID()))\(HexDigits.text(random.nextOfID()))"
        var boundary = start
        var count = 0
        // The loop ends with any random source, because the data can't contain every number.
        while isFound(boundary, in: parts) {
            count += 1
            boundary = "\(start)-\(count)"
        }
        return boundary
    }

    private static func isFound(_ boundary: String, in parts: [Part]) -> Bool {
        let pattern = BytePattern(boundary.utf8)
        return parts.contains { part in
            guard case .data(let data) = part.body.content else { return false }
            return pattern.firstOffset(in: data) != nil
        }
    }
}

extension Multipart: DescriptionOnly {
    /// The kind of body and the number of parts, without their content.
    public var description: String {
        "multipart/\(SafeText.escaped(subtype)) of \(parts.count) parts"
    }
}

extension HTTPRequest.Body {
    /// Creates one body from several parts; see ``Multipart``.
    ///
    /// The body is replayable if all of its parts are. At most one chunk of a file or stream is in memory, and at most
    /// one file is open.
    ///
    /// - Throws: `Endpoint.Error.invalidHeader(name:)` for a part's header that `HTTPHeaders.isValid(name:value:)`
    ///   refuses. If the subtype isn't a token, the error has the name Content-Type.
    public static func multipart(_ multipart: Multipart) throws(Endpoint.Error) -> Self {
        guard HTTPHeaders.isToken(multipart.subtype) else {
            throw .invalidHeader(name: "Content-Type")
        }
        let texts = try multipart.texts()
        var pieces: [HTTPRequest.BodySource.Piece] = [.text(texts[0])]
        for (part, text) in zip(multipart.parts, texts.dropFirst()) {
            pieces += [.part(part.effectiveHeaders, part.body), .text(text)]
        }
        // If a file's length changes afterwards, the body notices that it doesn't send this many bytes.
        let length = pieces.reduce(0 as Int64?) { sum, piece in
            sum.flatMap { sum in piece.length.map { sum + $0 } }
        }
        let source = HTTPRequest.BodySource(
            length: length, isReplayable: multipart.parts.allSatisfy(\.body.isReplayable),
            pieces: pieces
        ) { [pieces] in .concatenating(length: length, pieces.map { piece in { try piece.open() } })
        }
        return .stream(source, contentType: multipart.contentType)
    }
}

extension HTTPRequest.BodySource.Piece {
    fileprivate var length: Int64? {
        switch self {
        case .text(let text): Int64(text.count)
        case .part(_, let body): body.length
        }
    }

    fileprivate func open() throws -> HTTPBodyStream {
        switch self {
        case .text(let text): HTTPBodyStream(text)
        case .part(_, let body): try body.open()
        }
    }
}

extension Multipart {
    /// The texts before, between and after the parts.
    func texts() throws(Endpoint.Error) -> [Data] {
        var texts: [Data] = []
        for (index, part) in parts.enumerated() {
            var text = "\(index == 0 ? "" : "\r\n")--\(boundary)\r\n"
            for (name, value) in part.effectiveHeaders {
                guard HTTPHeaders.isValid(name: name, value: value) else {
                    throw .invalidHeader(name: name)
                }
                text += "\(name): \(value)\r\n"
            }
            texts.append(Data((text + "\r\n").utf8))
        }
        texts.append(Data("\(parts.isEmpty ? "" : "\r\n")--\(boundary)--\r\n".utf8))
        return texts
    }
}

extension Multipart {
    /// One part, with its own headers and body.
    public struct Part: Hashable, Sendable {
        /// The headers; if they have no Content-Type, the type of the body is added when the part is sent.
        public var headers: HTTPHeaders

        /// The body.
        public var body: HTTPRequest.Body

        /// Creates a part with any headers.
        ///
        /// For a form, use ``text(_:_:)``, ``data(_:_:filename:contentType:)``, ``file(_:_:filename:contentType:)`` or
        /// ``stream(_:_:filename:contentType:)``.
        public init(headers: HTTPHeaders = [:], body: HTTPRequest.Body) {
            self.headers = headers
            self.body = body
        }

        /// A form field with text in UTF-8, without a Content-Type, as browsers send it.
        ///
        /// The text and its line ends are sent unchanged.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name, nil, HTTPRequest.Body(.data(Data(text.utf8)), contentType: nil))
        }

        /// A form field with bytes.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - data: The bytes.
        ///   - filename: The file name for the server; nil for none.
        ///   - contentType: The type of the bytes.
        public static func data(
            _ name: String, _ data: Data, filename: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name, filename, .data(data, contentType: contentType))
        }

        /// A form field with a file, which is read while it is sent.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - file: The file; see `HTTPRequest.Body.file(_:contentType:)`.
        ///   - filename: The file name for the server; nil for the last part of the file's path.
        ///   - contentType: The type of the bytes.
        public static func file(
            _ name: String, _ file: URL, filename: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name, filename ?? file.lastPathComponent, .file(file, contentType: contentType))
        }

        /// A form field with a stream.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - source: The source, opened when the part is sent.
        ///   - filename: The file name for the server; nil for none.
        ///   - contentType: The type of the bytes.
        public static func stream(
            _ name: String, _ source: HTTPRequest.BodySource, filename: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name, filename, .stream(source, contentType: contentType))
        }

        private init(_ name: String, _ filename: String?, _ body: HTTPRequest.Body) {
            let file = filename.map { "; filename=\"\(Self.escaped($0))\"" } ?? ""
            headers = [
                "Content-Disposition": "form-data; name=\"\(Self.escaped(name))\"\(file)"
            ]
            self.body = body
        }

        /// The name as it may stand between quotes, without line ends.
        ///
        /// CR, LF and the quote become %0D, %0A and %22, as in HTML's multipart/form-data. So do other control
        /// characters, which a header can't hold.
        static func escaped(_ name: String) -> String {
            name.unicodeScalars.map { scalar in
                guard scalar == "\"" || scalar.properties.generalCategory == .control else {
                    return String(scalar)
                }
                return PercentEncoding.word.encode(String(scalar))
            }
            .joined()
        }

        var effectiveHeaders: HTTPHeaders {
            var headers = headers
            if let type = body.contentType, headers["Content-Type"] == nil {
                headers.set(type, for: "Content-Type")
            }
            return headers
        }
    }
}

extension Multipart.Part: DescriptionOnly {
    /// The body's size and type, without the name and the bytes.
    public var description: String { "a part: \(body)" }
}
