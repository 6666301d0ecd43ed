public import PledgeFutures

extension Middleware where Input: Hashable {
    /// Keeps answers in a memo, with the inputs as keys.
    ///
    /// This is ``memoize(by:sharing:classifier:)`` with the input itself as the key.
    ///
    /// - Parameters:
    ///   - memo: The memo that holds the answers.
    ///   - classifier: Decides which values are kept as answers.
    public static func memoize(
        sharing memo: Memo<Input, Output>, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .memoize(by: { $0 }, sharing: memo, classifier: classifier)
    }
}

extension Middleware {
    /// Keeps answers in a memo, by key.
    ///
    /// ```swift
    /// let load = stack(
    ///     .memoize(by: \.id, sharing: Memo(timeToLive: .seconds(60))), .coalesce(by: \.id),
    ///     over: loadProduct)
    /// ```
    ///
    /// If there is an answer, it is returned at once, on the caller's thread. Otherwise the service is called, in the
    /// caller's context. If the classifier calls the result a success, the result is kept from its arrival on. Failures
    /// aren't kept. If several calls with one key find no answer at the same time, each calls the service; put
    /// ``coalesce(by:sharing:)`` below to let them share a call. If several calls bring an answer, the
    /// one from the call that started last is kept. An HTTP response is kept without its Set-Cookie, which is for the
    /// first caller only. The response isn't used any more once its user has signed out.
    ///
    /// In stacks that share a memo, equal keys must have the same meaning.
    ///
    /// - Parameters:
    ///   - key: Returns an input's key, which must include everything that the answer depends on, such as the user.
    ///     Called once per call, on the caller's thread. If a key isn't equal to itself, such as a NaN, the service is
    ///     called and no answer is kept.
    ///   - memo: The memo that holds the answers.
    ///   - classifier: Decides which values are kept as answers.
    public static func memoize<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, sharing memo: Memo<Key, Output>,
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: "memoize") { service in
            { input in memo.call(key(input), service, input, classifier) }
        }
    }
}

/// A store for the answers of ``Middleware/memoize(by:sharing:classifier:)``.
///
/// ```swift
/// let products = Memo<Product.ID, Product>(timeToLive: .seconds(60), limit: 500)
/// let load = stack(.memoize(by: \.id, sharing: products), .coalesce(by: \.id), over: loadProduct)
///
/// products.invalidate(7)
/// ```
///
/// An answer's time to live begins at its arrival, and the answer has expired exactly when that time is over. Time also
/// counts while the device sleeps (`FutureScheduler.continuousNow`). When the memo is full, a new answer replaces
/// expired answers first, and then the least recently used one. Expired answers are freed at the next use of the memo.
///
/// You can use it from any thread. Each use takes a lock for amortised constant time, and keys are hashed and compared
/// under this lock.
public final class Memo<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// Discards one answer.
    ///
    /// Calls in flight for this key continue, but their answers aren't kept, because they may be outdated. Later
    /// callers don't share these calls either, in a ``Coalescer`` below or above.
    public func invalidate(_ key: Key) {
        machine.withLockThenRelease { $0.invalidate(key, in: .begin()) }
    }

    /// Discards all answers.
    ///
    /// The answers of calls in flight aren't kept, and later callers don't share these calls.
    public func invalidateAll() {
        machine.withLockThenRelease { $0.invalidateAll(in: .begin()) }
    }

    /// The number of answers that haven't expired.
    package var count: Int {
        let now = scheduler.continuousNow
        return machine.withLockThenReleaseRest { $0.count(at: now) }
    }

    /// Creates a memo without answers.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - timeToLive: The time to keep an answer. Zero or less is a programming error and traps.
    ///   - limit: The maximum number of answers. Less than one is a programming error and traps.
    ///   - scheduler: The clock.
    public init(
        named name: String? = nil, timeToLive: Duration, limit: Int = 100,
        on scheduler: some FutureScheduler = .live
    ) {
        precondition(
            timeToLive > .zero, "memoize needs a timeToLive of more than zero, not \(timeToLive)")
        precondition(limit >= 1, "memoize needs a limit of at least 1, not \(limit)")
        machine = Locked(MemoMachine(timeToLive: timeToLive, limit: limit))
        self.name = name
        self.scheduler = scheduler
        JoinedCall.expectMemos()
    }

    private let machine: Locked<MemoMachine<Key, Future<Output>>>
    /// True if answers may be for one user only.
    ///
    /// It is stored, because finding out takes a lookup at run time.
    private let hasOwnParts = Output.self is any UserBound.Type
    private let scheduler: any FutureScheduler
}

extension Memo {
    private static var policy: String { "memoize" }

    func call<Input: Sendable>(
        _ key: Key, _ service: Service<Input, Output>, _ input: Input,
        _ classifier: Classifier<Output>
    ) -> Future<Output> {
        // A key that isn't equal to itself, such as a NaN, would not be found again.
        guard key == key else { return service(input) }
        let context = CallContext.current
        if let call = context.joinedCall { watch(key, for: call) }
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
                endCall(call, key, result, classifier)
                return future
            }
            return future.onEnd { result in self.endCall(call, key, result, classifier) }
        }
    }

    /// Makes a joined call's answer depend on this memo's answer for a key.
    ///
    /// If the key is invalidated from now on, the joined call's answer is outdated.
    private func watch(_ key: Key, for call: JoinedCall) {
        let era = Era.current
        call.add { self.machine.withLock { $0.lastInvalidation(of: key) } > era }
    }

    private func endCall(
        _ call: Int, _ key: Key, _ result: Result<Output, any Error>,
        _ classifier: Classifier<Output>
    ) {
        // The answer is kept as a settled future, so a hit allocates nothing, and cancelling the future has no effect.
        let value: Future<Output>? =
            if case .success = result, classifier(result).isSuccess {
                Future(result: result.forOthers)
            } else {
                nil
            }
        let now = scheduler.continuousNow
        machine.withLockThenRelease { $0.endCall(call, key, value, at: now) }
    }
}

/// The kept answers, and the calls that may add to them.
///
/// At first, a key has no answer. When a call for the key succeeds, its answer is kept. Later the answer is replaced,
/// or it is removed because it expires, is invalidated or is evicted.
///
/// The machine never releases stored objects, because that could run their own code under the lock. It returns them,
/// and they are released after unlocking.
struct MemoMachine<Key: Hashable, Value> {
    /// One answer.
    struct Entry {
        let key: Key
        let value: Value
        /// The number of the call that brought the answer.
        let call: Int
        let since: SchedulerInstant
    }

    /// The result of a lookup.
    enum Answer {
        case hit(Value)
        /// The code that looked the key up must call the service, and report the end with this number. The answer must
        /// not come from a call that began before the era `since`.
        case miss(call: Int, since: Era)
    }

    private let timeToLive: Duration
    private let limit: Int

    private var entries = LRUTable<Key, Entry>()
    /// The slots, in the order of their expiry.
    private var ages = SlotOrder()

    private var calls = CallValidity<Key>()
    private var invalidations: Invalidations<Key>
    /// The latest instant of all operations so far.
    private var latest: SchedulerInstant?

    init(timeToLive: Duration, limit: Int) {
        self.timeToLive = timeToLive
        self.limit = limit
        invalidations = Invalidations(limit: max(limit, 100))
    }

    /// Returns the number of answers that haven't expired.
    mutating func count(at instant: SchedulerInstant) -> (Int, removed: [Entry]) {
        let removed = expire(at: instant)
        return (entries.count, removed)
    }

    /// Looks up an answer, or starts a call for it.
    mutating func look(
        up key: Key, at instant: SchedulerInstant
    ) -> (answer: Answer, removed: [Entry]) {
        let removed = expire(at: instant)
        if let slot = entries.slot(of: key), let entry = entries[slot]?.value {
            entries.use(slot)
            return (.hit(entry.value), removed)
        }
        return (.miss(call: calls.start(key), since: lastInvalidation(of: key)), removed)
    }

    /// Returns the era of a key's last invalidation.
    func lastInvalidation(of key: Key) -> Era { invalidations.last(of: key) }

    /// Ends a call, and keeps its value if it has one.
    ///
    /// The value isn't kept if the key was invalidated after the call began, or if there is an answer from a later
    /// call.
    ///
    /// - Returns: The removed objects, and the key as it was stored.
    mutating func endCall(
        _ call: Int, _ key: Key, _ value: Value?, at instant: SchedulerInstant
    ) -> (removed: [Entry], key: Key?) {
        var removed = expire(at: instant)
        let isValid = calls.isValid(call, key)
        let known = calls.endCall(key)
        guard isValid, let value else { return (removed, known) }
        if let slot = entries.slot(of: key), let entry = entries[slot]?.value {
            if entry.call > call { return (removed, known) }
            removeEntry(in: slot, into: &removed)
        } else if entries.count == limit, let slot = entries.oldest {
            removeEntry(in: slot, into: &removed)
        }
        let entry = Entry(key: key, value: value, call: call, since: latest ?? instant)
        ages.append(entries.insert(key, entry))
        return (removed, known)
    }

    /// Discards a key's answer; the answers of the key's calls in flight won't be kept either.
    ///
    /// - Returns: The removed objects, and the key whose invalidation was forgotten to make room, if any.
    mutating func invalidate(_ key: Key, in era: Era) -> (removed: Entry?, key: Key?) {
        calls.invalidate(key)
        let forgotten = invalidations.invalidate(key, in: era)
        var removed: [Entry] = []
        if let slot = entries.slot(of: key) { removeEntry(in: slot, into: &removed) }
        return (removed.first, forgotten)
    }

    /// Discards all answers; the answers of calls in flight won't be kept either.
    ///
    /// - Returns: The removed objects, and the keys whose invalidations were stored.
    mutating func invalidateAll(in era: Era) -> (removed: [Entry], keys: LRUTable<Key, Era>) {
        calls.invalidateAll()
        let forgotten = invalidations.invalidateAll(in: era)
        var removed: [Entry] = []
        while let slot = ages.first { removeEntry(in: slot, into: &removed) }
        return (removed, forgotten)
    }

    /// Removes expired answers, in amortised constant time.
    ///
    /// All answers have the same time to live, so they expire in the order they were stored. A late thread may call
    /// this with an instant before the latest one. Then the latest instant is used instead.
    private mutating func expire(at instant: SchedulerInstant) -> [Entry] {
        let now = latest.map { max($0, instant) } ?? instant
        latest = now
        var removed: [Entry] = []
        while let slot = ages.first, let entry = entries[slot]?.value,
            entry.since.duration(to: now) >= timeToLive
        {
            removeEntry(in: slot, into: &removed)
        }
        return removed
    }

    /// Empties a slot.
    private mutating func removeEntry(in slot: Int, into removed: inout [Entry]) {
        ages.remove(slot)
        if let entry = entries.remove(slot)?.value { removed.append(entry) }
    }
}
