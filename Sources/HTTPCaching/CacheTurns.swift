import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// The turns of processes with one store that miss a response at the same time.
///
/// The first one has the lock until its answer is in the store, or until it dies. The others wait, and then find that
/// answer. None waits for longer than the cache's `storeTimeLimit`. If a process has waited in vain, its next calls for
/// the response don't wait for a minute: perhaps the response can't be stored.
struct CacheTurns: Sendable {
    private var vainWaits: [String: SchedulerInstant] = [:]

    /// Returns whether calls wait for the turn of a name.
    func areOfUse(for name: String, at now: SchedulerInstant) -> Bool {
        vainWaits[name].map { now >= $0 } ?? true
    }

    /// Notes that a wait was in vain.
    mutating func noteVainWait(for name: String, at now: SchedulerInstant) {
        if vainWaits.count >= 1_000 { vainWaits = vainWaits.filter { now < $0.value } }
        if vainWaits.count >= 1_000 { vainWaits = [:] }
        vainWaits[name] = now.advanced(by: .seconds(60))
    }
}

extension HTTPCache {
    /// Returns the name of the lock for a request; nil if no other process would have a use for the answer, or if the
    /// store works for this process alone or not at all.
    func lockName(for presented: PresentedRequest) -> String? {
        guard coalescesMisses, presented.mayCollapse, !(store is MemoryCacheStore), !isFailing,
            let users = presented.partition.names
        else { return nil }
        let parts = [presented.key.host ?? "", presented.key.url] + users
        let text = parts.joined(separator: "\n")
        let hash = SHA512_256.hash((rules.partitionKey ?? []) + Array(text.utf8))
        let name = Array(hash.prefix(16)).hexadecimal
        return turns.withLock { $0.areOfUse(for: name, at: scheduler.now) } ? name : nil
    }
}

extension CachePartition {
    /// Texts that stand for the users in all processes with the same key; nil if only this process knows one of them.
    fileprivate var names: [String]? {
        var names: [String] = []
        for member in members {
            switch member.principal {
            case .account(let name): names.append("\(member.header) account \(name)")
            case .digest(let high, let low): names.append("\(member.header) digest \(high) \(low)")
            case .signIn(let signIn):
                guard let name = signIn.name else { return nil }
                names.append("\(member.header) sign-in \(name)")
            case .secret, .nobody: return nil
            }
        }
        return names.sorted()
    }
}

extension CacheLayer {
    /// Asks the origin in the process's turn, unless another process's answer is in the store by then.
    ///
    /// - Parameters:
    ///   - name: The name of the store's lock.
    ///   - start: When the wait began; nil if it hasn't.
    ///   - pause: The time until the next look.
    func answer(
        _ presented: PresentedRequest, by decision: CacheRules.Decision, inTurn name: String,
        waitingSince start: SchedulerInstant? = nil, pause: Duration = .milliseconds(1)
    ) -> Future<HTTPResponse> {
        whenSettled(cache.limited(cache.store.lockForRequest(name))) { result in
            let now = cache.scheduler.now
            switch result {
            case .failure(let error):
                cache.noteStore(error)
                return answer(presented, by: decision)
            case .success(let lock?):
                if lock is NoLock { return answer(presented, by: decision) }
                let held = Locked<(any AnyObject & Sendable)?>(lock)
                // The last turn may have ended after the look at the store.
                return find(presented) { entries in
                    let decision = cache.rules.decide(presented, entries, at: cache.moment())
                    if start != nil, decision.asksOrigin {
                        cache.turns.withLock { $0.noteVainWait(for: name, at: now) }
                    }
                    return answer(presented, by: decision)
                }
                .onEnd { _ in held.withLockThenRelease { $0 = nil } }
            case .success(nil):
                let start = start ?? now
                guard start.duration(to: now) < cache.storeTimeLimit else {
                    cache.turns.withLock { $0.noteVainWait(for: name, at: now) }
                    return answer(presented, by: decision)
                }
                return whenSettled(Future<Void>(value: ()).delay(pause, on: cache.scheduler)) { _ in
                    find(presented) { entries in
                        let decision = cache.rules.decide(presented, entries, at: cache.moment())
                        guard decision.asksOrigin else { return answer(presented, by: decision) }
                        return answer(
                            presented, by: decision, inTurn: name, waitingSince: start,
                            pause: min(pause * 2, .milliseconds(16)))
                    }
                }
            }
        }
    }
}

extension CacheRules.Decision {
    /// True if the origin is to answer.
    var asksOrigin: Bool {
        switch self {
        case .validate, .choose, .forward: true
        case .serve, .unavailable: false
        }
    }
}
