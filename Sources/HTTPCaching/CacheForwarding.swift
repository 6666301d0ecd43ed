import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// Forwards requests to the origin, and stores the answers before it returns them.
struct CacheForwarding: Sendable {
    let cache: HTTPCache
    let next: HTTPService

    /// Sends a request, and stores the answer if it may be stored.
    ///
    /// - Parameters:
    ///   - request: The request that is sent.
    ///   - presented: The original request, without the conditions that the cache has added.
    ///   - entry: The stored response that the request asks about.
    func forward(
        _ request: HTTPRequest, _ presented: PresentedRequest, about entry: CachedResponse? = nil
    ) -> Future<OriginReply> {
        let number = cache.calls.withLock { $0.start(presented.key) }
        let sent = cache.moment()
        let (cache, context) = (cache, CallContext.current)
        let made: @Sendable (HTTPResponse, HTTPError?) -> OriginReply = { response, refusal in
            OriginReply(
                presented: presented, response: response, refusal: refusal, requestTime: sent,
                responseTime: cache.moment(),
                isForeign: presented.isForeign(response, by: cache.rules), number: number,
                validated: entry)
        }
        return next(request)
            .mapWithoutOrigin { made($0, nil) }
            .flatMapSomeResults { result in
                guard case .failure(let error as HTTPError) = result, let response = error.refused
                else { return nil }
                return Future(value: made(response, error))
            }
            .onEnd { result in
                // A caller that has given up gets no success, and nothing is stored.
                if case .success(let reply) = result {
                    cache.receive(reply)
                    reply.reportIfForeign(in: context, named: cache.name)
                } else {
                    cache.calls.withLock { _ = $0.end(presented.key) }
                }
            }
    }

    /// Asks the origin if no stored response answers.
    func ask(_ miss: ForwardedMiss) -> Future<ForwardedAnswer> {
        forward(miss.presented.request, miss.presented).mapWithoutOrigin {
            answered($0, miss.asker)
        }
    }

    /// Asks whether a stored response is still valid.
    ///
    /// A 304 for another response than the stored one, or for a user that the cache does not know, cannot be
    /// used: the request is sent once more, without conditions (RFC 9111, section 4.3.3).
    func ask(_ validation: CacheValidation) -> Future<ForwardedAnswer> {
        let (presented, entry) = (validation.presented, validation.entry)
        let request = cache.rules.validation(of: entry, for: validation.request)
        let context = CallContext.current
        return forward(request, presented, about: entry).flatMap { reply in
            guard reply.response.status == 304, entry.hasValidator else {
                return Future(value: answered(reply, validation.asker))
            }
            let fresh = reply.response
            if !reply.isForeign, cache.rules.confirms(fresh.headers, entry, isOwn: true),
                let confirmed = cache.rules.freshened(entry, by: reply)
            {
                return Future(value: .confirmed(confirmed.entry, fresh))
            }
            validation.request.keepCookies(of: fresh)
            return context.run { self.forward(validation.request, presented) }
                .mapWithoutOrigin { answered($0, validation.asker) }
        }
    }

    private func answered(_ reply: OriginReply, _ asker: Int) -> ForwardedAnswer {
        .answered(reply, stored: cache.rules.entry(from: reply), to: asker)
    }
}

/// A validation: the request to the origin whether a stored response is still valid.
struct CacheValidation: Sendable {
    /// The identity of a validation: the stored response, and how often it was confirmed.
    struct Key: Hashable, Sendable {
        let key: CacheKey
        let variant: CacheVariant
        let number: Int
        /// The caller, if it wants an answer of its own.
        let asker: Int?
    }

    /// The original request, without conditions.
    let request: HTTPRequest
    let presented: PresentedRequest
    let entry: CachedResponse
    /// Who asks.
    let asker: Int

    /// A request with no-cache does not share a validation that was sent before.
    var key: Key {
        Key(
            key: presented.key, variant: entry.variant, number: entry.number,
            asker: presented.mustValidate ? asker : nil)
    }
}

extension CacheValidation: Replayable {
    /// GET without a body.
    var isReplayable: Bool { true }
}

extension CacheValidation: AnswerKeeping {
    /// Keeps the cookies of the origin's answer, in the jar of the request.
    func keep<Output: Sendable>(_ result: Result<Output, any Error>) {
        request.keep(forwarded: result)
    }
}

/// The origin's answer to it, or to a ``ForwardedMiss``.
enum ForwardedAnswer: Sendable {
    /// The stored response is still valid; with its updated form, and the cookies of the 304.
    case confirmed(CachedResponse, HTTPResponse)
    /// A new response; with its stored form, and the caller whose request it answers.
    case answered(OriginReply, stored: CachedResponse?, to: Int)
}

extension ForwardedAnswer: Shareable {
    /// The answer without the cookies that it sets: they are for the caller whose request was sent.
    ///
    /// What is stored keeps them, for a cache that replays cookies.
    var shared: ForwardedAnswer {
        switch self {
        case .confirmed(let entry, let fresh): .confirmed(entry, fresh.shared)
        case .answered(let reply, let stored, let asker):
            .answered(reply.shared, stored: stored, to: asker)
        }
    }

    /// False: all who share it are of one partition.
    var isOver: Bool { false }

    /// The response of the origin.
    fileprivate var response: HTTPResponse {
        switch self {
        case .confirmed(_, let fresh): fresh
        case .answered(let reply, _, _): reply.response
        }
    }
}

extension HTTPRequest {
    /// Keeps the cookies of the origin's answer to a request of the cache.
    func keep<Output: Sendable>(forwarded result: Result<Output, any Swift.Error>) {
        guard case .success(let output) = result, let answer = output as? ForwardedAnswer else {
            return keep(result)
        }
        keepCookies(of: answer.response)
    }
}

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

/// A response that the origin gave to a forwarded request, and when.
struct OriginReply: Sendable {
    let presented: PresentedRequest
    var response: HTTPResponse
    /// The error into which a layer beneath has turned the response, if it has.
    var refusal: HTTPError?
    let requestTime: ClockReading
    let responseTime: ClockReading
    /// Whether the answer is to credentials that were added beneath the cache.
    ///
    /// The cache does not know the user of such an answer.
    let isForeign: Bool
    /// Which call of its cache it is.
    let number: Int
    /// The stored response that the request validated, if the cache asked for it.
    var validated: CachedResponse?
}

extension OriginReply {
    /// The reply without the cookies that it sets.
    var shared: OriginReply {
        var reply = self
        reply.response = response.shared
        reply.refusal = refusal?.shared
        return reply
    }

    /// Reports it, once a call: an unusable 304 is followed by another request.
    func reportIfForeign(in context: CallContext, named name: String?) {
        guard isForeign, validated == nil || response.status != 304 else { return }
        context.report(
            .note("not stored: credentials were added beneath the cache"), by: CacheLayer.policy,
            named: name)
    }
}

/// A moment, on both clocks that a cache reads.
///
/// Dates are compared with the wall clock, which may be set back; the age of a stored response is the longer
/// one by the two clocks.
struct ClockReading: Hashable, Sendable {
    let date: HTTPDate
    let instant: SchedulerInstant
}
