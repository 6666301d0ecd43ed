import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// A turn to ask the origin for a response that several processes with one folder miss at the same time.
///
/// The first one to miss it has the turn until its answer is in the folder, or until it dies. The others wait, and then
/// find that answer. None waits for longer than the cache's `storeTimeLimit`. If a process has waited in vain, its next
/// calls for the response don't wait for a minute: perhaps the response can't be stored.
struct CacheTurn: Sendable {
    enum Outcome: Sendable {
        /// The caller has the turn, at this place of the folder, until it leaves the place.
        case own(Int64)
        /// Another process has it, or is just making the folder's key.
        case others
        /// There are no turns.
        case unknown
    }

    private let files: FolderCacheStore
    private let name: String

    /// Returns the turn of a request; nil if no other process would have a use for the answer.
    init?(for presented: PresentedRequest, among files: FolderCacheStore, at now: SchedulerInstant)
    {
        guard presented.mayCollapse, let users = presented.partition.names else { return nil }
        let name = ([presented.key.host ?? "", presented.key.url] + users).joined(separator: "\n")
        if files.vainTurns.withLock({ $0[name].map { now < $0 } ?? false }) { return nil }
        (self.files, self.name) = (files, name)
    }

    /// Takes the turn, without waiting.
    func take() -> Outcome { files.takeTurn(name) }

    /// Ends the turn, when the changes so far are in their files.
    func end(_ place: Int64) { files.leave(place) }

    /// Notes that a wait for this turn was of no use.
    func noteVainWait(at now: SchedulerInstant) {
        files.vainTurns.withLock { turns in
            if turns.count >= 1_000 { turns = turns.filter { now < $0.value } }
            if turns.count >= 1_000 { turns = [:] }
            turns[name] = now.advanced(by: .seconds(60))
        }
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
    /// Asks the origin in the request's turn, unless another process's answer is in the folder by then.
    ///
    /// - Parameters:
    ///   - start: When the wait began; nil if it hasn't.
    ///   - pause: The time until the next look.
    func answer(
        _ presented: PresentedRequest, by decision: CacheRules.Decision, in turn: CacheTurn,
        waitingSince start: SchedulerInstant? = nil, pause: Duration = .milliseconds(1)
    ) -> Future<HTTPResponse> {
        let now = cache.scheduler.now
        switch turn.take() {
        case .unknown: return answer(presented, by: decision)
        case .own(let place):
            // The last turn may have ended after the look at the folder.
            return find(presented) { entries in
                let decision = cache.rules.decide(presented, entries, at: cache.moment())
                if start != nil, decision.asksOrigin { turn.noteVainWait(at: now) }
                return answer(presented, by: decision)
            }
            .onEnd { _ in turn.end(place) }
        case .others:
            let start = start ?? now
            guard start.duration(to: now) < cache.storeTimeLimit else {
                turn.noteVainWait(at: now)
                return answer(presented, by: decision)
            }
            let caller = KeptCaller()
            return Future<Void>(value: ()).delay(pause, on: cache.scheduler).flatMap {
                caller.run {
                    find(presented) { entries in
                        let decision = cache.rules.decide(presented, entries, at: cache.moment())
                        guard decision.asksOrigin else { return answer(presented, by: decision) }
                        return answer(
                            presented, by: decision, in: turn, waitingSince: start,
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
