public import PledgeFutures
public import PledgeHTTPNetworking

/// Reads the parts of a body one after the other, such as the ranges of a 206 or the fields of a form.
///
/// ```swift
/// for try await part in try MultipartReader(response) {
///     let data = try await part.body.collected(upTo: 1_000_000).value
/// }
/// ```
///
/// It is strict (RFC 2046, section 5.1): lines end with CR LF, a header is a name, a colon and a value on one
/// line, and the last boundary has to be there. It is bounded by its ``Limits``: with any body, at most one
/// chunk of it and the headers of one part are in memory. The caller has to limit the size of a part.
///
/// Only one caller may read, one thing at a time: a part's body, then the next part. The unread rest of a
/// part's body is then skipped. Any thread may call its methods.
public final class MultipartReader {
    /// One part of the body.
    public struct Part {
        /// Its headers.
        public let headers: HTTPHeaders

        /// Its bytes.
        ///
        /// Read them before the next part is requested; afterwards it rejects with
        /// `CancellationError`.
        ///
        /// Cancelling it while a chunk is awaited cancels the whole body; otherwise the rest of the part is
        /// skipped.
        public let body: HTTPBodyStream
    }

    private let body: HTTPBodyStream
    private let state: Locked<State>

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - body: The body, which must not be read otherwise. It is cancelled after an error.
    ///   - boundary: The boundary between its parts, without the two hyphens.
    ///   - limits: The limits for everything except content.
    public init(_ body: HTTPBodyStream, boundary: String, limits: Limits = Limits()) {
        self.body = body
        state = Locked(State(MultipartParser(boundary: boundary, limits: limits)))
    }

    /// Makes a reader for a response's body.
    ///
    /// - Parameters:
    ///   - response: The response, whose Content-Type has the boundary.
    ///   - limits: The limits for everything except content.
    /// - Throws: A ``MultipartError`` with the code ``MultipartError/Code/noBoundary`` if it has none.
    public convenience init(
        _ response: HTTPStreamedResponse, limits: Limits = Limits()
    ) throws(MultipartError) {
        guard let boundary = response.headers["Content-Type"].flatMap(Self.boundary) else {
            throw MultipartError(code: .noBoundary)
        }
        self.init(response.body, boundary: boundary, limits: limits)
    }

    /// The next part, or nil after the last one.
    ///
    /// - Returns: A future of the part. It rejects with a ``MultipartError`` if the body is malformed or
    ///   exceeds the limits, with the body's error, each time after the failure, and with an `HTTPError` with
    ///   the code `HTTPError.Code.bodyIsBeingRead` while a chunk of the body is awaited. Cancelling it
    ///   cancels the body.
    public func next() -> Future<Part?> {
        read { $0.nextPart() }.mapWithoutOrigin { found in
            found.map { headers, number in
                Part(
                    headers: headers,
                    body: HTTPBodyStream(next: { self.read { $0.nextChunk(of: number) } }))
            }
        }
    }

    /// Gives up the body and what was read of it.
    private func cancel() {
        state.withLock { $0.giveUp() }
        body.cancel()
    }

    /// Looks up something in the read events, and reads until it is found.
    private func read<Found: Sendable>(
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
                    self.state.withLock { $0.take(result) }
                    return nil
                }
                .flatMap { _ in self.read(look) }
            }
            if case .failure(let error as HTTPError) = result, error.code == .bodyIsBeingRead {
                return Future(error: error)
            }
            state.withLock { $0.take(result) }
        }
    }
}

extension MultipartReader: AsyncSequence {
    /// An iterator over the remaining parts.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: MultipartReader

        /// The next part, or nil after the last one; see ``MultipartReader/next()``.
        ///
        /// Cancelling the task cancels the body, also if parts are ready.
        public mutating func next() async throws -> Part? {
            if Task.isCancelled { reader.cancel() }
            return try await reader.next().value
        }
    }

    /// Makes an iterator; all of them read from the same body.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: self) }
}

extension MultipartReader.Part: Sendable {}

extension MultipartReader: Sendable {}
