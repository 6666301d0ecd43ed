import PledgeFutures

extension HTTPBodyPipe {
    /// The state between a writer and a reader: pure, so that it can be tested without threads.
    ///
    /// A reader waits only while nothing is buffered. The machine returns the objects that it removes, so
    /// that none is released, and runs code, under the lock.
    struct State {
        enum Phase {
            /// More may be written. Next: `ended`, `left`.
            case open
            /// Nothing more may be written; what is buffered is still read. Next: `left`.
            case ended(Result<Void, any Error>)
            /// The reader has given up.
            case left
        }

        enum WriteResult {
            /// There is space for more.
            case room
            /// A reader waited for it.
            case handed(to: InternalPromise<Data?>)
            /// Resolves when there is room.
            case full(Future<Void>)
            /// There was no space: the body fails.
            case overflow(RemovedObjects)
            case refused(any Error)
        }

        /// The objects that the machine has removed.
        struct RemovedObjects {
            var reader: InternalPromise<Data?>?
            var writers: [InternalPromise<Void>] = []
            var handlers: [@Sendable () -> Void] = []
        }

        enum ReadResult {
            /// A chunk, and the writers that now have room.
            case chunk(Data, waking: [InternalPromise<Void>])
            case waiting(Future<Data?>)
            case end(Result<Data?, any Error>)
        }

        private(set) var phase = Phase.open
        private let capacity: Int
        private var chunks: [Data] = []
        /// The index of the first unread chunk.
        private var first = 0
        private(set) var buffered = 0
        private var reader: InternalPromise<Data?>?
        private var writers: [InternalPromise<Void>] = []
        private var handlers: [@Sendable () -> Void] = []

        init(capacity: Int) { self.capacity = capacity }

        /// How many chunks are kept, including read ones, for the test that they do not accumulate.
        var size: Int { chunks.count }

        /// Whether more may be written.
        var isOpen: Bool {
            if case .open = phase { return true }
            return false
        }

        /// Takes a chunk, however full it is.
        mutating func write(_ data: Data) -> WriteResult {
            if let error = refusal { return .refused(error) }
            if let waiting = take(data) { return .handed(to: waiting) }
            if buffered < capacity { return .room }
            let writer = InternalPromise<Void>()
            writers.append(writer)
            return .full(writer)
        }

        /// Takes a chunk if there is room for all of it, and otherwise ends the body.
        mutating func offer(_ data: Data) -> WriteResult {
            if let error = refusal { return .refused(error) }
            if reader == nil, data.count > capacity - buffered {
                return .overflow(end(.failure(HTTPError(code: .bodyTooLarge))))
            }
            return take(data).map(WriteResult.handed) ?? .room
        }

        private mutating func take(_ data: Data) -> InternalPromise<Data?>? {
            if data.isEmpty { return nil }
            if let waiting = reader {
                reader = nil
                return waiting
            }
            chunks.append(data)
            buffered += data.count
            return nil
        }

        private var refusal: (any Error)? {
            switch phase {
            case .open: nil
            case .left: CancellationError()
            case .ended(.failure(let error)): error
            case .ended(.success): HTTPError(code: .bodyEnded)
            }
        }

        /// Takes the next chunk out.
        mutating func read() -> ReadResult {
            if first < chunks.count {
                let chunk = chunks[first]
                forgetFirst()
                guard buffered < capacity else { return .chunk(chunk, waking: []) }
                defer { writers = [] }
                return .chunk(chunk, waking: writers)
            }
            switch phase {
            case .open:
                let reader = InternalPromise<Data?>()
                self.reader = reader
                return .waiting(reader)
            case .ended(let result): return .end(result.map { nil })
            case .left: return .end(.failure(CancellationError()))
            }
        }

        /// Constant time, amortised: the array is moved when half of it is read.
        private mutating func forgetFirst() {
            buffered -= chunks[first].count
            chunks[first] = Data()
            first += 1
            guard first == chunks.count || first > 32 && 2 * first > chunks.count else { return }
            chunks.removeFirst(first)
            first = 0
        }

        /// Ends the writing.
        ///
        /// - Returns: The reader that gets the result, and the handlers that are not needed.
        mutating func end(_ result: Result<Void, any Error>) -> RemovedObjects {
            guard isOpen else { return RemovedObjects() }
            phase = .ended(result)
            defer { (reader, handlers) = (nil, []) }
            return RemovedObjects(reader: reader, handlers: handlers)
        }

        /// Notes that the reader has given up.
        ///
        /// - Returns: The waiting writers, and the handlers to call.
        mutating func leave() -> RemovedObjects {
            defer {
                phase = .left
                (chunks, first, buffered) = ([], 0, 0)
                (reader, writers, handlers) = (nil, [], [])
            }
            return RemovedObjects(reader: reader, writers: writers, handlers: handlers)
        }

        /// Adds a handler for the reader's end.
        ///
        /// - Returns: Whether it has happened already.
        mutating func listen(_ handler: @escaping @Sendable () -> Void) -> Bool {
            switch phase {
            case .left: return true
            case .ended: return false
            case .open:
                handlers.append(handler)
                return false
            }
        }
    }
}
