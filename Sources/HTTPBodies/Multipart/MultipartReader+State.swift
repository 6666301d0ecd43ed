import PledgeHTTPNetworking

extension MultipartReader {
    /// The events that were read and not yet requested.
    struct State {
        /// The result of a look-up.
        enum LookupResult<Found> {
            case found(Found)
            /// More input is needed.
            case nothing
            /// The body has failed, or is malformed.
            case failed(any Error)
            /// The requested part has ended; the body is valid.
            case gone
        }

        private var parser: MultipartParser
        private var events: [MultipartParser.Event] = []
        private var first = 0
        /// The number of the part that was returned last.
        private var part = 0
        /// Whether that part has ended.
        private var isOver = true
        private var end: Result<Void, any Error>?

        init(_ parser: MultipartParser) { self.parser = parser }

        /// Takes a chunk, the end, or an error.
        mutating func take(_ result: Result<Data?, any Error>) {
            guard end == nil else { return }
            do {
                if let chunk = try result.get() {
                    (events, first) = ([], 0)
                    try parser.feed(chunk, to: &events)
                } else {
                    try parser.finish()
                    end = .success(())
                }
            } catch {
                end = .failure(error)
            }
        }

        /// Removes the read events, and fails unless the body has ended.
        mutating func giveUp() {
            (events, first) = ([], 0)
            end = end ?? .failure(CancellationError())
        }

        /// The headers and the number of the next part; nil after the last.
        mutating func nextPart() -> LookupResult<(HTTPHeaders, Int)?> {
            while let event = pop() {
                switch event {
                case .bytes: continue
                case .partEnd: isOver = true
                case .part(let headers):
                    part += 1
                    isOver = false
                    return .found((headers, part))
                }
            }
            switch end {
            case nil: return .nothing
            case .success: return .found(nil)
            case .failure(let error): return .failed(error)
            }
        }

        /// The next chunk of a part; nil after its last.
        mutating func nextChunk(of number: Int) -> LookupResult<Data?> {
            guard number == part else { return .gone }
            if isOver { return .found(nil) }
            switch pop() {
            case .bytes(let chunk): return .found(chunk)
            case .partEnd, .part:
                isOver = true
                return .found(nil)
            case nil:
                if case .failure(let error) = end { return .failed(error) }
                return .nothing
            }
        }

        private mutating func pop() -> MultipartParser.Event? {
            guard first < events.count else { return nil }
            defer { first += 1 }
            return events[first]
        }
    }
}
