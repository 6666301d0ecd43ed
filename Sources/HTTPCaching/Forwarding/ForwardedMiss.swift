import PledgeHTTPNetworking
import PledgeServices

/// A request to the origin that no stored response answers.
struct ForwardedMiss: Sendable {
    /// The identity of such a request: the same request of the same users, without an invalidation in
    /// between.
    struct Key: Hashable, Sendable {
        /// Without the headers that identify its users.
        let request: HTTPRequest
        let partition: CachePartition
        /// The last call for the URL whose answer is invalid.
        let lastInvalid: Int
    }

    let presented: PresentedRequest
    /// Who asks.
    let asker: Int
    let key: Key

    /// Makes it from a request, and counts it among the calls for its URL.
    ///
    /// Its maker ends that call when it has the answer: until then invalidations are recorded.
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

extension ForwardedMiss: AnswerKeeping {
    /// Keeps the cookies of the origin's answer, in the jar of the request.
    func keep<Output: Sendable>(_ result: Result<Output, any Error>) {
        presented.request.keep(forwarded: result)
    }
}
