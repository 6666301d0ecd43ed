import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices

extension CacheLayer {
    /// Answers with the stored response instead of a server's error; nil if that isn't allowed.
    func rescue(
        _ presented: PresentedRequest, _ entry: CachedResponse, from reply: OriginReply
    ) -> Future<HTTPResponse>? {
        guard cache.rules.isError(status: reply.response.status) else { return nil }
        return rescue(presented, entry, isUnreachable: false)
    }

    /// Answers with the stored response instead of a failure; nil if that isn't allowed.
    ///
    /// Not if the call was cancelled, or the request can't be sent. Also not if a layer below has refused the
    /// response's status, because then the origin has answered.
    func rescue(
        _ presented: PresentedRequest, _ entry: CachedResponse, after error: any Error
    ) -> Future<HTTPResponse>? {
        let isAnswer = (error as? HTTPError)?.refused != nil
        if isAnswer || error is CancellationError || error is Endpoint.Error { return nil }
        let isUnreachable = cache.rules.isUnreachable(by: error)
        return rescue(presented, entry, isUnreachable: isUnreachable)
    }

    /// The stored response as an answer after a failure; nil if it can't stand in.
    func substitute(
        for presented: PresentedRequest, _ entry: CachedResponse, isUnreachable: Bool
    ) -> HTTPResponse? {
        let now = cache.moment()
        let mayUse = cache.rules.mayUseOnError(
            entry, for: presented, at: now, isUnreachable: isUnreachable)
        guard mayUse, !entry.variant.isOver else { return nil }
        return cache.rules.answer(presented, with: entry, at: now)
    }

    private func rescue(
        _ presented: PresentedRequest, _ entry: CachedResponse, isUnreachable: Bool
    ) -> Future<HTTPResponse>? {
        guard
            let response = substitute(for: presented, entry, isUnreachable: isUnreachable)
        else { return nil }
        cache.count(\.rescues)
        let note = isUnreachable ? "rescued: the origin can't be reached" : "rescued"
        CallContext.current.report(.note(note), by: Self.policy, named: cache.name)
        return give(response.marked(by: cache, .hit(entry)), of: entry)
    }
}
