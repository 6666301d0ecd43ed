import Dispatch
import PledgeFutures
import PledgeHTTPNetworking

/// The bytes of a request's body on their way from the source to libcurl.
///
/// A queue reads the source, and libcurl takes the bytes on the I/O thread. The queue reads ahead until ``limit`` bytes
/// are buffered, and continues when a quarter of them has been taken. So a fast source causes few changes of thread. If
/// no bytes are buffered, libcurl pauses.
final class UploadBuffer: Sendable {
    /// The result of a read by libcurl.
    enum ReadResult {
        case bytes(Int)
        case pause
        case failed(any Error)
    }

    fileprivate struct State {
        var chunks: [Data] = []
        var buffered = 0
        var stream: HTTPBodyStream?
        /// True while a read of the source is running.
        var isAsking = false
        /// True while libcurl waits for more bytes.
        var isPaused = false
        var end: Result<Void, any Error>?
        /// The number of times that the body was started again.
        ///
        /// A result with an older number is from an earlier stream, and is ignored.
        var round = 0
    }

    private let exchange: TransportExchange
    private let goOn: @Sendable () -> Void
    /// The number of buffered bytes at which reading ahead stops.
    private let limit: Int
    private let state = Locked(State())

    /// Creates a buffer.
    ///
    /// - Parameter goOn: Called when a paused libcurl can get bytes again.
    init(_ exchange: TransportExchange, goingOn goOn: @escaping @Sendable () -> Void) {
        self.exchange = exchange
        self.goOn = goOn
        limit = exchange.request.body.chunkSize * 4
    }

    /// The reason why the source cannot be read; nil if it can.
    var failure: (any Error)? {
        state.withLock { state in
            guard case .failure(let error) = state.end else { return nil }
            return error
        }
    }

    /// Opens the source and begins to read.
    ///
    /// Calls `goOn` when the source is open, or when opening has failed.
    func open() {
        let round = state.withLock { state in
            state.isAsking = true
            return state.round
        }
        DispatchQueue.global().async {
            do {
                let stream = try self.exchange.request.body.openForUpload()
                let isWanted = self.state.withLock { state in
                    if state.round == round, state.end == nil { state.stream = stream }
                    return state.stream === stream
                }
                // The first read comes before anything is sent. So if it fails, nothing is sent.
                let goesOn = isWanted && self.ask(stream, round)
                if !isWanted { stream.cancel() }
                self.goOn()
                if goesOn { self.read(stream, round) }
            } catch {
                self.endBody(.failure(error), round)
                self.goOn()
            }
        }
    }

    /// Starts the body again from the beginning.
    func rewind() {
        let old = state.withLock { state in
            let old = state.stream
            state = State(round: state.round + 1)
            return old
        }
        old?.cancel()
        open()
    }

    /// Stops reading the source, and cancels its stream.
    func cancel() {
        let old = state.withLock { state in
            if state.end == nil { state.end = .failure(CancellationError()) }
            return state.stream.take()
        }
        old?.cancel()
    }

    /// Copies as many buffered bytes as fit; zero bytes mean the end of the body.
    func give(to room: UnsafeMutableRawBufferPointer) -> ReadResult {
        let (pieces, given, stream, round) = state.withLock { state in
            let pieces = state.takePieces(upTo: room.count)
            let given = pieces.isEmpty ? state.emptyResult() : .bytes(0)
            let asks = !state.isAsking && state.end == nil && state.buffered <= limit / 4 * 3
            if asks { state.isAsking = true }
            return (pieces, given, asks ? state.stream : nil, state.round)
        }
        // The source is read on another thread, because it may block, and the I/O thread must not block.
        if let stream { DispatchQueue.global().async { self.read(stream, round) } }
        if pieces.isEmpty { return given }
        // The bytes are copied outside the lock, so that the reading queue doesn't wait for the lock.
        var count = 0
        for piece in pieces {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
            count += piece.copyBytes(to: rest)
        }
        return .bytes(count)
    }

    /// Takes back the bytes of the last ``give(to:)``, which were not sent.
    func takeBack(_ bytes: Data) {
        state.withLock { state in
            state.chunks.insert(bytes, at: 0)
            state.buffered += bytes.count
        }
    }

    /// Reads the source until it has no bytes ready, or until enough bytes are buffered.
    private func read(_ stream: HTTPBodyStream, _ round: Int) {
        while ask(stream, round) {}
    }

    /// Reads the source once.
    ///
    /// - Returns: True if the source had bytes ready and should be read again.
    private func ask(_ stream: HTTPBodyStream, _ round: Int) -> Bool {
        let next = stream.next()
        if let result = next.result { return receive(result, round) }
        next.observe { result in
            guard self.receive(result, round) else { return }
            // Reading continues on another thread, because the present thread may belong to the source.
            DispatchQueue.global().async { self.read(stream, round) }
        }
        return false
    }

    /// Handles a result of the source.
    ///
    /// - Returns: True if the source should be read again.
    private func receive(_ result: Result<Data?, any Error>, _ round: Int) -> Bool {
        switch result {
        case .success(let chunk?): return receive(chunk, round)
        case .success(nil): endBody(.success(()), round)
        case .failure(let error): endBody(.failure(error), round)
        }
        return false
    }

    private func receive(_ chunk: Data, _ round: Int) -> Bool {
        let (wakes, asks) = state.withLock { state in
            guard state.round == round, state.end == nil else { return (false, false) }
            state.chunks.append(chunk)
            state.buffered += chunk.count
            state.isAsking = state.buffered < limit
            defer { state.isPaused = false }
            return (state.isPaused, state.isAsking)
        }
        if wakes { goOn() }
        return asks
    }

    private func endBody(_ result: Result<Void, any Error>, _ round: Int) {
        let wakes = state.withLock { state in
            guard state.round == round, state.end == nil else { return false }
            state.end = result
            state.isAsking = false
            state.stream = nil
            defer { state.isPaused = false }
            return state.isPaused
        }
        if wakes { goOn() }
    }
}

extension UploadBuffer.State {
    /// Removes and returns the next bytes, at most `count`.
    fileprivate mutating func takePieces(upTo count: Int) -> [Data] {
        var taken: [Data] = []
        var left = count
        while left > 0, let chunk = chunks.first {
            if chunk.count > left {
                taken.append(chunk.prefix(left))
                chunks[0] = chunk.dropFirst(left)
                left = 0
            } else {
                taken.append(chunks.removeFirst())
                left -= chunk.count
            }
        }
        buffered -= count - left
        return taken
    }

    /// Returns what libcurl gets if no bytes are buffered.
    fileprivate mutating func emptyResult() -> UploadBuffer.ReadResult {
        switch end {
        case .success: return .bytes(0)
        case .failure(let error): return .failed(error)
        case nil:
            isPaused = true
            return .pause
        }
    }
}

extension HTTPRequest.Body {
    /// The size of the chunks that this transport cuts from a body.
    ///
    /// Each chunk of a file is read on another thread, so a file gets larger chunks.
    fileprivate var chunkSize: Int {
        if case .file = content { 262_144 } else { 65_536 }
    }

    fileprivate func openForUpload() throws -> HTTPBodyStream {
        guard case .file(let file) = content else { return try open() }
        return try .file(file, chunksOf: chunkSize)
    }
}
