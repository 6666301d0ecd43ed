import PledgeFutures
public import PledgeHTTPMessages

/// The lines of a body, each as soon as it is complete.
///
/// Created by `HTTPBodyStream.lines(limit:)`.
package struct HTTPBodyLines: AsyncSequence, Sendable {
    let stream: HTTPBodyStream
    let limit: Int
    /// True to leave out a last line that has no terminator.
    var dropsUnfinishedLine = false

    init(stream: HTTPBodyStream, limit: Int) {
        precondition(limit >= 1, "a line may have 1 byte or more, not \(limit)")
        (self.stream, self.limit) = (stream, limit)
    }

    /// An iterator over the remaining lines.
    package struct Iterator: AsyncIteratorProtocol {
        private let reader: Reader

        init(_ lines: HTTPBodyLines) { reader = Reader(lines) }

        /// Returns the next line without its terminator, or nil after the last one.
        ///
        /// Cancelling the task cancels the stream.
        ///
        /// - Throws: The stream's error. For a line that is longer than allowed, an `HTTPError` with the code
        ///   `HTTPError.Code.bodyTooLarge`; the lines before it are returned first, and the stream is cancelled.
        package mutating func next() async throws -> String? { try await reader.next() }

        /// Cancels the stream, and returns no further lines.
        mutating func giveUp() { reader.giveUp() }

        /// Reads the end of the body if it comes within a second; see ``Reader/readEnd(on:)``.
        func readEnd(on scheduler: some FutureScheduler) { reader.readEnd(on: scheduler) }
    }

    /// The state of an iterator, in an object, so that an iterator is small, and so is the code that copies it.
    fileprivate final class Reader {
        private var chunks: HTTPBodyStream.Iterator
        private var splitter: LineSplitter
        private let dropsUnfinishedLine: Bool
        /// The lines of the last chunk that have not been returned, in reverse order.
        private var ready: [String] = []
        /// The error to throw after the ready lines.
        private var failure: HTTPError?
        private var hasEnded = false

        init(_ lines: HTTPBodyLines) {
            chunks = HTTPBodyStream.Iterator(stream: lines.stream)
            splitter = LineSplitter(limit: lines.limit)
            dropsUnfinishedLine = lines.dropsUnfinishedLine
        }

        func next() async throws -> String? {
            if Task.isCancelled { ready = [] }
            while ready.isEmpty {
                if let error = failure.take() { throw error }
                if hasEnded { return nil }
                guard let chunk = try await chunks.next() else {
                    hasEnded = true
                    return dropsUnfinishedLine ? nil : splitter.lastLine()
                }
                do {
                    try splitter.feed(chunk, to: &ready)
                } catch {
                    failure = error
                    endStream()
                }
                ready.reverse()
            }
            return ready.removeLast()
        }

        /// Cancels the stream, and returns no further lines.
        func giveUp() {
            (ready, failure) = ([], nil)
            endStream()
        }

        /// Reads the end of the body if it comes within a second, so that the connection can be used again.
        ///
        /// Doesn't wait; afterwards, or if more bytes come, the stream is cancelled.
        func readEnd(on scheduler: some FutureScheduler) {
            let stream = chunks.stream
            stream.next().timeout(.seconds(1), on: scheduler).observe { _ in stream.cancel() }
        }

        private func endStream() {
            hasEnded = true
            chunks.stream.cancel()
        }
    }

    /// Creates an iterator; only one iterator can read a body.
    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPBodyStream {
    /// Splits the body into lines of UTF-8, with U+FFFD for bytes that are not valid UTF-8.
    ///
    /// ```swift
    /// for try await line in response.body.lines() { print(line) }
    /// ```
    ///
    /// A line ends with LF, CR, or CR and LF; the last line may also end with the body. A CR at the end of a chunk ends
    /// its line at once, without waiting for the next chunk.
    ///
    /// A stream that sends no bytes for longer than its transport's `idleTimeout` fails with
    /// `HTTPError.Code.timedOut`. Raise that limit for a server that may be silent for longer.
    ///
    /// - Parameter limit: The largest length of a line, in bytes. Less than 1 is a programming error and traps.
    public func lines(
        limit: Int = 1 << 20
    ) -> some AsyncSequence<String, any Error> & Sendable {
        HTTPBodyLines(stream: self, limit: limit)
    }
}

/// Splits bytes that arrive in chunks into lines, as a state machine without a clock or a thread.
///
/// A line ends with LF, CR, or CR and LF, as in server-sent events. The terminator is not part of the line.
struct LineSplitter: Sendable {
    /// The largest length of a line, in bytes.
    let limit: Int

    /// The bytes of the current line.
    private var unfinished = Data()
    /// True if the last byte was a CR, so that an LF belongs to the same terminator.
    private var followsCarriageReturn = false

    init(limit: Int) { self.limit = limit }

    /// Takes a chunk, in time linear in its size.
    ///
    /// - Parameters:
    ///   - chunk: The chunk.
    ///   - lines: Receives the lines that end within the chunk. If the method throws, the lines before the error have
    ///     been added.
    mutating func feed(_ chunk: Data, to lines: inout [String]) throws(HTTPError) {
        var start = chunk.startIndex
        for index in chunk.indices {
            let byte = chunk[index]
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                followsCarriageReturn = false
                continue
            }
            if byte == UInt8(ascii: "\n"), followsCarriageReturn {
                followsCarriageReturn = false
                start = index + 1
                continue
            }
            try append(chunk[start..<index])
            lines.append(takeLine())
            start = index + 1
            followsCarriageReturn = byte == UInt8(ascii: "\r")
        }
        try append(chunk[start...])
    }

    /// Returns the last line if it has no terminator; otherwise nil.
    mutating func lastLine() -> String? { unfinished.isEmpty ? nil : takeLine() }

    private mutating func append(_ bytes: Data) throws(HTTPError) {
        guard bytes.count <= limit - unfinished.count else {
            throw HTTPError(code: .bodyTooLarge, reason: "a line has more than \(limit) bytes")
        }
        unfinished.append(bytes)
    }

    private mutating func takeLine() -> String {
        defer { unfinished = Data() }
        return String(decoding: unfinished, as: UTF8.self)
    }
}
