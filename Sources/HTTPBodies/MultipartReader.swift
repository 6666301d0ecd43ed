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
public final class MultipartReader: Sendable {
    /// One part of the body.
    public struct Part: Sendable {
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

extension MultipartReader {
    /// The limits of a reader for everything except content.
    public struct Limits: Hashable, Sendable {
        /// How many bytes the headers of one part may have.
        public var headerBytes: Int

        /// How many parts there may be.
        public var parts: Int

        /// How many bytes may come before the first boundary, and how many after the last.
        public var outsideBytes: Int

        /// Makes limits.
        public init(headerBytes: Int = 16_384, parts: Int = 1_000, outsideBytes: Int = 65_536) {
            self.headerBytes = headerBytes
            self.parts = parts
            self.outsideBytes = outsideBytes
        }
    }
}

extension MultipartReader {
    /// The boundary in a Content-Type of a multipart type; nil for another type, or without a boundary.
    ///
    /// A boundary has 1 to 70 characters (RFC 2046, section 5.1.1), here visible ASCII, and spaces within.
    public static func boundary(in contentType: String) -> String? {
        let scalars = Array(contentType.unicodeScalars)
        let type = scalars.prefix { $0 != ";" }
        guard text(type).lowercased().hasPrefix("multipart/") else { return nil }
        var rest = scalars[type.count...]
        while rest.popFirst() == ";" {
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            let value = parameter(&rest)
            if text(name).lowercased() == "boundary" {
                return value.flatMap { isBoundary($0) ? $0 : nil }
            }
        }
        return nil
    }

    /// Removes a token or a quoted string (RFC 9110, section 5.6.6), and the rest up to the next semicolon.
    private static func parameter(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        var value: [Unicode.Scalar] = []
        guard rest.first == "\"" else {
            value = Array(rest.prefix { $0 != ";" })
            rest = rest.dropFirst(value.count)
            return text(value[...])
        }
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                rest = rest.drop { $0 != ";" }
                return text(value[...], trimmed: false)
            }
            if scalar == "\\" {
                if let escaped = rest.popFirst() { value.append(escaped) }
            } else {
                value.append(scalar)
            }
        }
        return nil
    }

    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.allSatisfy { (32...126).contains($0) }
            && text.utf8.last != 32
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>, trimmed: Bool = true) -> String
    {
        let text = String(String.UnicodeScalarView(scalars))
        return trimmed ? HTTPHeaders.trimmed(text) : text
    }
}

extension MultipartReader {
    /// The events that were read and not yet requested.
    struct State {
        /// The result of a look-up.
        enum LookupResult<Found> {
            case found(Found)
            /// More input is needed.
            case nothing
            /// The body has failed, or is malformed.
            case failed(any Error)
            /// The requested part has ended; the body is valid.
            case gone
        }

        private var parser: MultipartParser
        private var events: [MultipartParser.Event] = []
        private var first = 0
        /// The number of the part that was returned last.
        private var part = 0
        /// Whether that part has ended.
        private var isOver = true
        private var end: Result<Void, any Error>?

        init(_ parser: MultipartParser) { self.parser = parser }

        /// Takes a chunk, the end, or an error.
        mutating func take(_ result: Result<Data?, any Error>) {
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
                end = .failure(error)
            }
        }

        /// Removes the read events, and fails unless the body has ended.
        mutating func giveUp() {
            (events, first) = ([], 0)
            end = end ?? .failure(CancellationError())
        }

        /// The headers and the number of the next part; nil after the last.
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

        /// The next chunk of a part; nil after its last.
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
