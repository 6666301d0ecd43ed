#if AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore

/// Passes the chunks of a body from the event loop to their reader.
///
/// Some chunks are accepted before they are asked for, so that the connection is read while the reader works.
final class BodyChunkQueue: Sendable {
    private let control: RequestLifetime
    private let state = Locked(
        BodyChunkQueueState<Resolver<Data?>, EventLoopPromise<Void>>(capacity: 256 << 10))

    init(_ control: RequestLifetime) { self.control = control }

    /// Whether the head has arrived.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Notes that the head has arrived.
    ///
    /// - Returns: Whether the response is still wanted.
    func open() -> Bool {
        control.expectNothing()
        return state.withLock { $0.open() }
    }

    /// Passes a chunk to the reader, or keeps it until the reader asks.
    ///
    /// - Returns: A future that succeeds when the next chunk may come.
    func give(_ part: ByteBuffer, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let chunk = Data(sharing: part)
        switch state.withLock({ $0.give(chunk) { loop.makePromise() } }) {
        case .handed(let reader):
            control.expectNothing()
            reader.resolve(with: chunk)
        case .kept: break
        case .full(let gate): return gate.futureResult
        case .refused: return loop.makeFailedFuture(CancellationError())
        }
        return loop.makeSucceededVoidFuture()
    }

    /// Notes the end of the body.
    func end(_ result: Result<Void, any Error>) {
        let left = state.withLock { $0.end(result) }
        left.gate?.fail(CancellationError())
        switch result {
        case .success: left.reader?.resolve(with: nil)
        case .failure(let error): left.reader?.reject(with: error)
        }
    }

    /// The next chunk; nil after the last.
    func next() -> Future<Data?> {
        // Noted before the chunk is asked for, since a chunk that arrives meanwhile notes that no more is
        // expected.
        control.noteSign()
        return Future.make { reader in
            switch state.withLock({ $0.ask(reader) }) {
            case .wait: break
            case .chunk(let chunk, let gate):
                control.expectNothing()
                gate?.succeed()
                reader.resolve(with: chunk)
            case .over(.success): reader.resolve(with: nil)
            case .over(.failure(let error)): reader.reject(with: error)
            }
        }
    }

    /// Discards what has not been read, and ends the exchange.
    func cancel() {
        control.cancel()
        end(.failure(CancellationError()))
        _ = state.withLock { $0.drop() }
    }
}

extension Data {
    /// The bytes of a buffer; not copied if there are many of them, as in a body that fills its connection.
    fileprivate init(sharing part: ByteBuffer) {
        guard part.readableBytes >= 16 << 10 else {
            self = part.withUnsafeReadableBytes { Data($0) }
            return
        }
        self = part.withUnsafeReadableBytesWithStorageManagement { bytes, storage in
            guard let start = bytes.baseAddress else { return Data() }
            let kept = storage.retain()
            return Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
                deallocator: .custom { _, _ in kept.release() })
        }
    }
}
#endif
