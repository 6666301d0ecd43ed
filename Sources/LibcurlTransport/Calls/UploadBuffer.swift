import Dispatch
import Futures
import HTTPNetworking

/// The body of a request between its source, which a queue asks, and libcurl, which the I/O thread serves.
///
/// The queue reads ahead until ``limit`` is reached, and again once a quarter of that is sent; so it changes
/// threads seldom where the source is fast. libcurl is told to pause where nothing is there yet.
final class UploadBuffer: Sendable {
    /// What libcurl gets.
    enum Given {
        case bytes(Int)
        case pause
        case failed(any Error)
    }

    fileprivate struct State {
        var chunks: [Data] = []
        var buffered = 0
        var stream: HTTPBodyStream?
        /// Whether the source is being asked.
        var isAsking = false
        /// Whether libcurl waits for more.
        var isPaused = false
        var end: Result<Void, any Error>?
        /// Counts how often the body was begun anew; what an earlier stream gives means nothing.
        var round = 0
    }

    private let call: CurlCall
    private let goOn: @Sendable () -> Void
    /// At how many bytes no more is read ahead.
    private let limit: Int
    private let state = Locked(State())

    /// - Parameter goOn: Called when there is something for libcurl, which was told to pause.
    init(_ call: CurlCall, goingOn goOn: @escaping @Sendable () -> Void) {
        self.call = call
        self.goOn = goOn
        limit = call.request.body.chunkSize * 4
    }

    /// Why the source cannot be read; nil where it can.
    var failure: (any Error)? {
        state.withLock { state in
            guard case .failure(let error) = state.end else { return nil }
            return error
        }
    }

    /// Opens the source and begins to read; `goOn` is called once it is open, or cannot be.
    func open() {
        let round = state.withLock { state in
            state.isAsking = true
            return state.round
        }
        DispatchQueue.global().async {
            do {
                let stream = try self.call.request.body.openForUpload()
                let isWanted = self.state.withLock { state in
                    if state.round == round, state.end == nil { state.stream = stream }
                    return state.stream === stream
                }
                // Once before anything is sent: where that fails, nothing is.
                let goesOn = isWanted && self.ask(stream, round)
                if !isWanted { stream.cancel() }
                self.goOn()
                if goesOn { self.read(stream, round) }
            } catch {
                self.end(.failure(error), round)
                self.goOn()
            }
        }
    }

    /// Begins anew.
    func rewind() {
        let old = state.withLock { state in
            let old = state.stream
            state = State(round: state.round + 1)
            return old
        }
        old?.cancel()
        open()
    }

    /// Gives up what has not been sent.
    func cancel() {
        let old = state.withLock { state in
            if state.end == nil { state.end = .failure(CancellationError()) }
            return state.stream.take()
        }
        old?.cancel()
    }

    /// Gives libcurl as many bytes as there are and fit; none at the end.
    func give(to room: UnsafeMutableRawBufferPointer) -> Given {
        let (pieces, given, stream, round) = state.withLock { state in
            let pieces = state.take(upTo: room.count)
            let given = pieces.isEmpty ? state.whereNothingIs() : .bytes(0)
            let asks = !state.isAsking && state.end == nil && state.buffered <= limit / 4 * 3
            if asks { state.isAsking = true }
            return (pieces, given, asks ? state.stream : nil, state.round)
        }
        // The source may do what it likes, and the I/O thread must not.
        if let stream { DispatchQueue.global().async { self.read(stream, round) } }
        if pieces.isEmpty { return given }
        // Without the lock, which would hold up the one who reads.
        var count = 0
        for piece in pieces {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
            count += piece.copyBytes(to: rest)
        }
        return .bytes(count)
    }

    /// Asks the source until there is to be waited for it, or enough is there.
    private func read(_ stream: HTTPBodyStream, _ round: Int) {
        while ask(stream, round) {}
    }

    /// Asks the source once; whether it has answered, and is to be asked again.
    private func ask(_ stream: HTTPBodyStream, _ round: Int) -> Bool {
        let next = stream.next()
        if let result = next.result { return take(result, round) }
        next.observe { result in
            guard self.take(result, round) else { return }
            // Not here: the thread may be anyone's.
            DispatchQueue.global().async { self.read(stream, round) }
        }
        return false
    }

    /// Takes what the source has given; whether it is to be asked again.
    private func take(_ result: Result<Data?, any Error>, _ round: Int) -> Bool {
        switch result {
        case .success(let chunk?): return take(chunk, round)
        case .success(nil): end(.success(()), round)
        case .failure(let error): end(.failure(error), round)
        }
        return false
    }

    private func take(_ chunk: Data, _ round: Int) -> Bool {
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

    private func end(_ result: Result<Void, any Error>, _ round: Int) {
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
    /// Takes out what comes next, at most so many bytes.
    fileprivate mutating func take(upTo count: Int) -> [Data] {
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

    /// What libcurl gets where there are no bytes.
    fileprivate mutating func whereNothingIs() -> UploadBuffer.Given {
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
    /// How many bytes a chunk has, where this transport says.
    ///
    /// Each chunk of a file is read by another thread, which has to be told.
    fileprivate var chunkSize: Int {
        if case .file = content { 262_144 } else { 65_536 }
    }

    fileprivate func openForUpload() throws -> HTTPBodyStream {
        guard case .file(let file) = content else { return try open() }
        return try .file(file, chunksOf: chunkSize)
    }
}
