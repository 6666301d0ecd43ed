import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices

/// Sends requests to the origin, and stores the answers before it returns them.
struct CacheForwarding: Sendable {
    let cache: HTTPCache
    let next: HTTPService

    /// Sends a request, and stores the answer if it may.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - presented: The caller's request, without the cache's conditions.
    ///   - entry: The stored response to confirm, if there is one.
    ///   - variants: The stored responses that the origin may choose from.
    ///   - substitute: What may answer in place of an error; nil if it's `entry`, or if nothing may.
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
                // A cancelled call doesn't get here, so its answer isn't stored.
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
    /// If variants for other requests are stored, the origin may choose one by its tag. If its 304 chooses none, the
    /// request is sent once more, without conditions.
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
    /// A 304 is of no use if it confirms another response, or was made for a user whom the cache doesn't know. Then the
    /// request is sent once more, without conditions (RFC 9111, section 4.3.3).
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

/// A request that asks whether a stored response is still valid.
struct CacheValidation: Sendable {
    /// Validations with equal keys share one request.
    struct Key: Hashable, Sendable {
        let key: CacheKey
        let variant: CacheVariant
        let number: Int
        /// The number of the caller's call if the validation must not join an earlier one; otherwise nil.
        let asker: Int?
    }

    /// The caller's request, without conditions.
    let request: HTTPRequest
    let presented: PresentedRequest
    let entry: CachedResponse
    /// The number of the caller's call, from ``CallValidity``.
    let asker: Int

    /// Validations with equal keys share one request.
    ///
    /// A no-cache request doesn't join a validation that was sent before it.
    var key: Key {
        Key(
            key: presented.key, variant: entry.variant, number: entry.number,
            asker: presented.mustValidate ? asker : nil)
    }
}

extension CacheValidation: Replayable {
    /// It's a GET without a body.
    var isReplayable: Bool { true }
}

/// The origin's answer to a validation or a miss.
indirect enum ForwardedAnswer: Sendable {
    /// The origin has confirmed the stored response. The values are the updated response, and the 304, which may set
    /// cookies.
    case confirmed(CachedResponse, HTTPResponse)
    /// A new response, its stored form if it may be stored, and the number of the caller whose request was sent.
    case answered(OriginReply, stored: CachedResponse?, to: Int)
}

extension ForwardedAnswer: UserBound {
    /// The answer for the callers whose request wasn't sent: without Set-Cookie.
    ///
    /// The stored form keeps Set-Cookie, for caches with `replaysCookies`. All these callers belong to one partition.
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
    /// Equal for misses that may share a request: the same request and users, and no invalidation in between.
    struct Key: Hashable, Sendable {
        /// The request, without the headers that do nothing but identify its users.
        let request: HTTPRequest
        let partition: CachePartition
        /// Calls with this number or a lower one are invalid.
        let lastInvalid: Int
    }

    let presented: PresentedRequest
    /// The stored responses that the origin may choose from.
    let variants: [CachedResponse]
    /// The number of the caller's call, from ``CallValidity``.
    let asker: Int
    let key: Key

    /// Creates a miss, and counts it as a call for its URL.
    ///
    /// The creator ends that call when the answer arrives. Until then, the cache remembers when the URL is invalidated.
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
    /// It's a GET without a body.
    var isReplayable: Bool { true }
}

/// The origin's response, with what the cache needs to store it.
final class OriginReply: Sendable {
    let presented: PresentedRequest
    let response: HTTPResponse
    /// Set if a layer below the cache has turned the response into an error.
    let refusal: HTTPError?
    let requestTime: ClockReading
    let responseTime: ClockReading
    /// True if a layer below the cache added credentials, so that the cache doesn't know the answer's user.
    let isForeign: Bool
    /// The number of the call; later calls of the cache have higher numbers.
    let number: Int
    /// The stored response that the origin was asked to confirm.
    let validated: CachedResponse?
    /// The stored response that may answer in place of an error.
    let substitute: CachedResponse?
    /// The stored responses whose tags were sent, for the origin to choose from.
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
    /// A 304 that is of no use isn't reported: a second request follows, whose answer is.
    func reportIfForeign(in context: CallContext, named name: String?) {
        guard isForeign, validated == nil && offered.isEmpty || response.status != 304 else {
            return
        }
        context.report(
            .note("not stored: credentials were added beneath the cache"), by: CacheLayer.policy,
            named: name)
    }
}

/// The time on the wall clock and on the monotonic clock.
///
/// Headers are compared with the wall clock, which may be set back. So ages are measured with both, and the larger one
/// counts.
struct ClockReading: Hashable, Sendable {
    let date: Date
    let instant: SchedulerInstant
}
