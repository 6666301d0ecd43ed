public import Futures

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    /// How many bytes there are in all, nil where nobody said.
    public let length: Int?

    private let state: Locked<State>

    /// Makes a stream of a function that gives one chunk after the other.
    ///
    /// - Parameters:
    ///   - length: How many bytes there are in all, nil where that is not known.
    ///   - next: Gives the next chunk, and nil after the last. It is not called again before its
    ///     future has settled, nor after nil or an error.
    ///   - cancel: Called once where the stream is given up before its end. The future that `next`
    ///     gave last is cancelled as well.
    public init(
        length: Int? = nil, next: @escaping @Sendable () -> Future<Data?>,
        cancel: @escaping @Sendable () -> Void = {}
    ) {
        self.length = length
        state = Locked(State(phase: .idle, source: Source(next: next, cancel: cancel)))
    }

    deinit { cancel() }

    /// The next chunk, never empty, or nil after the last one.
    ///
    /// - Returns: A future of the chunk. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyIsBeingRead`` where an earlier chunk is still awaited, with
    ///   `CancellationError` after ``cancel()``, and with what fails the stream, then and ever after.
    ///   Cancelling it cancels the stream.
    public func next() -> Future<Data?> {
        let source: Source
        switch state.withLock({ $0.begin() }) {
        case .give(let result): return result
        case .read(let readable): source = readable
        }
        let reading = source.nonEmpty()
        state.withLock { $0.reading = reading }
        return Future.make { resolver in
            reading.observe { result in
                switch self.state.withLock({ $0.end(with: result) }) {
                case .success(let chunk): resolver.resolve(with: chunk)
                case .failure(let error): resolver.reject(with: error)
                }
            }
            resolver.onCancel { self.cancel() }
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
    /// All that is left, in one piece.
    ///
    /// - Parameter limit: How many bytes there may be. Of more, no more than one chunk too many is
    ///   read; the stream is then cancelled.
    /// - Returns: A future of the bytes. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyTooLarge`` where there are more, and with what fails the stream.
    public func gathered(upTo limit: Int) -> Future<Data> {
        gather(limit, Locked(Data()))
    }

    private func gather(_ limit: Int, _ gathered: Locked<Data>) -> Future<Data> {
        next().flatMap { chunk in
            guard let chunk else { return Future(value: gathered.withLock { $0 }) }
            let isTooLarge = gathered.withLock { data in
                guard chunk.count <= limit - data.count else { return true }
                data.append(chunk)
                return false
            }
            if isTooLarge {
                self.cancel()
                throw HTTPError(code: .bodyTooLarge)
            }
            return self.gather(limit, gathered)
        }
    }

    /// A stream of bytes that are there already.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - size: How many bytes a chunk has at most. Less than one is a programming error and traps.
    public convenience init(_ data: Data, chunksOf size: Int = 65_536) {
        precondition(size > 0, "a chunk has at least 1 byte, not \(size)")
        let rest = Locked(data)
        self.init(
            length: data.count,
            next: {
                rest.withLock { rest in
                    guard !rest.isEmpty else { return Future(value: nil) }
                    let chunk = Data(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    return Future(value: chunk)
                }
            })
    }
}

extension HTTPBodyStream: AsyncSequence {
    /// Gives the chunks that are left to one reader.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: HTTPBodyStream

        /// The next chunk, or nil after the last one; see ``HTTPBodyStream/next()``.
        ///
        /// Cancelling the task cancels the stream.
        public mutating func next() async throws -> Data? { try await stream.next().value }
    }

    /// Makes an iterator; all of them read from the same stream.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }
}

extension HTTPBodyStream: Sendable {}
