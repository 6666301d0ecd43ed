public import PledgeFutures
public import PledgeHTTPMessages

/// Reads the parts of a body one by one, such as the ranges of a 206 or the fields of a form.
///
/// ```swift
/// for try await part in try MultipartReader(response) {
///     let data = try await part.body.collected(upTo: 1_000_000).value
/// }
/// ```
///
/// The reader is strict (RFC 2046, section 5.1): lines end with CR LF, a header is a name, a colon and a value on one
/// line, and the last boundary is required. Whatever the body, memory holds at most one chunk and the headers of one
/// part, within the reader's limits. The caller has to limit the size of each part.
///
/// Read one thing at a time: a part's body, and then the next part. If you request the next part early, the rest of the
/// body is skipped. You can call the methods from any thread, but only one caller may read at a time.
public final class MultipartReader: Sendable {
    /// One part of the body.
    public struct Part: Sendable {
        /// The part's headers.
        public let headers: HTTPHeaders

        /// The part's bytes.
        ///
        /// Read them before you request the next part. Afterwards, reading rejects with `CancellationError`.
        ///
        /// Cancelling the body while it waits for a chunk cancels the whole multipart body. Otherwise, cancelling skips
        /// the rest of the part.
        public let body: HTTPBodyStream
    }

    private let body: HTTPBodyStream
    private let state: Locked<State>

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - body: The body; don't read it elsewhere. It is cancelled after an error.
    ///   - boundary: The boundary between the parts, without the two hyphens.
    ///   - headerLimit: The largest size of one part's headers, in bytes.
    ///   - partLimit: The largest number of parts.
    ///   - outsideLimit: The largest number of bytes before the first boundary, and also after the last one.
    public init(
        _ body: HTTPBodyStream, boundary: String, headerLimit: Int = 16_384,
        partLimit: Int = 1_000, outsideLimit: Int = 65_536
    ) {
        self.body = body
        let limits = Limits(
            headerBytes: headerLimit, parts: partLimit, outsideBytes: outsideLimit)
        state = Locked(State(MultipartParser(boundary: boundary, limits: limits)))
    }

    /// Creates a reader for a response's body.
    ///
    /// - Parameters:
    ///   - response: The response, whose Content-Type has the boundary.
    ///   - headerLimit: The largest size of one part's headers, in bytes.
    ///   - partLimit: The largest number of parts.
    ///   - outsideLimit: The largest number of bytes before the first boundary, and also after the last one.
    /// - Throws: An `HTTPError` with the code `malformedMultipart` if there is no boundary.
    public convenience init(
        _ response: HTTPStreamedResponse, headerLimit: Int = 16_384, partLimit: Int = 1_000,
        outsideLimit: Int = 65_536
    ) throws(HTTPError) {
        guard let boundary = response.headers["Content-Type"].flatMap(Self.boundary) else {
            throw HTTPError(MultipartError(code: .noBoundary))
        }
        self.init(
            response.body, boundary: boundary, headerLimit: headerLimit, partLimit: partLimit,
            outsideLimit: outsideLimit)
    }

    /// Returns the next part, or nil after the last one.
    ///
    /// - Returns: A future of the part. It rejects with an `HTTPError` with the code `malformedMultipart` if the
    ///   body is malformed or exceeds the limits, and with the body's error if the body fails. After a failure, each call rejects with the same error.
    ///   If another caller is waiting for a chunk of the body, the future rejects with an `HTTPError` with the code
    ///   `HTTPError.Code.bodyIsBeingRead`. Cancelling the future cancels the body.
    public func next() -> Future<Part?> {
        lookUp { $0.nextPart() }.mapWithoutOrigin { found in
            found.map { headers, number in
                Part(
                    headers: headers,
                    body: HTTPBodyStream(next: { self.lookUp { $0.nextChunk(of: number) } }))
            }
        }
    }

    /// Cancels the body, and drops the events that nobody has read.
    private func cancel() {
        state.withLock { $0.giveUp() }
        body.cancel()
    }

    /// Looks something up among the parsed events, and reads more of the body until it's found.
    private func lookUp<Found: Sendable>(
        _ look: @escaping @Sendable (inout State) -> State.LookupResult<Found>
    ) -> Future<Found> {
        while true {
            switch state.withLock(look) {
            case .found(let found): return Future(value: found)
            case .failed(let error):
                body.cancel()
                return Future(error: error)
            case .gone: return Future(error: CancellationError())
            case .nothing: break
            }
            let chunk = body.next()
            guard let result = chunk.result else {
                return chunk.flatMapSomeResults { result in
                    self.state.withLock { $0.receiveChunk(result) }
                    return nil
                }
                .flatMap { _ in self.lookUp(look) }
            }
            if case .failure(let error as HTTPError) = result, error.code == .bodyIsBeingRead {
                return Future(error: error)
            }
            state.withLock { $0.receiveChunk(result) }
        }
    }
}

extension MultipartReader: AsyncSequence {
    /// An iterator over the remaining parts.
    package struct Iterator: AsyncIteratorProtocol {
        let reader: MultipartReader

        /// Returns the next part, or nil after the last one; see ``MultipartReader/next()``.
        ///
        /// Cancelling the task cancels the body, even if parts are ready.
        package mutating func next() async throws -> Part? {
            if Task.isCancelled { reader.cancel() }
            return try await reader.next().get()
        }
    }

    /// Creates an iterator; all iterators read from the same body.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Part, any Error> {
        Iterator(reader: self)
    }
}

extension MultipartReader {
    /// The limits of a reader for everything except content.
    struct Limits {
        var headerBytes = 16_384
        var parts = 1_000
        /// Before the first boundary, and also after the last one.
        var outsideBytes = 65_536
    }
}

extension MultipartReader {
    /// Returns the boundary in a multipart Content-Type; nil for another type, or without a valid boundary.
    ///
    /// A boundary has 1 to 70 characters (RFC 2046, section 5.1.1). Visible ASCII characters are accepted, and spaces
    /// except at the end.
    public static func boundary(in contentType: String) -> String? {
        var reader = FieldReader(contentType)
        let type = HTTPHeaders.trimmed(reader.text { $0 != UInt8(ascii: ";") })
        guard type.lowercased().hasPrefix("multipart/") else { return nil }
        while let (name, value, isClosed) = reader.parameter(endingAt: ";") {
            if name == "boundary", let value { return isClosed && isBoundary(value) ? value : nil }
            reader.skip { $0 != UInt8(ascii: ";") }
        }
        return nil
    }

    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.allSatisfy { (32...126).contains($0) }
            && text.utf8.last != 32
    }
}

extension MultipartReader {
    /// The events that were parsed but not read.
    struct State {
        /// The result of a lookup.
        enum LookupResult<Found> {
            case found(Found)
            /// It needs more input.
            case nothing
            /// The body has failed, or is malformed.
            case failed(any Error)
            /// The reader has gone on to another part, but the body is valid.
            case gone
        }

        private var parser: MultipartParser
        private var events: [MultipartParser.Event] = []
        private var first = 0
        /// The number of the latest part.
        private var part = 0
        /// True if the latest part has ended.
        private var isOver = true
        private var end: Result<Void, any Error>?

        init(_ parser: MultipartParser) { self.parser = parser }

        /// Receives a chunk, the end of the body, or its error.
        mutating func receiveChunk(_ result: Result<Data?, any Error>) {
            guard end == nil else { return }
            do {
                if let chunk = try result.get() {
                    (events, first) = ([], 0)
                    try parser.feed(chunk, to: &events)
                } else {
                    try parser.finish()
                    end = .success(())
                }
            } catch {
                end = .failure((error as? MultipartError).map(HTTPError.init) ?? error)
            }
        }

        /// Drops all events; unless the body has ended, later lookups fail.
        mutating func giveUp() {
            (events, first) = ([], 0)
            end = end ?? .failure(CancellationError())
        }

        /// The next part's headers and number; nil after the last part.
        mutating func nextPart() -> LookupResult<(HTTPHeaders, Int)?> {
            while let event = pop() {
                switch event {
                case .bytes: continue
                case .partEnd: isOver = true
                case .part(let headers):
                    part += 1
                    isOver = false
                    return .found((headers, part))
                }
            }
            switch end {
            case nil: return .nothing
            case .success: return .found(nil)
            case .failure(let error): return .failed(error)
            }
        }

        /// The next chunk of a part; nil after the last one.
        mutating func nextChunk(of number: Int) -> LookupResult<Data?> {
            guard number == part else { return .gone }
            if isOver { return .found(nil) }
            switch pop() {
            case .bytes(let chunk): return .found(chunk)
            case .partEnd, .part:
                isOver = true
                return .found(nil)
            case nil:
                if case .failure(let error) = end { return .failed(error) }
                return .nothing
            }
        }

        private mutating func pop() -> MultipartParser.Event? {
            guard first < events.count else { return nil }
            defer { first += 1 }
            return events[first]
        }
    }
}
