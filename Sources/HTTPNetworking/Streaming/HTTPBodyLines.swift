import PledgeFutures

/// The lines of a body, each as soon as it is whole.
///
/// Made by ``HTTPBodyStream/lines(limit:)``.
public struct HTTPBodyLines: AsyncSequence {
    let stream: HTTPBodyStream
    let limit: Int

    /// Gives the lines that are left to one reader.
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyStream.Iterator
        private var splitter: LineSplitter
        /// The lines of the last chunk that were not returned yet, the next one last.
        private var ready: [String] = []
        /// The failure behind the lines that are ready.
        private var failure: HTTPError?
        private var hasEnded = false

        init(_ lines: HTTPBodyLines) {
            chunks = lines.stream.makeAsyncIterator()
            splitter = LineSplitter(limit: lines.limit)
        }

        /// The next line without its terminator, or nil after the last one.
        ///
        /// Cancelling the task cancels the stream.
        ///
        /// - Throws: What fails the stream, and an ``HTTPError`` with the code ``HTTPError/Code/bodyTooLarge`` where
        ///   a line is longer than allowed, after the lines before it; the stream is then cancelled.
        public mutating func next() async throws -> String? {
            if Task.isCancelled { ready = [] }
            while ready.isEmpty {
                if let error = failure.take() { throw error }
                if hasEnded { return nil }
                guard let chunk = try await chunks.next() else {
                    hasEnded = true
                    return splitter.lastLine()
                }
                do {
                    try splitter.feed(chunk, to: &ready)
                } catch {
                    failure = error
                    end()
                }
                ready.reverse()
            }
            return ready.removeLast()
        }

        /// Cancels the stream, and returns no further line.
        mutating func giveUp() {
            (ready, failure) = ([], nil)
            end()
        }

        private mutating func end() {
            hasEnded = true
            chunks.stream.cancel()
        }
    }

    /// Makes an iterator; a body is read once, by one of them.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPBodyLines: Sendable {}

extension HTTPBodyStream {
    /// The lines of the body, as UTF-8: bytes that are none become U+FFFD.
    ///
    /// ```swift
    /// for try await line in response.body.lines() { print(line) }
    /// ```
    ///
    /// A line ends with LF, CR, or CR and LF; the last one may end with the body. A CR that ends a chunk ends the line
    /// at once, so that no line waits for the next chunk.
    ///
    /// A stream that sends nothing for longer than its transport's `idleTimeout` fails with
    /// ``HTTPError/Code/timedOut``: raise that limit for a server that may be silent for longer.
    ///
    /// - Parameter limit: How many bytes a line may have. Less than 1 is a programming error and traps.
    public func lines(limit: Int = 1 << 20) -> HTTPBodyLines {
        precondition(limit >= 1, "a line may have 1 byte or more, not \(limit)")
        return HTTPBodyLines(stream: self, limit: limit)
    }
}
