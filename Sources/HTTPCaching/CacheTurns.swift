import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeServices

/// Turns to ask the origin, for processes that share a store and miss the same response at once.
///
/// The first process takes the store's lock until its answer is stored, or until it dies. The others wait, and then
/// find the answer. Nobody waits longer than the cache's `storeTimeLimit`, or than a quarter of its call's time.
///
/// After a wait in vain, the process doesn't wait for that answer again for a minute: perhaps it can't be stored. The
/// same is true after the process has removed the response itself, because the other process may have asked before
/// that.
package struct CacheTurns: Sendable {
    /// Names whose turn was waited for in vain, and when calls may wait for it again.
    private var vain: [String: SchedulerInstant] = [:]
    /// Keys whose responses this process has removed, and when calls may wait for them again.
    private var removed: [CacheKey: SchedulerInstant] = [:]
    /// When calls may wait again; nil for now.
    private var pause: SchedulerInstant?
    private var held: [String: Held] = [:]
    /// How often the store has said whether a lock is free.
    private(set) var answers = 0

    package init() {}

    private struct Held: Sendable { weak var turn: CacheTurn? }

    private static let pause = Duration.seconds(60)
    private static let capacity = 1_000

    /// Returns whether calls wait for a turn now.
    func areOfUse(for name: String, of key: CacheKey, at now: SchedulerInstant) -> Bool {
        [pause, vain[name], removed[key]].allSatisfy { $0.map { now >= $0 } ?? true }
    }

    mutating func noteVainWait(for name: String, at now: SchedulerInstant) {
        Self.add(name, to: &vain, at: now)
    }

    mutating func noteRemoval(of key: CacheKey, at now: SchedulerInstant) {
        Self.add(key, to: &removed, at: now)
    }

    /// Makes nobody wait for a while: this process has removed many responses, or the locks fail.
    mutating func pauseAll(at now: SchedulerInstant) { pause = now.advanced(by: Self.pause) }

    /// Counts that the store has said whether a lock is free.
    mutating func noteAnswer() { answers += 1 }

    /// The turn that this process has, if it has one.
    func turn(of name: String) -> CacheTurn? { held[name]?.turn }

    mutating func keep(_ turn: CacheTurn, for name: String) {
        if held.count >= Self.capacity { held = held.filter { $0.value.turn != nil } }
        held[name] = Held(turn: turn)
    }

    private static func add<Name>(
        _ name: Name, to times: inout [Name: SchedulerInstant], at now: SchedulerInstant
    ) {
        if times.count >= capacity { times = times.filter { now < $0.value } }
        if times.count >= capacity { times = [:] }
        times[name] = now.advanced(by: pause)
    }
}

/// A turn to ask the origin, shared by this process's calls; it ends with the last of them.
final class CacheTurn: Sendable {
    private let lock: any AnyObject & Sendable
    let hasWaited: Bool

    init(_ lock: any AnyObject & Sendable, hasWaited: Bool) {
        (self.lock, self.hasWaited) = (lock, hasWaited)
    }

    /// False if the store has no locks.
    var isReal: Bool { !(lock is NoLock) }
}

extension HTTPCache {
    /// The name of the lock for a request.
    ///
    /// - Returns: Nil if no other process could use the answer, or if the store is this process's own or failing.
    func lockName(for presented: PresentedRequest) -> String? {
        guard coalescesMisses, presented.mayCollapse, !(store is MemoryCacheStore), !isFailing,
            let users = presented.partition.names
        else { return nil }
        let parts = [presented.key.host ?? "", presented.key.url] + users
        let text = parts.joined(separator: "\n")
        let hash = SHA512_256.hash((rules.partitionKey ?? []) + Array(text.utf8))
        let name = Array(hash.prefix(16)).hexadecimal
        let isOfUse = turns.withLock {
            $0.areOfUse(for: name, of: presented.key, at: scheduler.now)
        }
        return isOfUse ? name : nil
    }

    /// Waits for a turn; equal waits share one.
    ///
    /// - Returns: Nil if another process kept it until the time limit, or if the lock failed.
    func takeTurn(
        _ name: String, waitingSince start: SchedulerInstant? = nil,
        pause: Duration = .milliseconds(1)
    ) -> Future<CacheTurn?> {
        if let turn = turns.withLock({ $0.turn(of: name) }) { return Future(value: turn) }
        return store.lockForRequest(name)
            .flatMapResult { result in
                self.turns.withLock { $0.noteAnswer() }
                let now = self.scheduler.now
                switch result {
                case .failure:
                    self.turns.withLock { $0.pauseAll(at: now) }
                    return Future(value: nil)
                case .success(let lock?):
                    let turn = CacheTurn(lock, hasWaited: start != nil)
                    if turn.isReal { self.turns.withLock { $0.keep(turn, for: name) } }
                    return Future(value: turn)
                case .success(nil):
                    let start = start ?? now
                    guard start.duration(to: now) < self.storeTimeLimit else {
                        return Future(value: nil)
                    }
                    return Future<Void>(value: ()).delay(pause, on: self.scheduler).flatMap {
                        self.takeTurn(
                            name, waitingSince: start, pause: min(pause * 2, .milliseconds(16)))
                    }
                }
            }
    }
}

extension CachePartition {
    /// Texts that stand for the users in all processes with the key; nil if only this process knows one of them.
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
    /// Asks the origin when it's this process's turn, unless another process's answer is stored by then.
    ///
    /// - Parameter name: The name of the store's lock.
    func answer(
        _ presented: PresentedRequest, by decision: CacheRules.Decision, inTurn name: String
    ) -> Future<HTTPResponse> {
        whenSettled(turn(name)) { result in
            guard case .success(let turn?) = result else {
                cache.turns.withLock { $0.noteVainWait(for: name, at: cache.scheduler.now) }
                return answer(presented, by: decision)
            }
            guard turn.isReal else { return answer(presented, by: decision) }
            let held = Locked<CacheTurn?>(turn)
            // The other process's turn may have ended after the store was read.
            return find(presented) { entries in
                let decision = cache.rules.decide(presented, entries, at: cache.moment())
                if turn.hasWaited, decision.asksOrigin {
                    cache.turns.withLock { $0.noteVainWait(for: name, at: cache.scheduler.now) }
                }
                return answer(presented, by: decision)
            }
            .onEnd { _ in held.withLockThenRelease { $0 = nil } }
        }
    }

    /// Waits for a turn, at most a quarter of the time that the call has left, and at most `storeTimeLimit`.
    private func turn(_ name: String) -> Future<CacheTurn?> {
        let turn = takeTurn(name)
        if turn.isSettled { return turn }
        let answers = cache.turns.withLock { $0.answers }
        let limit = min(
            cache.storeTimeLimit, CallContext.current.remaining.map { $0 / 4 } ?? .seconds(3_600))
        let (name, cache) = (cache.name, cache)
        return turn.timeout(limit, on: cache.scheduler) {
            let now = cache.scheduler.now
            cache.turns.withLock { if $0.answers == answers { $0.pauseAll(at: now) } }
            return ServiceError(.timedOut, policy: Self.policy, policyName: name, limit: limit)
        }
    }

    /// Validates a stale response that was returned, unless another process does.
    func revalidateInTurn(
        _ presented: PresentedRequest, _ validate: @escaping @Sendable () -> Future<ForwardedAnswer>
    ) -> Future<ForwardedAnswer> {
        guard let name = cache.lockName(for: presented) else { return validate() }
        let lock = cache.store.lockForRequest(name).timeout(
            cache.storeTimeLimit, on: cache.scheduler)
        return lock.flatMapResult { result in
            if case .success(nil) = result { return Future(error: CancellationError()) }
            let held = Locked<(any AnyObject & Sendable)?>((try? result.get()) ?? nil)
            return validate().onEnd { _ in held.withLockThenRelease { $0 = nil } }
        }
    }
}

extension CacheRules.Decision {
    var asksOrigin: Bool {
        switch self {
        case .validate, .choose, .forward: true
        case .serve, .unavailable: false
        }
    }
}
