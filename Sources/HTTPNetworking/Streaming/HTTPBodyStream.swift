public import Futures

/// The bytes of a body, chunk by chunk, asked for one at a time.
///
/// ```swift
/// for try await chunk in response.body { try file.write(contentsOf: chunk) }
/// ```
///
/// Nothing is fetched before it is asked for, as far as the transport can hold it back. It is read
/// once, by one reader: iterators share what is left. A stream that is released before its end
/// cancels what it reads from. Any thread may call its methods.
public final class HTTPBodyStream {
    /// How many bytes there are in all, nil if it is not known.
    public let length: Int?

    private let state: Locked<State>

    /// Makes a stream of a function that gives one chunk after the other.
    ///
    /// The two functions are never called at the same time, and with no lock held.
    ///
    /// - Parameters:
    ///   - length: How many bytes there are in all, nil where that is not known.
    ///   - next: Gives the next chunk, and nil after the last. It is not called again before its
    ///     future has settled, nor after nil or an error, which it may throw as well. An empty chunk is
    ///     passed over.
    ///   - cancel: Called once where the stream is given up before its end. The future that `next`
    ///     gave last is cancelled as well.
    public init(
        length: Int? = nil, next: @escaping @Sendable () throws -> Future<Data?>,
        cancel: @escaping @Sendable () -> Void = {}
    ) {
        self.length = length
        state = Locked(State(source: Source(next: next, cancel: cancel)))
    }

    deinit { cancel() }

    /// The next chunk, never empty, or nil after the last one.
    ///
    /// - Returns: A future of the chunk. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyIsBeingRead`` where an earlier chunk is still awaited, with
    ///   `CancellationError` after ``cancel()``, and with what fails the stream, then and ever after.
    ///   Cancelling it cancels the stream.
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

    /// Gives up what has not been read.
    ///
    /// A chunk that is awaited rejects with `CancellationError`. Harmless after the end, and twice.
    public func cancel() {
        let left = state.withLock { $0.cancel() }
        left?.reading?.cancel()
        left?.source?.cancel()
    }
}

extension HTTPBodyStream {
    private enum Asked {
        case settled(Result<Data?, any Error>)
        case pending(Future<Data?>)
    }

    /// Asks until there is a chunk that is not empty, or one to wait for.
    private func ask(_ source: Source) -> Asked {
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
        // A branch of its own. If the source's own promise were kept, its release would not be
        // heard; and other holders of the future keep it when this stream is cancelled.
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
