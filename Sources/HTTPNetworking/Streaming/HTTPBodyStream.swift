public import PledgeFutures

/// The bytes of a body, chunk by chunk, requested one at a time.
///
/// ```swift
/// for try await chunk in response.body { try file.write(contentsOf: chunk) }
/// ```
///
/// Nothing is fetched before it is requested, as far as the transport supports back-pressure. A stream is
/// read once, by one reader: iterators share the remaining chunks. A stream that is released before its end
/// cancels its source. Any thread may call its methods.
public final class HTTPBodyStream {
    /// How many bytes there are in all, nil if it is not known.
    public let length: Int64?

    private let state: Locked<State>

    /// Makes a stream from a function that returns one chunk after the other.
    ///
    /// The two functions are never called at the same time; no lock is held.
    ///
    /// - Parameters:
    ///   - length: How many bytes there are in all; nil if that is not known.
    ///   - next: Returns the next chunk, and nil after the last. It is not called again before its future has
    ///     settled, or after nil or an error, which it may also throw. An empty chunk is skipped.
    ///   - cancel: Called once if the stream is given up before its end. The last future of `next` is
    ///     cancelled as well.
    public init(
        length: Int64? = nil, next: @escaping @Sendable () throws -> Future<Data?>,
        cancel: @escaping @Sendable () -> Void = {}
    ) {
        self.length = length
        state = Locked(State(source: Source(next: next, cancel: cancel)))
    }

    deinit { cancel() }

    /// The next chunk, never empty; nil after the last one.
    ///
    /// - Returns: A future of the chunk. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyIsBeingRead`` if an earlier chunk is still awaited, with `CancellationError`
    ///   after ``cancel()``, and with the stream's error, each time after the failure. Cancelling it cancels
    ///   the stream.
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

    /// Gives up the unread chunks.
    ///
    /// A chunk that is awaited rejects with `CancellationError`. After the end, and a second time, it does
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

    /// Asks the source until there is a chunk that is not empty, or a pending one.
    private func ask(_ source: Source) -> ReadResult {
        while true {
            let chunk: Future<Data?>
            do { chunk = try source.next() } catch { chunk = Future(error: error) }
            guard let result = chunk.result else { return .pending(chunk) }
            switch state.withLock({ $0.end(with: result) }) {
            case .give(let result): return .settled(result)
            case .again: continue
            case .giveUp:
                source.cancel()
                return .settled(.failure(CancellationError()))
            }
        }
    }

    /// Awaits a chunk for a reader.
    private func wait(
        for chunk: Future<Data?>, from source: Source, _ resolver: Resolver<Data?>
    ) {
        // A separate branch: retaining the source's own promise would hide its release, and cancelling the
        // branch does not affect other holders of the future.
        let reading = chunk.mapWithoutOrigin { $0 }
        guard state.withLock({ $0.wait(for: reading) }) else {
            reading.cancel()
            source.cancel()
            resolver.reject(with: CancellationError())
            return
        }
        reading.observe { result in
            guard case .give(let result) = self.state.withLock({ $0.end(with: result) }) else {
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

extension HTTPBodyStream: Sendable {}
