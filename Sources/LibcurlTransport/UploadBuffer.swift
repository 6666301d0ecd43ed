import Dispatch
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// The bytes of a request's body on their way from the source to libcurl.
///
/// A queue reads the source ahead until ``limit`` bytes are buffered, and continues when libcurl, on the I/O thread,
/// has taken a quarter of them. So a fast source causes few changes of thread. Without buffered bytes, libcurl pauses.
final class UploadBuffer: Sendable {
    enum ReadResult {
        case bytes(Int)
        case pause
        case failed(any Error)
    }

    fileprivate struct State {
        var chunks: [Data] = []
        var buffered = 0
        var stream: HTTPBodyStream?
        /// True while the source is being read.
        var isAsking = false
        /// True while libcurl waits for more bytes.
        var isPaused = false
        var end: Result<Void, any Error>?
        /// How often the body was started again; results of earlier rounds are ignored.
        var round = 0
    }

    private let exchange: TransportExchange
    private let goOn: @Sendable () -> Void
    /// How many buffered bytes stop the reading ahead.
    private let limit: Int
    private let state = Locked(State())

    /// `goOn` is called when a paused libcurl can get bytes again.
    init(_ exchange: TransportExchange, goingOn goOn: @escaping @Sendable () -> Void) {
        self.exchange = exchange
        self.goOn = goOn
        limit = exchange.request.body.chunkSize * 4
    }

    /// Why the source can't be read; nil if it can.
    var failure: (any Error)? {
        state.withLock { state in
            guard case .failure(let error) = state.end else { return nil }
            return error
        }
    }

    /// Opens the source and begins to read.
    ///
    /// Calls `goOn` when the source is open, or when that has failed.
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
                // The first read comes before anything is sent, so that nothing is sent if it fails.
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

    func cancel() {
        let old = state.withLock { state in
            if state.end == nil { state.end = .failure(CancellationError()) }
            return state.stream.take()
        }
        old?.cancel()
    }

    /// Copies as many buffered bytes as fit; zero bytes are the end of the body.
    func give(to room: UnsafeMutableRawBufferPointer) -> ReadResult {
        let (pieces, given, stream, round) = state.withLock { state in
            let pieces = state.takePieces(upTo: room.count)
            let given = pieces.isEmpty ? state.emptyResult() : .bytes(0)
            let asks = !state.isAsking && state.end == nil && state.buffered <= limit / 4 * 3
            if asks { state.isAsking = true }
            return (pieces, given, asks ? state.stream : nil, state.round)
        }
        // On another thread, because the source may block.
        if let stream { DispatchQueue.global().async { self.read(stream, round) } }
        if pieces.isEmpty { return given }
        // Copied outside the lock, so that the reading queue needn't wait.
        var count = 0
        for piece in pieces {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
            count += piece.copyBytes(to: rest)
        }
        return .bytes(count)
    }

    /// Takes back the last bytes, which weren't sent.
    func takeBack(_ bytes: Data) {
        state.withLock { state in
            state.chunks.insert(bytes, at: 0)
            state.buffered += bytes.count
        }
    }

    /// Reads the source until it has no bytes ready, or enough are buffered.
    private func read(_ stream: HTTPBodyStream, _ round: Int) {
        while ask(stream, round) {}
    }

    /// Reads the source once; returns true to read it again.
    private func ask(_ stream: HTTPBodyStream, _ round: Int) -> Bool {
        let next = stream.next()
        if let result = next.result { return receive(result, round) }
        next.observe { result in
            guard self.receive(result, round) else { return }
            // On another thread, because this one may belong to the source.
            DispatchQueue.global().async { self.read(stream, round) }
        }
        return false
    }

    /// Handles a result of the source; returns true to read it again.
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

    /// What libcurl gets if no bytes are buffered.
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
    /// Each chunk of a file is read on another thread, so files get larger chunks.
    fileprivate var chunkSize: Int {
        if case .file = content { 262_144 } else { 65_536 }
    }

    fileprivate func openForUpload() throws -> HTTPBodyStream {
        guard case .file(let file) = content else { return try open() }
        return try .file(file, chunksOf: chunkSize)
    }
}
