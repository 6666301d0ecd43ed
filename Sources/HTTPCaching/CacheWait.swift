import PledgeFutures
import PledgeHTTPMessages
import PledgeServices

/// A call's wait for the origin, which a stale stored response can end.
///
/// The wait ends at the call's deadline, or when an attempt below the cache exceeds its time limit. It fails with that
/// limit's error, and the cache answers with the stored response instead.
struct CacheWait: Sendable {
    private let layer: CacheLayer
    private let presented: PresentedRequest
    private let entry: CachedResponse
    private let context: CallContext

    /// Returns nil if the stored response can't stand in for the origin.
    init?(_ layer: CacheLayer, _ presented: PresentedRequest, _ entry: CachedResponse) {
        guard layer.substitute(for: presented, entry, isUnreachable: true) != nil else {
            return nil
        }
        self.layer = layer
        self.presented = presented
        self.entry = entry
        context = .current
    }

    /// The context of a validation, which may continue after the call's deadline.
    var contextOfValidation: CallContext {
        let (limit, scheduler) = (layer.cache.backgroundLimit, layer.cache.scheduler)
        guard let remaining = context.remaining, remaining < limit else { return context }
        return context.with(deadline: CallDeadline(after: limit, on: scheduler))
    }

    /// Returns the answer, or a failure when the wait ends.
    ///
    /// - Parameters:
    ///   - answer: The origin's answer.
    ///   - attempts: Where a retry below the cache looks for a stand-in after a failed attempt.
    ///   - goOn: Called when the wait ends before the answer, unless the caller itself has left.
    func limit(
        _ answer: Future<HTTPResponse>, attempts: StandIns?,
        lettingGoOn goOn: @escaping @Sendable () -> Void = {}
    ) -> Future<HTTPResponse> {
        if answer.isSettled { return answer }
        let signal = InternalPromise<HTTPResponse>()
        let end: StandIns.End = { error in
            guard !signal.isSettled, error.isTimeout, canEnd(after: error) else { return false }
            goOn()
            return signal.reject(with: error)
        }
        let waits = [context.deadline?.standIns, attempts].compactMap { standIns in
            standIns.map { (standIns: $0, number: $0.add(end)) }
        }
        let timer = timer(end, signal)
        return Future.race([answer, signal]).onEnd { _ in
            timer?.cancel()
            for wait in waits { wait.standIns.remove(wait.number) }
        }
    }

    private func canEnd(after error: any Error) -> Bool {
        let isUnreachable = layer.cache.rules.isUnreachable(by: error)
        return layer.substitute(for: presented, entry, isUnreachable: isUnreachable) != nil
    }

    /// Ends the wait at the call's deadline; nil if there is no deadline, or if a policy above the cache ends the wait.
    private func timer(
        _ end: @escaping StandIns.End, _ signal: InternalPromise<HTTPResponse>
    ) -> (any ScheduledAction)? {
        guard let deadline = context.deadline, deadline.standIns == nil else { return nil }
        let time = max(deadline.remaining, .zero)
        let error = ServiceError(
            .deadlineExceeded, policy: CacheLayer.policy, policyName: layer.cache.name,
            limit: time, subject: loggedName(of: presented.request))
        return deadline.scheduler.schedule(after: time) {
            if !end(error) { signal.reject(with: error) }
        }
    }
}

extension CacheLayer {
    /// Asks the origin to confirm a stored response, and tells the callers when an attempt fails.
    static func asking(_ asking: CacheForwarding) -> Service<CacheValidation, ForwardedAnswer> {
        let cache = asking.cache
        return { validation in
            let (attempts, key) = (StandIns(), validation.key)
            cache.attempts.withLock { $0[key] = attempts }
            return CallContext.current.with(standIns: attempts).run { asking.ask(validation) }
                .onEnd { _ in
                    cache.attempts.withLockThenRelease {
                        $0[key] === attempts ? $0.removeValue(forKey: key) : nil
                    }
                }
        }
    }

    /// Validates a stale response that was returned, unless an equal validation is running.
    ///
    /// It runs in the caller's context, but with a deadline of its own, because no caller waits for it.
    func revalidate(_ entry: CachedResponse, _ presented: PresentedRequest) {
        let validation = validation(entry, presented.request, presented)
        let context = CallContext.current
        runInBackground(validation) {
            context.report(.note("revalidating"), by: Self.policy, named: cache.name)
            let deadline = CallDeadline(after: cache.backgroundLimit, on: cache.scheduler)
            let own = context.with(deadline: deadline).with(record: nil)
            return revalidateInTurn(presented) { own.run { validate(validation) } }
        }
    }

    /// Keeps a validation running without a caller, unless an equal one is.
    ///
    /// - Parameter start: Returns the validation's answer.
    func runInBackground(
        _ validation: CacheValidation, _ start: () -> Future<ForwardedAnswer>
    ) {
        let (cache, key) = (cache, validation.key)
        let isFirst = cache.background.withLock { running in
            guard running.index(forKey: key) == nil else { return false }
            running.updateValue(nil, forKey: key)
            return true
        }
        guard isFirst else { return }
        let call = start().timeout(cache.backgroundLimit, on: cache.scheduler)
        cache.background.withLock { $0[key] = .some(call) }
        call.observe { _ in
            cache.background.withLockThenRelease { $0.removeValue(forKey: key) }
        }
    }
}
