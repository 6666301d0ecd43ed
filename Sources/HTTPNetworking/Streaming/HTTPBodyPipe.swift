public import PledgeFutures

/// The writing end of a body, for a producer that pushes its bytes.
///
/// ```swift
/// let (pipe, body) = HTTPBodyPipe.make(length: announced)
/// connection.onBytes { bytes in pipe.write(bytes).observe { _ in connection.readMore() } }
/// connection.onEnd { pipe.finish() }
/// pipe.onCancel { connection.close() }
/// ```
///
/// The body's reader gets the chunks in the order in which `write` and `offer` were called, then
/// the end. A pipe that is released before ``finish()`` or ``fail(_:)`` fails its body with an
/// ``HTTPError`` with the code ``HTTPError/Code/bodyAbandoned``. Any thread may call its methods;
/// no lock is held during callbacks.
public final class HTTPBodyPipe {
    private let state: Locked<State>
    /// How a waiting reader is called; nil: at once, on the writer's thread.
    private let hand: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// Makes a pipe and the body that is read from it.
    ///
    /// - Parameters:
    ///   - length: How many bytes there will be; nil if that is not known. It is not checked; see
    ///     ``HTTPBodyStream/checkingLength(_:)``.
    ///   - capacity: How many bytes may wait for the reader. Less than one is a programming error and
    ///     traps.
    public static func make(
        length: Int64? = nil, capacity: Int = 65_536
    ) -> (pipe: HTTPBodyPipe, body: HTTPBodyStream) {
        make(length: length, capacity: capacity, handing: nil)
    }

    /// Makes a pipe whose writer does not run the reader's functions.
    ///
    /// - Parameter hand: Called with a function that notifies a waiting reader; runs it elsewhere.
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

    /// Whether more may be written: the pipe is not ended, and the reader has not given up.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Writes a chunk, which is taken at once, and returns a future that resolves when there is space for
    /// more.
    ///
    /// A writer that waits for each future before it writes again keeps at most the capacity and one
    /// chunk in memory. Cancelling the future does not remove the chunk.
    ///
    /// - Returns: A future that resolves when less than the capacity waits for the reader. It
    ///   rejects with `CancellationError` if the reader has given up; and if the pipe was ended before, with
    ///   its error, or after ``finish()`` with the code ``HTTPError/Code/bodyEnded``.
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

    /// Writes a chunk if there is space for it, for a producer without back-pressure.
    ///
    /// If there is no space, the body fails with the code ``HTTPError/Code/bodyTooLarge``, after the chunks
    /// written before.
    ///
    /// - Returns: Whether it was taken; if not, no further chunk is taken.
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
    /// After the end it does nothing.
    public func finish() {
        let dismissed = state.withLock { $0.end(.success(())) }
        if let reader = dismissed.reader { tell(reader, .success(nil)) }
    }

    /// Fails the body after the written chunks.
    ///
    /// After the end it does nothing.
    public func fail(_ error: any Error) {
        let dismissed = state.withLock { $0.end(.failure(error)) }
        if let reader = dismissed.reader { tell(reader, .failure(error)) }
    }

    private func tell(_ reader: InternalPromise<Data?>, _ result: Result<Data?, any Error>) {
        if let hand { hand { reader.settle(with: result) } } else { reader.settle(with: result) }
    }

    /// Registers what to do when the reader gives the body up before the end.
    ///
    /// - Parameter handler: Called once, on the thread that gives it up, or at once if that has happened;
    ///   released when the pipe is ended. If it keeps the pipe, the pipe must be ended.
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

extension HTTPBodyPipe: Sendable {}
