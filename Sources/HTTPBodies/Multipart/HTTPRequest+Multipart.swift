public import PledgeHTTPNetworking

extension HTTPRequest.Body {
    /// Several parts as one body; see ``Multipart``.
    ///
    /// It is replayable if its parts are. At most one chunk of a file or a stream is in memory, and one file
    /// is open at a time.
    ///
    /// - Throws: `Endpoint.Error.invalidHeader(name:)` for a header of a part that
    ///   `HTTPHeaders.isValid(name:value:)` refuses, and for a subtype that is not a token, under the name
    ///   Content-Type.
    public static func multipart(_ multipart: Multipart) throws(Endpoint.Error) -> Self {
        guard HTTPHeaders.isToken(multipart.subtype) else {
            throw .invalidHeader(name: "Content-Type")
        }
        let texts = try multipart.texts()
        var pieces: [HTTPRequest.BodySource.Piece] = [.text(texts[0])]
        for (part, text) in zip(multipart.parts, texts.dropFirst()) {
            pieces += [.part(part.effectiveHeaders, part.body), .text(text)]
        }
        // A file has its current length; opening the body checks that the sum is sent.
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
    /// The text before the first part, between the parts, and after the last.
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
