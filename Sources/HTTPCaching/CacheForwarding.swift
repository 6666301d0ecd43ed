import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices

/// Forwards requests to the origin, and stores the answers before it returns them.
struct CacheForwarding: Sendable {
    let cache: HTTPCache
    let next: HTTPService

    /// Sends a request, and stores the answer if that's allowed.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - presented: The original request, without the conditions that the cache has added.
    ///   - entry: The stored response that the origin is asked to confirm; nil if there is none.
    ///   - variants: The stored responses that the origin may choose from.
    ///   - substitute: The stored response that may answer in place of an error; nil if it's `entry`, or if none may.
    func forward(
        _ request: HTTPRequest, _ presented: PresentedRequest, about entry: CachedResponse? = nil,
        offering variants: [CachedResponse] = [], rescuedBy substitute: CachedResponse? = nil
    ) -> Future<OriginReply> {
        let number = cache.calls.withLock { $0.start(presented.key) }
        let sent = cache.moment()
        let (cache, context) = (cache, CallContext.current)
        let made: @Sendable (HTTPResponse, HTTPError?) -> OriginReply = { response, refusal in
            OriginReply(
                presented: presented, response: response, refusal: refusal, requestTime: sent,
                responseTime: cache.moment(),
                isForeign: presented.isForeign(response, by: cache.rules), number: number,
                validated: entry, substitute: entry ?? substitute, offered: variants)
        }
        return next(request)
            .mapWithoutOrigin { made($0, nil) }
            .flatMapSomeResults { result in
                guard case .failure(let error as HTTPError) = result, let response = error.refused
                else { return nil }
                return Future(value: made(response, error))
            }
            .onEnd { result in
                // A cancelled call doesn't succeed, so its answer isn't stored.
                if case .success(let reply) = result {
                    cache.receive(reply, in: context)
                    reply.reportIfForeign(in: context, named: cache.name)
                } else {
                    cache.calls.withLock { _ = $0.endCall(presented.key) }
                }
            }
    }

    /// Sends a request that no stored response answers.
    ///
    /// If variants for other requests are stored, the origin may choose one of them by its tag. A 304 that chooses none
    /// can't be used. Then the request is sent once more, without conditions.
    func ask(_ miss: ForwardedMiss) -> Future<ForwardedAnswer> {
        let (presented, request) = (miss.presented, miss.presented.request)
        if miss.variants.isEmpty { return ask(request, presented, miss.asker) }
        let choice = cache.rules.choice(among: miss.variants, for: request)
        let context = CallContext.current
        return forward(choice, presented, offering: miss.variants).flatMap { reply in
            let fresh = reply.response
            guard fresh.status == 304 else { return Future(value: answered(reply, miss.asker)) }
            if !reply.isForeign, let chosen = cache.rules.chosen(by: reply) {
                return Future(value: .confirmed(chosen.entry, fresh))
            }
            return context.run { ask(request, presented, miss.asker) }
        }
    }

    private func ask(
        _ request: HTTPRequest, _ presented: PresentedRequest, _ asker: Int
    ) -> Future<ForwardedAnswer> {
        forward(request, presented).mapWithoutOrigin { answered($0, asker) }
    }

    /// Asks the origin whether a stored response is still valid.
    ///
    /// A 304 can't be used if it confirms a response other than the stored one, or if it was made for a user that the
    /// cache doesn't know. Then the request is sent once more, without conditions (RFC 9111, section 4.3.3).
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
            return context.run { ask(validation.request, presented, validation.asker) }
        }
    }

    private func answered(_ reply: OriginReply, _ asker: Int) -> ForwardedAnswer {
        .answered(reply, stored: cache.rules.entry(from: reply), to: asker)
    }
}

/// A request that asks the origin whether a stored response is still valid.
struct CacheValidation: Sendable {
    /// The identity of a validation; validations with equal keys share one request.
    struct Key: Hashable, Sendable {
        let key: CacheKey
        let variant: CacheVariant
        let number: Int
        /// The caller's number if the validation must not join an earlier one; otherwise nil.
        let asker: Int?
    }

    /// The original request, without conditions.
    let request: HTTPRequest
    let presented: PresentedRequest
    let entry: CachedResponse
    /// The number of the caller.
    let asker: Int

    /// The key of the validation; validations with equal keys share one request.
    ///
    /// A request with no-cache doesn't join a validation that was sent before it.
    var key: Key {
        Key(
            key: presented.key, variant: entry.variant, number: entry.number,
            asker: presented.mustValidate ? asker : nil)
    }
}

extension CacheValidation: Replayable {
    /// True, because the request is a GET without a body.
    var isReplayable: Bool { true }
}

/// The origin's answer to a ``CacheValidation`` or a ``ForwardedMiss``.
indirect enum ForwardedAnswer: Sendable {
    /// The origin has confirmed the stored response; the values are the updated response, and the 304, which may set
    /// cookies.
    case confirmed(CachedResponse, HTTPResponse)
    /// A new response, its stored form if it may be stored, and the number of the caller whose request was sent.
    case answered(OriginReply, stored: CachedResponse?, to: Int)
}

extension ForwardedAnswer: UserBound {
    /// The answer without its Set-Cookie headers, which are for the caller whose request was sent.
    ///
    /// The stored form keeps these headers, because a cache with `replaysCookies` returns them. No answer is over: all
    /// callers that share one belong to the same partition.
    var forOthers: ForwardedAnswer {
        switch self {
        case .confirmed(let entry, let fresh): .confirmed(entry, fresh.forOthers)
        case .answered(let reply, let stored, let asker):
            .answered(reply.forOthers, stored: stored, to: asker)
        }
    }
}

/// A request that goes to the origin, because no stored response answers it.
struct ForwardedMiss: Sendable {
    /// The identity of a miss; misses with equal keys share one request.
    ///
    /// Two keys are equal if the requests are equal, the users are the same, and the URL wasn't invalidated in between.
    struct Key: Hashable, Sendable {
        /// The request without the headers that only identify its users.
        let request: HTTPRequest
        let partition: CachePartition
        /// The number up to which all calls for the URL are invalid.
        let lastInvalid: Int
    }

    let presented: PresentedRequest
    /// The stored responses to other requests that the origin may choose from.
    let variants: [CachedResponse]
    /// The number of the caller.
    let asker: Int
    let key: Key

    /// Creates a miss, and counts it as a call for the request's URL.
    ///
    /// Whoever creates a miss must end that call when the answer arrives. Until then, the cache remembers invalidations
    /// of the URL.
    init(
        _ presented: PresentedRequest, among variants: [CachedResponse],
        _ calls: inout CallValidity<CacheKey>
    ) {
        self.presented = presented
        self.variants = variants
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
    /// True, because the request is a GET without a body.
    var isReplayable: Bool { true }
}

/// The origin's response to a forwarded request, and when it arrived.
final class OriginReply: Sendable {
    let presented: PresentedRequest
    let response: HTTPResponse
    /// The error, if a layer below the cache turned the response into an error; otherwise nil.
    let refusal: HTTPError?
    let requestTime: ClockReading
    let responseTime: ClockReading
    /// True if credentials were added below the cache, so that the cache doesn't know the answer's user.
    let isForeign: Bool
    /// The number of the call in its cache; a later call has a higher number.
    let number: Int
    /// The stored response that the cache asked the origin to confirm; nil if the cache didn't ask.
    let validated: CachedResponse?
    /// The stored response that may answer in place of an error.
    let substitute: CachedResponse?
    /// The stored responses to other requests whose tags the cache has sent.
    let offered: [CachedResponse]

    init(
        presented: PresentedRequest, response: HTTPResponse, refusal: HTTPError?,
        requestTime: ClockReading, responseTime: ClockReading, isForeign: Bool, number: Int,
        validated: CachedResponse?, substitute: CachedResponse?, offered: [CachedResponse]
    ) {
        self.presented = presented
        self.response = response
        self.refusal = refusal
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isForeign = isForeign
        self.number = number
        self.validated = validated
        self.substitute = substitute
        self.offered = offered
    }
}

extension OriginReply {
    /// The reply without its Set-Cookie headers.
    var forOthers: OriginReply {
        OriginReply(
            presented: presented, response: response.forOthers, refusal: refusal?.forOthers,
            requestTime: requestTime, responseTime: responseTime, isForeign: isForeign,
            number: number, validated: validated, substitute: substitute, offered: offered)
    }

    /// Reports, once per call, that the answer isn't stored because credentials were added below the cache.
    ///
    /// Nothing is reported for a 304 that can't be used. A second request follows, and its answer is reported.
    func reportIfForeign(in context: CallContext, named name: String?) {
        guard isForeign, validated == nil && offered.isEmpty || response.status != 304 else {
            return
        }
        context.report(
            .note("not stored: credentials were added beneath the cache"), by: CacheLayer.policy,
            named: name)
    }
}

/// A moment on the two clocks that a cache reads: the wall clock and the monotonic clock.
///
/// Dates in headers are compared with the wall clock, which may be set back. A stored response's age is measured with
/// both clocks, and the larger result counts.
struct ClockReading: Hashable, Sendable {
    let date: Date
    let instant: SchedulerInstant
}
