import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// A turn to ask the origin for a response that several processes with one folder miss at the same time.
///
/// The first one to miss it has the turn until its answer is in the folder, or until it dies. The others wait, and then
/// find that answer. None waits for longer than the cache's `storeTimeLimit`. If a process has waited in vain, its next
/// calls for the response don't wait for a minute: perhaps the response can't be stored.
struct CacheTurn: Sendable {
    private let files: FolderCacheStore
    private let place: Int64

    /// Returns the turn of a request; nil if no other process would have a use for the answer.
    init?(for presented: PresentedRequest, among files: FolderCacheStore, at now: SchedulerInstant)
    {
        guard presented.mayCollapse, let users = presented.partition.names else { return nil }
        let text = ([presented.key.host ?? "", presented.key.url] + users).joined(separator: "\n")
        let hash = SHA512_256.hash(files.key + Array(text.utf8))
        // A file has no place beyond the largest Int64.
        place = Int64(hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } >> 2)
        self.files = files
        if files.vainTurns.withLock({ $0[place].map { now < $0 } ?? false }) { return nil }
    }

    /// Takes the turn.
    ///
    /// - Returns: True if the caller has it; false if another process does; nil if there are no turns.
    func take() -> Bool? { files.take(place) }

    /// Ends the turn, when the changes so far are in their files.
    func end() { files.leave(place) }

    /// Notes that a wait for this turn was of no use.
    func noteVainWait(at now: SchedulerInstant) {
        files.vainTurns.withLock { turns in
            if turns.count >= 1_000 { turns = turns.filter { now < $0.value } }
            if turns.count >= 1_000 { turns = [:] }
            turns[place] = now.advanced(by: .seconds(60))
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
        case nil: return answer(presented, by: decision)
        case true?:
            // The last turn may have ended after the look at the folder.
            return find(presented) { entries in
                let decision = cache.rules.decide(presented, entries, at: cache.moment())
                if start != nil, decision.asksOrigin { turn.noteVainWait(at: now) }
                return answer(presented, by: decision)
            }
            .onEnd { _ in turn.end() }
        case false?:
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
