import PledgeFutures
public import PledgeServices

extension RetryBudget {
    /// Creates a budget whose bucket is in a store, from which several machines draw.
    ///
    /// A retry asks the store while its backoff's delay passes, and isn't made until the store has answered. A hedge, and
    /// `withdraw()`, don't wait: they decide by `balance`. Deposits and refunds go to the store in the background, in whole
    /// tokens. No deposit is sent for a second after the store has said that the bucket is full.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - capacity: The maximum number of retries, and the first balance; 0…1,000,000.
    ///   - retriesPerSuccess: The share of a retry that each call adds if it succeeds without a retry; 0…1.
    ///   - shared: The place of the bucket; every machine must have the same settings. With nil, this budget has its own
    ///     bucket. If nobody uses the bucket for a day, the store may fill it.
    public convenience init(
        named name: String? = nil, capacity: Int = 10, retriesPerSuccess: Double = 0.2,
        shared: SharedState?
    ) {
        self.init(
            named: name, capacity: capacity, retriesPerSuccess: retriesPerSuccess,
            sharedBy: shared.map { state in
                { @Sendable name, known, pending in
                    SharedBalance(state, name, capacity, pending, known)
                }
            })
    }
}

/// A retry budget's bucket in a store.
final class SharedBalance: SharedRetries {
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
    /// The tokens by the store's last answer; while the store fails, this process's own bucket.
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
        state.ask(for: asker(context)) { $0.takeTokens(self.request(1)) }.map { grant in
            guard let grant else { return self.known.withLock { $0.takeToken() } }
            self.noteLevel(grant.level)
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
            $0.takeTokens(self.request(-Double(count), overdraft: self.capacity))
        } then: { grant in
            if isDeposit { self.deposits.withLock { $0.isSending = false } }
            if let grant { self.noteLevel(grant.level) }
        }
    }

    private func noteLevel(_ level: Double) {
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
