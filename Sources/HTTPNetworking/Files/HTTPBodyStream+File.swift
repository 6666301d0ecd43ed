import PledgeFutures

extension HTTPBodyStream {
    /// A stream of the bytes of a file, read chunk by chunk on request.
    ///
    /// The file is opened here, on the caller's thread, and closed once, at the end of the stream or
    /// when it is given up. It is read on a queue of its own, on which the chunks settle: reading a file
    /// blocks a thread as long as the disk takes.
    ///
    /// - Parameters:
    ///   - file: The file. Its length is that at the opening; a file that shrinks or grows while it is
    ///     read fails the stream with an ``HTTPError`` with the code
    ///     ``HTTPError/Code/bodyLengthMismatch``.
    ///   - size: How many bytes a chunk has at most. Less than one is a programming error and traps.
    /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/bodyUnreadable`` and a ``FileError`` as its
    ///   cause if there is no readable regular file. The stream fails with such an error later.
    public static func file(
        _ file: URL, chunksOf size: Int = 65_536
    ) throws(HTTPError) -> HTTPBodyStream {
        precondition(size > 0, "a chunk has at least 1 byte, not \(size)")
        let reader: FileReader
        do { reader = try FileReader(file) } catch { throw .unreadable(error) }
        // A small file needs no large buffer. The additional byte detects a file that has grown.
        let size = Int(Swift.min(Int64(size), reader.length + 1))
        return HTTPBodyStream(
            length: reader.length,
            next: {
                reader.read(upTo: size).mapError { error in
                    error is FileError ? HTTPError.unreadable(error) : error
                }
            }
        )
        .checkingLength(reader.length)
    }
}

extension HTTPError {
    /// The error of a body in a file that cannot be read, with the system's error.
    package static func unreadable(_ file: URL, cause: any Error) -> HTTPError {
        var reason: String?
        do { _ = try FileReader(file) } catch { reason = "\(error)" }
        return HTTPError(code: .bodyUnreadable, cause: cause, reason: reason)
    }

    /// The error of a call whose request's body fails with a given error: with `bodyUnreadable`, unless the error
    /// says what it is, or that the call was given up.
    package static func failure(ofBody error: any Error) -> any Error {
        error is HTTPError || error is CancellationError ? error : unreadable(error)
    }

    fileprivate static func unreadable(_ cause: any Error) -> HTTPError {
        HTTPError(code: .bodyUnreadable, cause: cause)
    }
}
