import PledgeFutures

/// A retry budget's bucket in a store.
final class SharedBalance: Sendable {
    /// The deposits that the store doesn't know yet.
    private struct Deposits {
        var pending: TokenBucket
        var isSending = false
        /// Until this instant, the bucket counts as full, and deposits are lost.
        var full: SchedulerInstant?
    }

    private let state: SharedState
    private let name: String?
    private let key: String
    private let capacity: Double
    private let deposits: Locked<Deposits>
    /// The last known number of tokens; while the store fails, this process's own.
    private let known: Locked<TokenBucket>

    init(
        _ state: SharedState, _ name: String?, _ capacity: Int, _ pending: TokenBucket,
        _ known: Locked<TokenBucket>
    ) {
        self.state = state
        self.name = name
        self.capacity = Double(capacity)
        self.known = known
        key = state.key + ":retry"
        deposits = Locked(Deposits(pending: pending))
    }

    /// Asks the store for a retry.
    ///
    /// - Returns: A future that doesn't reject: false if there is no retry left, if the store has failed and the budget
    ///   is closed, or if the call's deadline has passed.
    func withdraw(in context: CallContext) -> Future<Bool> {
        state.ask(for: asker(context)) { $0.take(self.request(1)) }.map { grant in
            guard let grant else { return self.known.withLock { $0.take() } }
            self.note(grant.level)
            return grant.isGranted
        }
        .recover { _ in false }
    }

    /// True while the store fails and the budget is closed.
    var isRefusing: Bool { state.isRefusing }

    /// Adds a share of a retry, and sends all whole retries unless others are on their way.
    func deposit() {
        let now = state.scheduler.now
        let count = deposits.withLock { deposits in
            if let full = deposits.full, now < full { return 0 }
            deposits.pending.add()
            guard !deposits.isSending, deposits.pending.balance > 0 else { return 0 }
            deposits.isSending = true
            return deposits.pending.takeAll()
        }
        if count > 0 { change(by: count, isDeposit: true) }
    }

    /// Puts retries in or takes them out, in the background.
    func change(by count: Int) { change(by: count, isDeposit: false) }

    /// Fills the bucket, in the background.
    func fill() { change(by: Int(capacity) * 2, isDeposit: false) }

    private func change(by count: Int, isDeposit: Bool) {
        state.tell(for: asker(.current)) {
            $0.take(self.request(-Double(count), overdraft: self.capacity))
        } then: { grant in
            if isDeposit { self.deposits.withLock { $0.isSending = false } }
            if let grant { self.note(grant.level) }
        }
    }

    private func note(_ level: Double) {
        known.withLock { $0.set(level) }
        let end = state.scheduler.now.advanced(by: .seconds(1))
        deposits.withLock { $0.full = level >= capacity ? end : nil }
    }

    private func request(_ tokens: Double, overdraft: Double = 0) -> BucketRequest {
        BucketRequest(
            tokens, from: key, capacity: capacity, tokensPerSecond: 0, overdraft: overdraft,
            lifetime: .seconds(86_400))
    }

    private func asker(_ context: CallContext) -> SharedState.Asker {
        SharedState.Asker(policy: RetryBudget.policy, name: name, context: context)
    }
}
