import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

extension CacheLayer {
    /// Returns the stored response in place of a server's error, or nil if that isn't allowed.
    func rescue(
        _ presented: PresentedRequest, _ entry: CachedResponse, from reply: OriginReply
    ) -> Future<HTTPResponse>? {
        guard cache.rules.isError(status: reply.response.status) else { return nil }
        return rescue(presented, entry, isUnreachable: false)
    }

    /// Returns the stored response in place of a failure, or nil if that isn't allowed.
    ///
    /// Nothing replaces the failure of a cancelled call, or of a request that can't be sent. The same is true if a
    /// layer below the cache refused the response's status, because then the origin has answered.
    func rescue(
        _ presented: PresentedRequest, _ entry: CachedResponse, after error: any Error
    ) -> Future<HTTPResponse>? {
        let isAnswer = (error as? HTTPError)?.refused != nil
        if isAnswer || error is CancellationError || error is HTTPRequest.Error { return nil }
        let isUnreachable = cache.rules.isUnreachable(by: error)
        return rescue(presented, entry, isUnreachable: isUnreachable)
    }

    /// Returns the stored response as the answer to a request after a failure; nil if it can't stand in.
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
