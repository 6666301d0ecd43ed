import PledgeFutures

extension HTTPBodyStream: AsyncSequence {
    /// An iterator over the remaining chunks.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: HTTPBodyStream

        /// The next chunk, or nil after the last one; see ``HTTPBodyStream/next()``.
        ///
        /// Cancelling the task cancels the stream, also if chunks are ready.
        public mutating func next() async throws -> Data? {
            if Task.isCancelled { stream.cancel() }
            return try await stream.next().value
        }
    }

    /// Makes an iterator; all of them read from the same stream.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }
}

extension HTTPBodyStream {
    /// Makes a stream from an asynchronous sequence of chunks, such as `Data` or `[UInt8]`.
    ///
    /// One task, begun here, iterates over the sequence. It requests an element when a chunk is requested,
    /// and never ahead; it makes the iterator for the first one. The task is cancelled when the stream is
    /// cancelled or released before its end. An error that the sequence throws fails the stream.
    ///
    /// - Parameters:
    ///   - length: How many bytes there are in all; nil if that is not known.
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
