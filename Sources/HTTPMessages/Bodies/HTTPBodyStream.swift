public import PledgeFutures

/// The bytes of a body, chunk by chunk, requested one at a time.
///
/// ```swift
/// for try await chunk in response.body { try file.write(contentsOf: chunk) }
/// ```
///
/// If the transport supports back-pressure, the stream fetches no chunk before the chunk is requested. A stream is read
/// once, by one reader: iterators share the remaining chunks. Releasing a stream before its end cancels its source. Any
/// thread may call its methods.
public final class HTTPBodyStream: Sendable {
    /// The total number of bytes; nil if it is unknown.
    public let length: Int64?

    private let state: Locked<State>

    /// Creates a stream from a function that returns one chunk after the other.
    ///
    /// The two functions are never called at the same time, and no lock is held while they run.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes; nil if it is unknown.
    ///   - next: Returns the next chunk, or nil after the last one; it may throw. It is called again only after its
    ///     future has settled with a chunk, and never after nil or an error. An empty chunk is skipped.
    ///   - cancel: Called once if the stream is cancelled before its end. The last future of `next` is cancelled as
    ///     well.
    public init(
        length: Int64? = nil, next: @escaping @Sendable () throws -> Future<Data?>,
        cancel: @escaping @Sendable () -> Void = {}
    ) {
        self.length = length
        state = Locked(State(source: Source(next: next, cancel: cancel)))
    }

    deinit { cancel() }

    /// Returns the next chunk, which is never empty, or nil after the last one.
    ///
    /// - Returns: A future of the chunk. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyIsBeingRead`` while an earlier chunk is pending, with `CancellationError` after
    ///   ``cancel()``, and with the stream's error once the stream has failed. Cancelling the future cancels the
    ///   stream.
    public func next() -> Future<Data?> {
        switch state.withLock({ $0.startReading() }) {
        case .give(let result): return Future(result: result)
        case .ask(let source):
            switch ask(source) {
            case .settled(let result): return Future(result: result)
            case .pending(let chunk):
                return Future.make { resolver in
                    resolver.onCancel { self.cancel() }
                    self.wait(for: chunk, from: source, resolver)
                }
            }
        }
    }

    /// Cancels the stream, with all unread chunks.
    ///
    /// A pending chunk rejects with `CancellationError`. After the end of the stream, and when called again, this does
    /// nothing.
    public func cancel() {
        let left = state.withLock { $0.cancel() }
        left?.reading?.cancel()
        left?.source?.cancel()
    }
}

extension HTTPBodyStream {
    private enum ReadResult {
        case settled(Result<Data?, any Error>)
        case pending(Future<Data?>)
    }

    /// Asks the source until it returns a pending chunk, or one that is not empty.
    private func ask(_ source: Source) -> ReadResult {
        while true {
            let chunk: Future<Data?>
            do { chunk = try source.next() } catch { chunk = Future(error: error) }
            guard let result = chunk.result else { return .pending(chunk) }
            switch state.withLock({ $0.endReading(with: result) }) {
            case .give(let result): return .settled(result)
            case .again: continue
            case .giveUp:
                source.cancel()
                return .settled(.failure(CancellationError()))
            }
        }
    }

    /// Waits for a chunk on behalf of a reader.
    private func wait(
        for chunk: Future<Data?>, from source: Source, _ resolver: Resolver<Data?>
    ) {
        // Waits for a future that is derived from the chunk's future, because the chunk's future may be the source's
        // own promise. If the source releases its promise unsettled, the derived future fails. If the stream held the
        // promise too, nothing would ever settle it. Also, cancelling the derived future does not affect others who
        // hold the chunk's future.
        let reading = chunk.mapWithoutOrigin { $0 }
        guard state.withLock({ $0.wait(for: reading) }) else {
            reading.cancel()
            source.cancel()
            resolver.reject(with: CancellationError())
            return
        }
        reading.observe { result in
            guard case .give(let result) = self.state.withLock({ $0.endReading(with: result) })
            else {
                return self.readOn(from: source, resolver)
            }
            resolver.settle(with: result)
        }
    }

    /// Asks for another chunk after an empty one.
    private func readOn(from source: Source, _ resolver: Resolver<Data?>) {
        switch ask(source) {
        case .settled(let result): resolver.settle(with: result)
        case .pending(let chunk): wait(for: chunk, from: source, resolver)
        }
    }
}

extension HTTPBodyStream {
    /// Creates a stream of bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - size: The largest size of a chunk, in bytes. Less than one is a programming error and traps.
    public convenience init(_ data: Data, chunksOf size: Int = 65_536) {
        precondition(size > 0, "a chunk has at least 1 byte, not \(size)")
        let rest = Locked(data)
        self.init(
            length: Int64(data.count),
            next: {
                rest.withLock { rest in
                    guard !rest.isEmpty else { return Future(value: nil) }
                    // Copies the bytes. Otherwise, whoever kept one chunk would keep all of the data in memory.
                    let chunk = Data(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    return Future(value: chunk)
                }
            })
    }
}

extension HTTPBodyStream: AsyncSequence {
    /// An iterator over the remaining chunks.
    package struct Iterator: AsyncIteratorProtocol {
        package let stream: HTTPBodyStream

        package init(stream: HTTPBodyStream) { self.stream = stream }

        /// Returns the next chunk, or nil after the last one; see ``HTTPBodyStream/next()``.
        ///
        /// Cancelling the task cancels the stream, even if chunks are ready.
        package mutating func next() async throws -> Data? {
            if Task.isCancelled { stream.cancel() }
            return try await stream.next().get()
        }
    }

    /// Creates an iterator; all iterators read from the same stream.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Data, any Error> {
        Iterator(stream: self)
    }
}

extension HTTPBodyStream {
    /// Creates a stream from an asynchronous sequence of chunks, such as `Data` or `[UInt8]`.
    ///
    /// One task, which starts here, iterates over the sequence. It creates the iterator when the first chunk is
    /// requested, and requests each element only when a chunk is requested. Cancelling the stream, or releasing it
    /// before its end, cancels the task. An error that the sequence throws fails the stream.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes; nil if it is unknown.
    ///   - chunks: The sequence.
    public convenience init<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, _ chunks: Chunks
    ) where Chunks.Element: Sequence<UInt8> {
        let (requests, line) = AsyncStream.makeStream(of: Resolver<Data?>.self)
        let task = Task {
            var requests = requests.makeAsyncIterator()
            guard var request = await requests.next() else { return }
            var iterator = chunks.makeAsyncIterator()
            do {
                while let chunk = try await iterator.next() {
                    request.resolve(with: chunk as? Data ?? Data(chunk))
                    guard let another = await requests.next() else { return }
                    request = another
                }
                request.resolve(with: nil)
            } catch {
                request.reject(with: error)
            }
        }
        self.init(
            length: length,
            next: { Future.make { line.yield($0) } },
            cancel: { task.cancel() })
    }
}

extension HTTPBodyStream {
    /// Calls a function with each remaining chunk, one after the other.
    ///
    /// The next chunk is requested when the function's future has resolved, so a slow writer slows the reading down.
    /// Stack and memory use are constant, however many chunks there are.
    ///
    /// - Parameter body: Called with each chunk, on the thread where the chunk arrived or where the function's previous
    ///   future settled.
    /// - Returns: A future that resolves after the last chunk. It rejects with the stream's error, or with the error of
    ///   the function or its future; the rest of the stream is then cancelled. Cancelling the returned future cancels
    ///   the stream and the function's pending future.
    package func forEach(
        _ body: @escaping @Sendable (Data) throws -> Future<Void>
    ) -> Future<Void> {
        readOn(body).onEnd { result in
            if case .failure = result { self.cancel() }
        }
    }

    /// Loops over the available chunks, and continues when the next one arrives.
    private func readOn(_ body: @escaping @Sendable (Data) throws -> Future<Void>) -> Future<Void> {
        while true {
            let next = next()
            guard case .success(let chunk) = next.result else {
                return next.flatMap { chunk in
                    guard let chunk else { return Future(value: ()) }
                    return try body(chunk).flatMap { self.readOn(body) }
                }
            }
            guard let chunk else { return Future(value: ()) }
            do {
                let work = try body(chunk)
                if case .success = work.result { continue }
                return work.flatMap { self.readOn(body) }
            } catch {
                return Future(error: error)
            }
        }
    }

    /// Collects all remaining bytes.
    ///
    /// Complexity: linear in the number of bytes.
    ///
    /// - Parameter limit: The largest number of bytes. If there are more, at most one chunk beyond the limit is read,
    ///   and then the stream is cancelled.
    /// - Returns: A future of the bytes. It rejects with an ``HTTPError`` with the code ``HTTPError/Code/bodyTooLarge``
    ///   if there are more, and with the stream's error. Cancelling the future cancels the stream.
    public func collected(upTo limit: Int) -> Future<Data> {
        let collected = Locked(Data())
        return forEach { chunk in
            try collected.withLock { data in
                guard chunk.count <= limit - data.count else {
                    throw HTTPError(code: .bodyTooLarge, reason: "the limit of \(limit) bytes")
                }
                data.append(chunk)
            }
            return Future(value: ())
        }
        .mapWithoutOrigin { collected.withLock { $0 } }
    }
}

extension HTTPBodyStream {
    /// Returns the same bytes in a stream that fails if their number differs from a length.
    ///
    /// The result reads this stream, so don't read this stream yourself.
    ///
    /// - Parameter length: The required number of bytes.
    /// - Returns: A stream with that length. If a chunk goes beyond the length, or the bytes end too early, the stream
    ///   fails with an ``HTTPError`` with the code ``HTTPError/Code/bodyLengthMismatch`` instead.
    package func checkingLength(_ length: Int64) -> HTTPBodyStream {
        let rest = Locked(length)
        return wrapped(length: length) { chunk in
            let isRight = rest.withLock { rest in
                rest -= Int64(chunk?.count ?? 0)
                return chunk == nil ? rest == 0 : rest >= 0
            }
            guard isRight else { throw HTTPError(code: .bodyLengthMismatch) }
        }
    }

    /// Returns the same chunks; a function observes each chunk and the end.
    ///
    /// - Parameter look: Called with each chunk, then with nil. If it throws, the result fails with that error.
    package func wrapped(
        length: Int64?, _ look: @escaping @Sendable (Data?) throws -> Void
    ) -> HTTPBodyStream {
        HTTPBodyStream(
            length: length,
            next: {
                self.next().mapWithoutOrigin { chunk in
                    do { try look(chunk) } catch {
                        self.cancel()
                        throw error
                    }
                    return chunk
                }
            },
            cancel: { self.cancel() })
    }
}

extension HTTPBodyStream {
    struct Source {
        let next: @Sendable () throws -> Future<Data?>
        let cancel: @Sendable () -> Void
    }

    /// The state of reading a stream.
    ///
    /// The state never calls a function of the source. The code that uses the state calls these functions after it has
    /// released the lock. That code also holds a reference to the source, so the last reference is not released under
    /// the lock.
    struct State {
        enum Phase {
            /// No chunk is pending. Next: `asking`, `over`.
            case idle
            /// The source's `next` is being called. Next: `reading`, `idle`, `leaving`, `over`.
            case asking
            /// Cancelled while the source's `next` is being called. Next: `over`.
            case leaving
            /// A chunk is pending. Next: `asking`, `idle`, `over`.
            case reading(Future<Data?>)
            /// The last chunk has been returned, or the stream has failed or was cancelled.
            case over(Result<Data?, any Error>)
        }

        enum ReadStart {
            /// The caller asks the source, then calls `endReading` or `wait`.
            case ask(Source)
            case give(Result<Data?, any Error>)
        }

        enum ReadEnd {
            /// The reader gets this result.
            case give(Result<Data?, any Error>)
            /// The chunk was empty, so the caller asks the source again.
            case again
            /// The stream was cancelled while the source was being asked, so the caller now cancels the source.
            case giveUp
        }

        private(set) var phase = Phase.idle
        /// The source; nil after the end, so that it is released.
        private(set) var source: Source?

        init(source: Source) { self.source = source }

        mutating func startReading() -> ReadStart {
            switch phase {
            case .over(let result): return .give(result)
            case .leaving: return .give(.failure(CancellationError()))
            case .asking, .reading:
                return .give(.failure(HTTPError(code: .bodyIsBeingRead)))
            case .idle:
                guard let source else { return .give(.success(nil)) }
                phase = .asking
                return .ask(source)
            }
        }

        /// Notes the pending chunk, after the source was asked.
        ///
        /// - Returns: False if the stream was cancelled in the meantime. The caller then cancels the chunk and the
        ///   source.
        mutating func wait(for chunk: Future<Data?>) -> Bool {
            if case .leaving = phase {
                endStream(.failure(CancellationError()))
                return false
            }
            phase = .reading(chunk)
            return true
        }

        /// Takes the result of reading a chunk.
        mutating func endReading(with result: Result<Data?, any Error>) -> ReadEnd {
            switch (phase, result) {
            case (.over(let end), _):
                return .give(end)
            case (.leaving, _):
                endStream(.failure(CancellationError()))
                return .giveUp
            case (_, .success(let chunk?)):
                phase = chunk.isEmpty ? .asking : .idle
                return chunk.isEmpty ? .again : .give(result)
            case (_, .success(nil)), (_, .failure):
                endStream(result)
                return .give(result)
            }
        }

        /// Ends the stream, and returns the objects to cancel; nil if there is nothing to cancel now.
        mutating func cancel() -> (source: Source?, reading: Future<Data?>?)? {
            var awaited: Future<Data?>?
            switch phase {
            case .over, .leaving: return nil
            case .asking:
                phase = .leaving
                return nil
            case .idle: break
            case .reading(let chunk): awaited = chunk
            }
            defer { endStream(.failure(CancellationError())) }
            return (source, awaited)
        }

        private mutating func endStream(_ result: Result<Data?, any Error>) {
            phase = .over(result)
            source = nil
        }
    }
}
