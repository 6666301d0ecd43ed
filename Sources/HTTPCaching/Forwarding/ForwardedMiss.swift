import HTTPNetworking
import Services

/// The question to the origin that nothing stored answers.
struct ForwardedMiss: Sendable {
    /// What makes two questions the same: the same request in the same names, and nothing forgotten between.
    struct Key: Hashable, Sendable {
        /// Without what stands for its names.
        let request: HTTPRequest
        let partition: CachePartition
        /// Up to which call what is brought for the URL is out of date.
        let lastInvalid: Int
    }

    let presented: PresentedRequest
    /// Who asks.
    let asker: Int
    let key: Key

    /// Makes the question that a request puts, and counts it among the calls for its URL.
    ///
    /// Its maker ends that call when it has the answer: up to then it is known what was
    /// invalidated.
    init(_ presented: PresentedRequest, _ calls: inout CallValidity<CacheKey>) {
        self.presented = presented
        asker = calls.start(presented.key)
        var request = presented.request
        for credential in request.context.credentials
        where presented.partition.standsFor(credential.header.lowercased()) {
            request.headers.remove(credential.header)
        }
        key = Key(
            request: request, partition: presented.partition,
            lastInvalid: calls.lastInvalid(of: presented.key))
    }
}

extension ForwardedMiss: Replayable {
    /// GET without a body.
    var isReplayable: Bool { true }
}
