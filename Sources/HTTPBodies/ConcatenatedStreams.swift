import PledgeFutures
import PledgeHTTPMessages

extension HTTPBodyStream {
    /// Creates a stream of the bytes of several streams, one after the other.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes; nil if it is unknown.
    ///   - parts: Functions that open the streams. Each is called when the previous stream has ended. If it throws, the
    ///     stream fails with that error.
    static func concatenating(
        length: Int64?, _ parts: [@Sendable () throws -> HTTPBodyStream]
    ) -> HTTPBodyStream {
        let line = Concatenation(parts)
        return HTTPBodyStream(length: length, next: { line.next() }, cancel: { line.cancel() })
    }
}

/// Streams that are read one after the other.
private final class Concatenation: Sendable {
    private struct State {
        var rest: ArraySlice<@Sendable () throws -> HTTPBodyStream>
        var current: HTTPBodyStream?
    }

    private let state: Locked<State>

    init(_ parts: [@Sendable () throws -> HTTPBodyStream]) {
        state = Locked(State(rest: parts[...]))
    }

    func next() -> Future<Data?> {
        while true {
            do {
                guard let current = try open() else { return Future(value: nil) }
                let chunk = current.next()
                guard let result = chunk.result else {
                    return chunk.flatMap { chunk in
                        guard chunk == nil else { return Future(value: chunk) }
                        self.leave(current)
                        return self.next()
                    }
                }
                guard case .success(nil) = result else { return chunk }
                leave(current)
            } catch {
                return Future(error: error)
            }
        }
    }

    func cancel() {
        // If a stream is being opened at this moment, it is released together with this object, and thereby cancelled.
        state.withLock { $0.current }?.cancel()
    }

    /// Returns the current stream, and opens the next one if there is none; nil after the last one.
    private func open() throws -> HTTPBodyStream? {
        let (current, open) = state.withLock { state in
            (state.current, state.current == nil ? state.rest.popFirst() : nil)
        }
        guard let open else { return current }
        let opened = try open()
        state.withLock { $0.current = opened }
        return opened
    }

    private func leave(_ stream: HTTPBodyStream) {
        state.withLock { $0.current = nil }
    }
}
