public import PledgeFutures
public import PledgeHTTPMessages

/// The writing end of a body, for a producer that pushes bytes.
///
/// ```swift
/// let (pipe, body) = HTTPBodyPipe.make(length: announced)
/// connection.onBytes { bytes in pipe.write(bytes).observe { _ in connection.readMore() } }
/// connection.onEnd { pipe.finish() }
/// pipe.onCancel { connection.close() }
/// ```
///
/// The body's reader gets the chunks in the order of the calls to `write` and `offer`, then the end. Releasing a pipe
/// before ``finish()`` or ``fail(_:)`` fails its body with an `HTTPError` with the code
/// `HTTPError.Code.bodyAbandoned`. Any thread may call its methods, and no lock is held during callbacks.
public final class HTTPBodyPipe: Sendable {
    private let state: Locked<State>
    /// Runs a function that notifies a waiting reader; nil to run it at once, on the writer's thread.
    private let hand: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// Creates a pipe, and the body that reads from it.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes; nil if it is unknown. The length is not checked; see
    ///     `HTTPBodyStream.checkingLength(_:)`.
    ///   - capacity: The number of bytes that may wait for the reader. Less than one is a programming error and traps.
    public static func make(
        length: Int64? = nil, capacity: Int = 65_536
    ) -> (pipe: HTTPBodyPipe, body: HTTPBodyStream) {
        make(length: length, capacity: capacity, handing: nil)
    }

    /// Creates a pipe whose writer does not run the reader's functions.
    ///
    /// - Parameter hand: Called with a function that notifies a waiting reader. It must run this function elsewhere,
    ///   for example on a queue.
    package static func make(
        length: Int64?, capacity: Int,
        handing hand: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    ) -> (pipe: HTTPBodyPipe, body: HTTPBodyStream) {
        precondition(capacity > 0, "a pipe has room for at least 1 byte, not \(capacity)")
        let state = Locked(State(capacity: capacity))
        let body = HTTPBodyStream(
            length: length, next: { read(from: state) }, cancel: { leave(state) })
        return (HTTPBodyPipe(state, hand), body)
    }

    private init(
        _ state: Locked<State>, _ hand: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    ) {
        self.state = state
        self.hand = hand
    }

    deinit { fail(HTTPError(code: .bodyAbandoned)) }

    /// True while the pipe takes more bytes: it has not ended, and the reader has not cancelled.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Writes a chunk at once, and returns a future that resolves when there is room for more.
    ///
    /// A writer that waits for each future before the next write keeps at most the capacity and one chunk in memory.
    /// Cancelling the future does not remove the chunk.
    ///
    /// - Returns: A future that resolves when fewer bytes than the capacity wait for the reader. It rejects with
    ///   `CancellationError` if the reader has cancelled, with the pipe's error after ``fail(_:)``, and with the code
    ///   `HTTPError.Code.bodyEnded` after ``finish()``.
    @discardableResult
    public func write(_ data: Data) -> Future<Void> {
        switch state.withLock({ $0.write(data) }) {
        case .room, .overflow: return Future(value: ())
        case .full(let room): return room
        case .refused(let error): return Future(error: error)
        case .handed(let reader):
            tell(reader, .success(data))
            return Future(value: ())
        }
    }

    /// Writes a chunk if there is room for it, for a producer that cannot wait.
    ///
    /// If there is no room, the reader gets the chunks written before, and then the body fails with the code
    /// `HTTPError.Code.bodyTooLarge`.
    ///
    /// - Returns: True if the chunk was taken; if false, the pipe takes no further chunk either.
    public func offer(_ data: Data) -> Bool {
        switch state.withLock({ $0.offer(data) }) {
        case .room, .full: return true
        case .refused, .overflow: return false
        case .handed(let reader):
            tell(reader, .success(data))
            return true
        }
    }

    /// Ends the body after the written chunks.
    ///
    /// If the pipe has already ended, this does nothing.
    public func finish() {
        let dismissed = state.withLock { $0.endWriting(.success(())) }
        if let reader = dismissed.reader { tell(reader, .success(nil)) }
    }

    /// Fails the body after the written chunks.
    ///
    /// If the pipe has already ended, this does nothing.
    public func fail(_ error: any Error) {
        let dismissed = state.withLock { $0.endWriting(.failure(error)) }
        if let reader = dismissed.reader { tell(reader, .failure(error)) }
    }

    private func tell(_ reader: InternalPromise<Data?>, _ result: Result<Data?, any Error>) {
        if let hand { hand { reader.settle(with: result) } } else { reader.settle(with: result) }
    }

    /// Registers a function to call when the reader cancels the body before its end.
    ///
    /// - Parameter handler: Called once, on the thread that cancels, or at once if the reader has already cancelled.
    ///   The pipe keeps the handler until you end the body or the reader cancels it. So a handler that keeps a
    ///   reference to the pipe keeps the pipe alive until then.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.listen(handler) }) { handler() }
    }
}

extension HTTPBodyPipe {
    private static func read(from state: Locked<State>) -> Future<Data?> {
        switch state.withLock({ $0.read() }) {
        case .end(let result): return Future(result: result)
        case .waiting(let chunk): return chunk
        case .chunk(let chunk, let writers):
            for writer in writers { writer.resolve() }
            return Future(value: chunk)
        }
    }

    private static func leave(_ state: Locked<State>) {
        let dismissed = state.withLock { $0.leave() }
        dismissed.reader?.reject(with: CancellationError())
        for writer in dismissed.writers { writer.reject(with: CancellationError()) }
        for handler in dismissed.handlers { handler() }
    }
}

extension HTTPBodyPipe {
    /// The state between a writer and a reader: pure, so that tests need no threads.
    ///
    /// A reader waits only while the buffer is empty. The state returns the objects that it removes, so that the caller
    /// can release them outside the lock. Releasing them may run other code, which must not happen while the lock is
    /// held.
    struct State {
        enum Phase {
            /// The pipe takes more bytes. Next: `ended`, `left`.
            case open
            /// The pipe takes no more bytes, but the buffered ones can still be read. Next: `left`.
            case ended(Result<Void, any Error>)
            case left
        }

        enum WriteResult {
            case room
            /// A waiting reader gets the chunk.
            case handed(to: InternalPromise<Data?>)
            /// The buffer is full; the future resolves when there is room.
            case full(Future<Void>)
            /// There was no room, so the body fails.
            case overflow(RemovedObjects)
            case refused(any Error)
        }

        struct RemovedObjects {
            var reader: InternalPromise<Data?>?
            var writers: [InternalPromise<Void>] = []
            var handlers: [@Sendable () -> Void] = []
        }

        enum ReadResult {
            /// A chunk, and the writers that now have room.
            case chunk(Data, waking: [InternalPromise<Void>])
            case waiting(Future<Data?>)
            case end(Result<Data?, any Error>)
        }

        private(set) var phase = Phase.open
        private let capacity: Int
        private var chunks: [Data] = []
        /// The index of the first unread chunk.
        private var first = 0
        private(set) var buffered = 0
        private var reader: InternalPromise<Data?>?
        private var writers: [InternalPromise<Void>] = []
        private var handlers: [@Sendable () -> Void] = []

        init(capacity: Int) { self.capacity = capacity }

        /// The number of chunks kept, including read ones; a test checks that they do not accumulate.
        var size: Int { chunks.count }

        var isOpen: Bool {
            if case .open = phase { return true }
            return false
        }

        /// Takes a chunk, however full the buffer is.
        mutating func write(_ data: Data) -> WriteResult {
            if let error = refusal { return .refused(error) }
            if let waiting = handOrBuffer(data) { return .handed(to: waiting) }
            if buffered < capacity { return .room }
            let writer = InternalPromise<Void>()
            writers.append(writer)
            return .full(writer)
        }

        /// Takes a chunk if there is room for all of it; otherwise ends the body.
        mutating func offer(_ data: Data) -> WriteResult {
            if let error = refusal { return .refused(error) }
            if reader == nil, data.count > capacity - buffered {
                return .overflow(endWriting(.failure(HTTPError(code: .bodyTooLarge))))
            }
            return handOrBuffer(data).map(WriteResult.handed) ?? .room
        }

        private mutating func handOrBuffer(_ data: Data) -> InternalPromise<Data?>? {
            if data.isEmpty { return nil }
            if let waiting = reader {
                reader = nil
                return waiting
            }
            chunks.append(data)
            buffered += data.count
            return nil
        }

        private var refusal: (any Error)? {
            switch phase {
            case .open: nil
            case .left: CancellationError()
            case .ended(.failure(let error)): error
            case .ended(.success): HTTPError(code: .bodyEnded)
            }
        }

        /// Removes and returns the next chunk.
        mutating func read() -> ReadResult {
            if first < chunks.count {
                let chunk = chunks[first]
                forgetFirst()
                guard buffered < capacity else { return .chunk(chunk, waking: []) }
                defer { writers = [] }
                return .chunk(chunk, waking: writers)
            }
            switch phase {
            case .open:
                let reader = InternalPromise<Data?>()
                self.reader = reader
                return .waiting(reader)
            case .ended(let result): return .end(result.map { nil })
            case .left: return .end(.failure(CancellationError()))
            }
        }

        /// Removes the first chunk, in amortised constant time: the array moves only when half of it has been read.
        private mutating func forgetFirst() {
            buffered -= chunks[first].count
            chunks[first] = Data()
            first += 1
            guard first == chunks.count || first > 32 && 2 * first > chunks.count else { return }
            chunks.removeFirst(first)
            first = 0
        }

        /// Ends the writing.
        ///
        /// - Returns: The reader that gets the result, and the handlers that are no longer needed.
        mutating func endWriting(_ result: Result<Void, any Error>) -> RemovedObjects {
            guard isOpen else { return RemovedObjects() }
            phase = .ended(result)
            defer { (reader, handlers) = (nil, []) }
            return RemovedObjects(reader: reader, handlers: handlers)
        }

        /// Notes that the reader has cancelled.
        ///
        /// - Returns: The waiting writers, and the handlers to call.
        mutating func leave() -> RemovedObjects {
            defer {
                phase = .left
                (chunks, first, buffered) = ([], 0, 0)
                (reader, writers, handlers) = (nil, [], [])
            }
            return RemovedObjects(reader: reader, writers: writers, handlers: handlers)
        }

        /// Adds a handler for the reader's cancellation.
        ///
        /// - Returns: True if the reader has already cancelled.
        mutating func listen(_ handler: @escaping @Sendable () -> Void) -> Bool {
            switch phase {
            case .left: return true
            case .ended: return false
            case .open:
                handlers.append(handler)
                return false
            }
        }
    }
}
