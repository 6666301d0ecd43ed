public import PledgeHTTPNetworking

extension Multipart {
    /// One part: headers of its own, and a body.
    public struct Part {
        /// The headers; the body's Content-Type is added if they have none.
        public var headers: HTTPHeaders

        /// The body.
        public var body: HTTPRequest.Body

        /// Makes a part with any headers.
        ///
        /// For the parts of a form see ``text(_:_:)``, ``data(_:_:filename:contentType:)``,
        /// ``file(_:_:filename:contentType:)`` and ``stream(_:_:filename:contentType:)``.
        public init(headers: HTTPHeaders = [:], body: HTTPRequest.Body) {
            self.headers = headers
            self.body = body
        }

        /// A field of a form: text as UTF-8, without a Content-Type, as browsers send it.
        ///
        /// The text is sent unchanged, with its line ends.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name, nil, HTTPRequest.Body(.data(Data(text.utf8)), contentType: nil))
        }

        /// Bytes as a field of a form.
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

        /// A file as a field of a form, read while it is sent.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - file: The file; see `HTTPRequest.Body.file(_:contentType:)`.
        ///   - filename: The file name for the server; nil: the last part of its path.
        ///   - contentType: The type of the bytes.
        public static func file(
            _ name: String, _ file: URL, filename: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name, filename ?? file.lastPathComponent, .file(file, contentType: contentType))
        }

        /// A stream as a field of a form.
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

        /// A name that is valid between quotes, without line ends.
        ///
        /// As in the HTML standard's encoding of multipart/form-data: %0D, %0A and %22 for CR, LF and the
        /// quote, and nothing else. Other control characters, which are not allowed in a header, are encoded
        /// in the same way.
        static func escaped(_ name: String) -> String {
            name.unicodeScalars.map { scalar in
                guard scalar == "\"" || scalar.properties.generalCategory == .control else {
                    return String(scalar)
                }
                return String(scalar).utf8.map { byte in
                    let digits = String(byte, radix: 16, uppercase: true)
                    return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
                }
                .joined()
            }
            .joined()
        }

        /// The headers that are sent.
        var effectiveHeaders: HTTPHeaders {
            var headers = headers
            if let type = body.contentType, headers["Content-Type"] == nil {
                headers.set(type, for: "Content-Type")
            }
            return headers
        }
    }
}

extension Multipart.Part: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The body's size and type, without the name and the bytes.
    public var description: String { "a part: \(body)" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["part": description]) }
}

extension Multipart.Part: Hashable {}

extension Multipart.Part: Sendable {}
