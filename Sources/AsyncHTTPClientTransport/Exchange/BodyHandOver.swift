#if AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore

/// Hands the chunks of a body over from the event loop to whoever reads them.
///
/// The next chunk is let in when it is asked for, and not before.
final class BodyHandOver: Sendable {
    private let control: ExchangeControl
    private let state = Locked(HandOverState<Resolver<Data?>, EventLoopPromise<Void>>())

    init(_ control: ExchangeControl) { self.control = control }

    /// Whether the head has come.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Says that the head has come; the gate is opened for the first chunk.
    func open(before gate: EventLoopPromise<Void>) {
        control.expectNothing()
        if !state.withLock({ $0.open(before: gate) }) { gate.fail(CancellationError()) }
    }

    /// Gives a chunk to the reader who asked for it; the gate is opened for the next.
    func give(_ part: ByteBuffer, before gate: EventLoopPromise<Void>) {
        guard let reader = state.withLock({ $0.give(before: gate) }) else {
            return gate.fail(CancellationError())
        }
        control.expectNothing()
        reader.resolve(with: part.withUnsafeReadableBytes { Data($0) })
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
        Future.make { reader in
            switch state.withLock({ $0.ask(reader) }) {
            case .open(let gate):
                control.noteSign()
                gate?.succeed()
            case .over(.success): reader.resolve(with: nil)
            case .over(.failure(let error)): reader.reject(with: error)
            }
        }
    }

    /// Gives up what has not been read, and the exchange with it.
    func cancel() {
        control.cancel()
        end(.failure(CancellationError()))
    }
}
#endif
