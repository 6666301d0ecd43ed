import Dispatch
import Futures
import HTTPNetworking

/// The body of a request between its source, which a queue asks, and libcurl, which the I/O thread serves.
///
/// As many bytes are read ahead as fit in a few chunks. libcurl is told to pause where none is there yet.
final class UploadBuffer: Sendable {
    /// What libcurl gets.
    enum Given {
        case bytes(Int)
        case pause
        case failed(any Error)
    }

    fileprivate struct State {
        var chunks: [Data] = []
        /// How many bytes of the first chunk are sent.
        var offset = 0
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

    private static let limit = 256 * 1024
    private let call: CurlCall
    private let goOn: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameter goOn: Called when there is something for libcurl, which was told to pause.
    init(_ call: CurlCall, goingOn goOn: @escaping @Sendable () -> Void) {
        self.call = call
        self.goOn = goOn
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
        let body = call.request.body
        DispatchQueue.global().async {
            do {
                let stream = try body.open()
                let isWanted = self.state.withLock { state in
                    if state.round == round, state.end == nil { state.stream = stream }
                    return state.stream === stream
                }
                if isWanted { self.ask(stream, round) } else { stream.cancel() }
            } catch {
                self.end(.failure(error), round)
            }
            self.goOn()
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
        let (given, stream, round) = state.withLock { state in
            let given = state.give(to: room)
            let asks = !state.isAsking && state.end == nil && state.buffered < Self.limit
            if asks { state.isAsking = true }
            return (given, asks ? state.stream : nil, state.round)
        }
        // The source may do what it likes, and the I/O thread must not.
        if let stream { DispatchQueue.global().async { self.ask(stream, round) } }
        return given
    }

    private func ask(_ stream: HTTPBodyStream, _ round: Int) {
        stream.next().observe { result in
            switch result {
            case .success(let chunk?): self.take(chunk, stream, round)
            case .success(nil): self.end(.success(()), round)
            case .failure(let error): self.end(.failure(error), round)
            }
        }
    }

    private func take(_ chunk: Data, _ stream: HTTPBodyStream, _ round: Int) {
        let (wakes, asks) = state.withLock { state in
            guard state.round == round, state.end == nil else { return (false, false) }
            state.chunks.append(chunk)
            state.buffered += chunk.count
            state.isAsking = state.buffered < Self.limit
            defer { state.isPaused = false }
            return (state.isPaused, state.isAsking)
        }
        if wakes { goOn() }
        // Not from within the observer: a source that has everything would nest without end.
        if asks { DispatchQueue.global().async { self.ask(stream, round) } }
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
    fileprivate mutating func give(to room: UnsafeMutableRawBufferPointer) -> UploadBuffer.Given {
        var count = 0
        while let chunk = chunks.first, count < room.count {
            let taken = min(chunk.count - offset, room.count - count)
            let start = chunk.startIndex + offset
            chunk.copyBytes(
                to: UnsafeMutableRawBufferPointer(rebasing: room[count..<(count + taken)]),
                from: start..<(start + taken))
            count += taken
            offset += taken
            guard offset == chunk.count else { break }
            chunks.removeFirst()
            offset = 0
        }
        buffered -= count
        if count > 0 { return .bytes(count) }
        switch end {
        case .success: return .bytes(0)
        case .failure(let error): return .failed(error)
        case nil:
            isPaused = true
            return .pause
        }
    }
}
