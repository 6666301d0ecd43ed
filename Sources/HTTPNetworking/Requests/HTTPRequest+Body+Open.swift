extension HTTPRequest.Body {
    /// How many bytes there are, nil where that is not known before they are sent.
    ///
    /// For a file it is the present length, nil if that cannot be determined; it takes a system
    /// call.
    public var length: Int? {
        switch content {
        case .none: 0
        case .data(let data): data.count
        case .file(let file): FileReader.length(of: file)
        case .stream(let source): source.length
        }
    }

    /// Opens the body as a stream, whatever it is, for a transport to send.
    ///
    /// The stream's length is what is to be announced; it fails with an ``HTTPError`` with the code
    /// ``HTTPError/Code/bodyLengthMismatch`` rather than give fewer or more bytes. Where it is nil, the
    /// bytes are sent in chunks. For a file this blocks as long as opening it takes.
    ///
    /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/bodyUnreadable`` for a file that cannot be
    ///   read, ``HTTPError/Code/bodyNotReplayable`` for a source that was opened before and can be but
    ///   once, ``HTTPError/Code/bodyLengthMismatch`` where the source and its stream say different
    ///   lengths, and what opening the source throws.
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
