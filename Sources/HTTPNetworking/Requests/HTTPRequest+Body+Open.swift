extension HTTPRequest.Body {
    /// How many bytes there are; nil if that is not known before they are sent.
    ///
    /// For a file it is the current length, nil if that cannot be determined; it takes a system call.
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
    /// The stream's length is the length to announce; the stream fails with an ``HTTPError`` with
    /// the code ``HTTPError/Code/bodyLengthMismatch`` instead of giving fewer or more bytes. If the length is
    /// nil, the bytes are sent in chunks. For a file this blocks until it is open.
    ///
    /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/bodyUnreadable`` for a file that cannot be
    ///   read, ``HTTPError/Code/bodyNotReplayable`` for a source that was opened before and can be opened
    ///   only once, ``HTTPError/Code/bodyLengthMismatch`` if the source and its stream have different
    ///   lengths, and the error that opening the source throws.
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
