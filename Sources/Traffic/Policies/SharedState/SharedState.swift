public import PledgeFutures
import PledgeServices

/// The place of a policy's state in a ``PolicyStore``, and what happens when the store fails.
///
/// ```swift
/// let orders = SharedState("orders", in: store, failing: .closed)
/// let limiter = RateLimiter(rate: 100, per: .seconds(60), burst: 20, shared: orders)
/// let budget = RetryBudget(shared: orders)
/// ```
///
/// Every machine creates it with the same key, over a store that all of them reach. A limiter, a budget and a memo may
/// have the same one, because each of the three adds its own word to the key. A second limiter needs a key of its own.
///
/// A store fails if its future rejects, or doesn't settle within `timeLimit`. Then the policy does what ``Failing``
/// says. Until the store works again, one call a second asks it; the others don't wait for it. The first call that
/// finds the failure reports a note to its observers, "the store failed: …".
///
/// You can use it from any thread.
public final class SharedState: Sendable {
    /// What a policy does while its store fails.
    public enum Failing: Sendable {
        /// Continue with the state of this process alone.
        ///
        /// A limiter and a budget then work like local ones with the same settings: n machines let n times the limit
        /// pass. A budget begins with the store's last balance. A memo asks the service.
        case open
        /// Refuse.
        ///
        /// Calls of a limiter or a memo fail with `ServiceError.Code.storeFailed`, whose `ServiceError.cause` is
        /// the store's error. A budget allows no retry and no hedge, so a call keeps its own failure.
        case closed
    }

    /// The key.
    package let key: String

    /// The error of the store's last operation; nil if that succeeded.
    ///
    /// After too long a wait, it is a `ServiceError` with the code `ServiceError.Code.timedOut`.
    public var storeError: (any Error)? { outage.withLock { $0?.error } }

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - key: The key, as it is sent to the store and shown by its tools. It must hold no secrets: for a limit on
    ///     each user, put a hash of the user's token into the key, or better the user's number.
    ///   - store: The store.
    ///   - failing: What happens while the store fails.
    ///   - timeLimit: The longest wait for the store. Zero or less is a programming error and traps. Set it below the
    ///     deadlines of your calls: a call whose deadline passes first doesn't count as a failure of the store.
    ///   - scheduler: The clock for the time limit.
    public init(
        _ key: String, in store: some PolicyStore, failing: Failing = .open,
        timeLimit: Duration = .milliseconds(100), on scheduler: some FutureScheduler = .live
    ) {
        precondition(
            timeLimit > .zero, "shared state needs a timeLimit of more than zero, not \(timeLimit)")
        self.key = key
        self.store = store
        self.failing = failing
        self.timeLimit = timeLimit
        self.scheduler = scheduler
    }

    /// A failure that lasts.
    private struct Outage {
        let error: any Error
        /// The instant at which the next call asks the store.
        var end: SchedulerInstant
    }

    let scheduler: any FutureScheduler
    private let store: any PolicyStore
    private let failing: Failing
    private let timeLimit: Duration
    private let outage = Locked<Outage?>(nil)

    /// The call's deadline has passed while it waited for the store.
    private struct DeadlineOfCall: Error { let error: ServiceError }

    /// True while the store fails and the policy refuses.
    var isRefusing: Bool { failing == .closed && storeError != nil }
}

extension SharedState {
    /// The policy and the call that need the store, as events and errors name them.
    struct Asker: Sendable {
        let policy: String
        let name: String?
        let context: CallContext
        /// The input's name, if the call has one.
        var subject: String?
    }

    /// Asks the store on behalf of a call, until the call's deadline at most.
    ///
    /// - Returns: A future of the store's answer; nil if the store has failed and the policy continues without it. It
    ///   rejects with a `ServiceError` if the policy refuses, or if the deadline has passed.
    func ask<Value: Sendable>(
        for asker: Asker, _ operation: (any PolicyStore) -> Future<Value>
    ) -> Future<Value?> {
        let now = scheduler.now
        if let error = failure(at: now) { return Future(result: answer(to: error, asker)) }
        let future = operation(store)
        if let result = future.result { return Future(result: endRequest(result, asker)) }
        let remaining = asker.context.remaining
        let limit = min(timeLimit, max(.zero, remaining ?? timeLimit))
        return future.timeout(limit, on: scheduler) {
            let isOutOfTime = remaining.map { $0 <= limit } ?? false
            let error = ServiceError(
                isOutOfTime ? .deadlineExceeded : .timedOut, policy: asker.policy,
                policyName: asker.name, limit: limit, subject: asker.subject)
            return isOutOfTime ? DeadlineOfCall(error: error) : error
        }
        .flatMapResult { Future(result: self.endRequest($0, asker)) }
    }

    /// Changes the store in the background; nobody waits for the result.
    func tell<Value: Sendable>(
        for asker: Asker, _ operation: (any PolicyStore) -> Future<Value>,
        then body: @escaping @Sendable (Value?) -> Void = { _ in }
    ) {
        let background = Asker(
            policy: asker.policy, name: asker.name, context: asker.context.with(deadline: nil))
        ask(for: background, operation).observe { body((try? $0.get()) ?? nil) }
    }

    /// Returns the error of the present outage, unless this call is the next to ask the store.
    private func failure(at now: SchedulerInstant) -> (any Error)? {
        outage.withLock { outage in
            guard let known = outage else { return nil }
            if now < known.end { return known.error }
            outage?.end = now.advanced(by: .seconds(1))
            return nil
        }
    }

    /// Notes whether the store has failed, and returns what the policy gets.
    private func endRequest<Value>(
        _ result: Result<Value, any Error>, _ asker: Asker
    ) -> Result<Value?, any Error> {
        switch result {
        case .success(let value):
            let old = outage.withLock { $0.take() }
            return withExtendedLifetime(old) { .success(value) }
        case .failure(let passed as DeadlineOfCall): return .failure(passed.error)
        // The store knows the call's deadline, too; but it may also have one of its own.
        case .failure(let error as ServiceError)
        where error.code == .deadlineExceeded && asker.context.remaining ?? .seconds(1) <= .zero:
            return .failure(error)
        case .failure(let error):
            let end = scheduler.now.advanced(by: .seconds(1))
            let old = outage.withLock { outage in
                defer { outage = Outage(error: error, end: end) }
                return outage
            }
            if old == nil {
                let text = failing == .open ? "going on without it" : "refusing"
                asker.context.report(
                    .note("the store failed: \(text)"), by: asker.policy, named: asker.name)
            }
            return answer(to: error, asker)
        }
    }

    private func answer<Value>(to error: any Error, _ asker: Asker) -> Result<Value?, any Error> {
        if failing == .open { return .success(nil) }
        return .failure(
            ServiceError(
                .storeFailed, policy: asker.policy, policyName: asker.name, cause: error,
                subject: asker.subject))
    }
}
