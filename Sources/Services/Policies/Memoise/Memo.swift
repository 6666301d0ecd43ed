public import PledgeFutures

/// The answers that ``Middleware/memoise(by:sharing:classifier:)`` has kept.
///
/// ```swift
/// let products = Memo<Product.ID, Product>(timeToLive: .seconds(60), limit: 500)
/// let load = stack(.memoise(by: \.id, sharing: products), .coalesce(by: \.id), over: loadProduct)
///
/// products.invalidate(7)
/// ```
///
/// An answer is kept for its time to live from its arrival, to the nanosecond; at its end it has expired. Time
/// counts while the device sleeps (`Scheduler.continuousNow`). At the limit, expired answers are removed
/// first, and then the least recently used one. Expired answers are freed with the next use of any answer. It may be used from any thread; each use takes a lock for amortised
/// constant time, in which keys are hashed and compared.
public final class Memo<Key: Hashable & Sendable, Output: Sendable> {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// Forgets one answer.
    ///
    /// Calls under way for it continue, but their answers are not kept, so that no answer to an earlier call
    /// is stored later. Nor does a later caller share such a call, in a ``Coalescer`` beneath or above.
    public func invalidate(_ key: Key) {
        machine.withLockThenRelease { $0.invalidate(key, in: .begin()) }
    }

    /// Discards all answers, and does not keep those of calls under way, which no later caller shares.
    public func invalidateAll() {
        machine.withLockThenRelease { $0.invalidateAll(in: .begin()) }
    }

    /// How many answers there are.
    public var count: Int {
        let now = scheduler.continuousNow
        return machine.withLockThenReleaseRest { $0.count(at: now) }
    }

    /// Makes a memo without answers.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - timeToLive: How long an answer is kept. Zero or less is a programming error and traps.
    ///   - limit: The largest number. Less than one is a programming error and traps.
    ///   - scheduler: The clock.
    public init(
        named name: String? = nil, timeToLive: Duration, limit: Int = 100,
        on scheduler: some Scheduler = .live
    ) {
        precondition(
            timeToLive > .zero, "memoise needs a timeToLive of more than zero, not \(timeToLive)")
        precondition(limit >= 1, "memoise needs a limit of at least 1, not \(limit)")
        machine = Locked(MemoMachine(timeToLive: timeToLive, limit: limit))
        self.name = name
        self.scheduler = scheduler
        SharedCall.expectMemos()
    }

    private let machine: Locked<MemoMachine<Key, Future<Output>>>
    /// Whether answers may be for a user; stored, since it is looked up at run time.
    private let hasOwnParts = Output.self is any Shareable.Type
    private let scheduler: any Scheduler
}

extension Memo {
    private static var policy: String { "memoise" }

    func call<Input: Sendable>(
        _ key: Key, _ service: Service<Input, Output>, _ input: Input,
        _ classifier: Classifier<Output>
    ) -> Future<Output> {
        // A key that is not equal to itself, such as a NaN, would not be found again.
        guard key == key else { return service(input) }
        let context = CallContext.current
        if let call = context.sharedCall { watch(key, for: call) }
        let now = scheduler.continuousNow
        switch machine.withLockThenReleaseRest({ $0.look(up: key, at: now) }) {
        case .hit(let future):
            if hasOwnParts, future.result?.isOver ?? false {
                invalidate(key)
                return call(key, service, input, classifier)
            }
            context.report(.hit, by: Self.policy, named: name)
            return future
        case .miss(let call, let since):
            context.report(.miss, by: Self.policy, named: name)
            let future = context.with(since: since).call(service, input)
            if let result = future.result {
                end(call, key, result, classifier)
                return future
            }
            return future.onEnd { result in self.end(call, key, result, classifier) }
        }
    }

    /// Lets a shared call know when its answer is invalidated from now on.
    private func watch(_ key: Key, for call: SharedCall) {
        let era = Era.current
        call.add { self.machine.withLock { $0.lastInvalidation(of: key) } > era }
    }

    private func end(
        _ call: Int, _ key: Key, _ result: Result<Output, any Error>,
        _ classifier: Classifier<Output>
    ) {
        // A settled future: a hit allocates nothing, and cancelling the future has no effect.
        let value: Future<Output>? =
            if case .success = result, classifier(result).isSuccess {
                Future(result: result.shared)
            } else {
                nil
            }
        let now = scheduler.continuousNow
        machine.withLockThenRelease { $0.end(call: call, key, value, at: now) }
    }
}

extension Memo: Sendable {}
