public import HTTPNetworking

extension Multipart {
    /// One part: headers of its own, and a body.
    public struct Part {
        /// The headers; the body's Content-Type is added where they name none.
        public var headers: HTTPHeaders

        /// The body.
        public var body: HTTPRequest.Body

        /// Makes a part of any headers.
        ///
        /// For the parts of a form see ``text(_:_:)``, ``data(_:_:filename:contentType:)``,
        /// ``file(_:_:filename:contentType:)`` and ``stream(_:_:filename:contentType:)``.
        public init(headers: HTTPHeaders = [:], body: HTTPRequest.Body) {
            self.headers = headers
            self.body = body
        }

        /// A field of a form: text as UTF-8, without a Content-Type, as browsers send it.
        ///
        /// The text is sent as it is; its line ends are not changed.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name, nil, HTTPRequest.Body(.data(Data(text.utf8)), contentType: nil))
        }

        /// Bytes as a field of a form.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - data: The bytes.
        ///   - filename: The name of a file that a server is to take them for, nil for none.
        ///   - contentType: What kind of bytes they are.
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
        ///   - filename: Its name as the server is told it; the last part of its path where it is nil.
        ///   - contentType: What kind of bytes they are.
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
        ///   - source: What opens the stream when its turn has come.
        ///   - filename: The name of a file that a server is to take it for, nil for none.
        ///   - contentType: What kind of bytes they are.
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

        /// A name that can stand between quotes, and ends no line.
        ///
        /// As the HTML standard's encoding of multipart/form-data has it: %0D, %0A and %22 for CR, LF and
        /// the quote; nothing else is changed there. The other control characters, which no header may
        /// hold, are written likewise.
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
    /// The body's size and kind; neither the name nor a byte.
    public var description: String { "a part: \(body)" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["part": description]) }
}

extension Multipart.Part: Hashable {}

extension Multipart.Part: Sendable {}
