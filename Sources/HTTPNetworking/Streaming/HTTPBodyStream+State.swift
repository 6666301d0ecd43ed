import Futures

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPBodyStream {
    /// Where the chunks come from.
    struct Source {
        let next: @Sendable () -> Future<Data?>
        let cancel: @Sendable () -> Void

        /// The next chunk that is not empty.
        func nonEmpty() -> Future<Data?> {
            next().flatMap { chunk in
                guard let chunk, chunk.isEmpty else { return Future(value: chunk) }
                return nonEmpty()
            }
        }
    }

    /// How far a stream has been read.
    struct State {
        enum Phase {
            /// Nothing is awaited. Next: `reading`, `over`.
            case idle
            /// A chunk is awaited. Next: `idle`, `over`.
            case reading
            /// The last chunk has been given, or the stream has failed or was given up.
            case over(Result<Data?, any Error>)
        }

        enum Step {
            case read(Source)
            case give(Future<Data?>)
        }

        var phase: Phase
        /// Nil when it is over, so that nothing is kept.
        var source: Source?
        /// The chunk that is awaited, so that it can be cancelled.
        var reading: Future<Data?>?

        mutating func begin() -> Step {
            switch phase {
            case .over(.success):
                return .give(Future(value: nil))
            case .over(.failure(let error)):
                return .give(Future(error: error))
            case .reading:
                return .give(Future(error: HTTPError(code: .bodyIsBeingRead)))
            case .idle:
                guard let source else { return .give(Future(value: nil)) }
                phase = .reading
                return .read(source)
            }
        }

        /// Takes what was read, and says what the reader is to get.
        mutating func end(with result: Result<Data?, any Error>) -> Result<Data?, any Error> {
            if case .over(let result) = phase { return result }
            reading = nil
            switch result {
            case .success(.some):
                phase = .idle
            case .success(nil), .failure:
                phase = .over(result)
                source = nil
            }
            return result
        }

        /// Ends it: what is to be cancelled, nil where it was over.
        mutating func cancel() -> (source: Source?, reading: Future<Data?>?)? {
            if case .over = phase { return nil }
            defer {
                source = nil
                reading = nil
            }
            phase = .over(.failure(CancellationError()))
            return (source, reading)
        }
    }
}
