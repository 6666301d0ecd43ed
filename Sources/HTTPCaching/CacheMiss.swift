import HTTPNetworking
import Services

/// The question to the origin that nothing stored answers.
struct CacheMiss: Sendable {
    /// What makes two questions the same: the same request in the same names, and nothing forgotten between.
    struct Key: Hashable, Sendable {
        /// Without what stands for its names.
        let request: HTTPRequest
        let partition: CachePartition
        /// Up to which call what is brought for the URL is out of date.
        let lastInvalid: UInt64
    }

    let query: CacheQuery
    /// Who asks.
    let asker: UInt64
    let key: Key

    /// Makes the question that a request puts, and counts it among the calls for its URL.
    ///
    /// Whoever makes it ends that call when it has the answer: up to then it is known what was forgotten.
    init(_ query: CacheQuery, _ flights: inout CacheFlights) {
        self.query = query
        asker = flights.begin(query.key)
        var request = query.request
        for credential in request.context.credentials
        where query.partition.standsFor(credential.header.lowercased()) {
            request.headers.remove(credential.header)
        }
        key = Key(
            request: request, partition: query.partition,
            lastInvalid: flights.lastInvalid(of: query.key))
    }
}

extension CacheMiss: Replayable {
    /// GET without a body.
    var isReplayable: Bool { true }
}
