import PledgeFutures

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
    public final class BodySource {
        /// How many bytes there will be, nil where that is not known.
        ///
        /// A transport sends exactly the announced bytes, or fails: a stream with fewer or more bytes fails
        /// the call.
        public let length: Int64?

        /// Whether it can be opened any number of times, for the same bytes.
        ///
        /// If not, it is sent at most once: no retry, redirect or new token repeats it.
        public let isReplayable: Bool

        /// The pieces in their order, so that they can be examined; nil if they are not known.
        package let pieces: [Piece]?

        private let make: @Sendable () throws -> HTTPBodyStream
        private let opened = Locked(false)

        /// Whether it was opened, and cannot be opened again.
        var isConsumed: Bool { !isReplayable && opened.withLock { $0 } }

        /// Makes a source.
        ///
        /// - Parameters:
        ///   - length: How many bytes there will be, nil where that is not known: the body is then
        ///     sent in chunks.
        ///   - isReplayable: Whether `open` may be called any number of times, for the same bytes.
        ///   - open: Makes the stream; called when the request is sent, on any thread.
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
        /// - Throws: ``HTTPError`` with the code ``HTTPError/Code/bodyNotReplayable`` if it was opened before
        ///   and is not replayable, and the error that opening throws.
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
    /// A piece of a body that is made of several.
    package enum Piece: Sendable {
        /// Text between other pieces.
        case text(Data)

        /// A body with headers of its own.
        case part(HTTPHeaders, HTTPRequest.Body)
    }
}

extension HTTPRequest.BodySource: Hashable {
    /// Whether both are one object.
    public static func == (left: HTTPRequest.BodySource, right: HTTPRequest.BodySource) -> Bool {
        left === right
    }

    /// Feeds the hasher the object's identity.
    public func hash(into hasher: inout Hasher) { ObjectIdentifier(self).hash(into: &hasher) }
}

extension HTTPRequest.BodySource: Sendable {}
