import PledgeFutures

extension HTTPBodyStream {
    /// The source of the chunks.
    struct Source {
        let next: @Sendable () throws -> Future<Data?>
        let cancel: @Sendable () -> Void
    }

    /// The state of reading a stream.
    ///
    /// It never runs a function of the source: its caller does, without the lock. The source is returned as
    /// well, so that its last reference is not released under the lock.
    struct State {
        enum Phase {
            /// Nothing is awaited. Next: `asking`, `over`.
            case idle
            /// The source's `next` is being called. Next: `reading`, `idle`, `leaving`, `over`.
            case asking
            /// Cancelled while the source's `next` is being called. Next: `over`.
            case leaving
            /// A chunk is awaited. Next: `asking`, `idle`, `over`.
            case reading(Future<Data?>)
            /// The last chunk has been returned, or the stream has failed or was given up.
            case over(Result<Data?, any Error>)
        }

        enum ReadStart {
            /// The caller asks the source, and then calls `end` or `wait`.
            case ask(Source)
            case give(Result<Data?, any Error>)
        }

        enum ReadEnd {
            /// The reader gets this.
            case give(Result<Data?, any Error>)
            /// The chunk was empty: the caller asks the source again.
            case again
            /// The stream was cancelled while the source was being asked: the caller now notifies the source.
            case giveUp
        }

        private(set) var phase = Phase.idle
        /// Nil when it is over, so that the source is released.
        private(set) var source: Source?

        init(source: Source) { self.source = source }

        /// Starts reading a chunk.
        mutating func startReading() -> ReadStart {
            switch phase {
            case .over(let result): return .give(result)
            case .leaving: return .give(.failure(CancellationError()))
            case .asking, .reading:
                return .give(.failure(HTTPError(code: .bodyIsBeingRead)))
            case .idle:
                guard let source else { return .give(.success(nil)) }
                phase = .asking
                return .ask(source)
            }
        }

        /// Notes the awaited chunk, after the source was asked.
        ///
        /// - Returns: False if the stream was cancelled meanwhile: the caller cancels the chunk and the
        ///   source.
        mutating func wait(for chunk: Future<Data?>) -> Bool {
            if case .leaving = phase {
                end(.failure(CancellationError()))
                return false
            }
            phase = .reading(chunk)
            return true
        }

        /// Takes the read chunk.
        mutating func end(with result: Result<Data?, any Error>) -> ReadEnd {
            switch (phase, result) {
            case (.over(let end), _):
                return .give(end)
            case (.leaving, _):
                end(.failure(CancellationError()))
                return .giveUp
            case (_, .success(let chunk?)):
                phase = chunk.isEmpty ? .asking : .idle
                return chunk.isEmpty ? .again : .give(result)
            case (_, .success(nil)), (_, .failure):
                end(result)
                return .give(result)
            }
        }

        /// Ends it, and returns the objects to cancel; nil if there is nothing to do now.
        mutating func cancel() -> (source: Source?, reading: Future<Data?>?)? {
            var awaited: Future<Data?>?
            switch phase {
            case .over, .leaving: return nil
            case .asking:
                phase = .leaving
                return nil
            case .idle: break
            case .reading(let chunk): awaited = chunk
            }
            defer { end(.failure(CancellationError())) }
            return (source, awaited)
        }

        private mutating func end(_ result: Result<Data?, any Error>) {
            phase = .over(result)
            source = nil
        }
    }
}
