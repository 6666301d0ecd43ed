public import Futures

/// The end of a body at which it is written, for a producer that gives its bytes when it has them.
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
    /// How a reader is told who waits; nil for at once, where the pipe is written.
    private let hand: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// Makes a pipe and the body that is read from it.
    ///
    /// - Parameters:
    ///   - length: How many bytes there will be, nil where that is not known. It is told, not checked;
    ///     see ``HTTPBodyStream/checkingLength(_:)``.
    ///   - capacity: How many bytes may wait for the reader. Less than one is a programming error and
    ///     traps.
    public static func make(
        length: Int? = nil, capacity: Int = 65_536
    ) -> (pipe: HTTPBodyPipe, body: HTTPBodyStream) {
        make(length: length, capacity: capacity, handing: nil)
    }

    /// Makes a pipe whose writer runs none of the reader's functions.
    ///
    /// - Parameter hand: Called with what tells a reader who waits; runs it elsewhere.
    package static func make(
        length: Int?, capacity: Int,
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

    /// Whether more may be written: neither is it ended nor has the reader gone.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Writes a chunk, which is taken at once, and tells when there is room for more.
    ///
    /// A writer that waits for each future before it writes again keeps at most the capacity and one
    /// chunk in memory. Cancelling the future takes nothing back.
    ///
    /// - Returns: A future that resolves when less than the capacity waits for the reader. It
    ///   rejects with `CancellationError` where the reader has gone, and where the pipe was ended before
    ///   with that error, or after ``finish()`` with the code ``HTTPError/Code/bodyEnded``.
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

    /// Writes a chunk if there is room for it, for a producer that cannot be held back.
    ///
    /// Where there is no room the body fails with the code ``HTTPError/Code/bodyTooLarge``, after what was
    /// written before.
    ///
    /// - Returns: Whether it was taken; if not, nothing will be any more.
    public func offer(_ data: Data) -> Bool {
        switch state.withLock({ $0.offer(data) }) {
        case .room, .full: return true
        case .refused, .overflow: return false
        case .handed(let reader):
            tell(reader, .success(data))
            return true
        }
    }

    /// Ends the body after what was written.
    ///
    /// Harmless after the end.
    public func finish() {
        let dismissed = state.withLock { $0.end(.success(())) }
        if let reader = dismissed.reader { tell(reader, .success(nil)) }
    }

    /// Fails the body after what was written.
    ///
    /// Harmless after the end.
    public func fail(_ error: any Error) {
        let dismissed = state.withLock { $0.end(.failure(error)) }
        if let reader = dismissed.reader { tell(reader, .failure(error)) }
    }

    private func tell(_ reader: InternalPromise<Data?>, _ result: Result<Data?, any Error>) {
        if let hand { hand { reader.settle(with: result) } } else { reader.settle(with: result) }
    }

    /// Registers what to do when the reader gives the body up before the end.
    ///
    /// - Parameter handler: Called once, on the thread that gives it up, and at once where that has
    ///   happened; dropped when the pipe is ended. If it keeps the pipe, the pipe must be ended.
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
