extension KnownSecrets {
    /// Adds the values of a request's body, as far as it can be examined.
    ///
    /// That is JSON, a form, and the parts of a multipart body that are fields or one of these. Anything
    /// else, such as a file, a stream or a text, cannot be examined.
    mutating func add(_ body: HTTPRequest.Body, contentType: String?) {
        switch body.content {
        case .none: break
        case .data(let data): add(data, contentType: contentType)
        case .file: isMissingSome()
        case .stream(let source):
            guard let pieces = source.pieces else { return isMissingSome() }
            for case .part(let headers, let body) in pieces { add(part: headers, body) }
        }
    }

    private mutating func add(part headers: HTTPHeaders, _ body: HTTPRequest.Body) {
        var headers = headers
        // The app chooses the names of fields, the user those of files.
        let names = headers["Content-Disposition"]?.split(separator: "filename=\"") ?? []
        if names.count > 1 { add(names[1].dropLast()) }
        headers.remove("Content-Disposition")
        if headers["Content-Type"] == nil, case .data(let text) = body.content {
            return add(text)
        }
        add(headers, body)
    }

    private mutating func add(_ body: Data, contentType: String?) {
        guard !body.isEmpty else { return }
        guard body.count <= Self.limit else { return isMissingSome() }
        switch BodyText(body, contentType: contentType) {
        case .json(let outline) where outline.isWhole:
            for value in outline.values { add(value) }
        case .form(let text, isDeclared: true):
            add(query: String(decoding: text, as: UTF8.self)[...])
        default: isMissingSome()
        }
    }

    /// The values of JSON that a text may quote.
    ///
    /// Complexity: linear in the size of the data, which is in memory already.
    init(of data: Data, in text: String) {
        let words = Set(Self.beginnings(of: Array(text.utf8)))
        for value in JSONOutline(Array(data)).values {
            // An escaped value begins differently in the text.
            let start = Self.beginnings(of: Array(value.prefix(4))).first
            if value.contains(UInt8(ascii: "\\")) || start.map(words.contains) ?? false {
                add(value.prefix(4096))
            }
        }
    }

    /// All sequences of four bytes, in lower case.
    private static func beginnings(of bytes: [UInt8]) -> [[UInt8]] {
        let lowercase = bytes.map(\.lowercased)
        return lowercase.indices.dropLast(3).map { Array(lowercase[$0..<$0 + 4]) }
    }
}
