#if AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore

/// Hands the chunks of a body over from the event loop to their reader.
///
/// Some are let in before they are asked for, so that the connection is read while the reader works.
final class BodyHandOver: Sendable {
    private let control: RequestLifetime
    private let state = Locked(
        HandOverState<Resolver<Data?>, EventLoopPromise<Void>>(capacity: 256 << 10))

    init(_ control: RequestLifetime) { self.control = control }

    /// Whether the head has come.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Says that the head has come: whether somebody wants it.
    func open() -> Bool {
        control.expectNothing()
        return state.withLock { $0.open() }
    }

    /// Gives a chunk to the reader who asked for it, or who will.
    ///
    /// - Returns: A future that succeeds when the next may come.
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

    /// Says that no more comes.
    func end(_ result: Result<Void, any Error>) {
        let left = state.withLock { $0.end(result) }
        left.gate?.fail(CancellationError())
        switch result {
        case .success: left.reader?.resolve(with: nil)
        case .failure(let error): left.reader?.reject(with: error)
        }
    }

    /// The next chunk, nil after the last.
    func next() -> Future<Data?> {
        // Noted before it is asked for: what is given meanwhile says that nothing more is expected.
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

    /// Gives up what has not been read, and the exchange with it.
    func cancel() {
        control.cancel()
        end(.failure(CancellationError()))
        _ = state.withLock { $0.drop() }
    }
}

extension Data {
    /// The bytes of a buffer; not copied where they are most of it, as they are of a body that fills its
    /// connection.
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
