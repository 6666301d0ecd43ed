import PledgeFutures

extension Middleware {
    /// Gives each key its own middleware: each host a breaker, or each tenant a bulkhead.
    ///
    /// ```swift
    /// let send = stack(
    ///     .keyed(by: \.origin) { origin in .circuitBreaker(sharing: CircuitBreaker(named: origin?.description)) },
    ///     over: transport.send)
    /// ```
    ///
    /// The first call with a key creates that key's middleware, which keeps its state for later calls. There are at
    /// most `limit` keys. A further key replaces the least recently used key that has no calls in flight and whose
    /// middleware is idle. A middleware isn't idle while it may have to hold back calls. Examples are a breaker that
    /// has counted a failure or lets no call pass, and a rate limiter that wouldn't let a whole burst pass. Budgets and
    /// memos are always idle, so their contents are lost when their key is replaced.
    ///
    /// For a new key, the eight least recently used keys are checked, and for the next new key, the next eight. If none
    /// of the eight can be replaced, the call fails with ``ServiceError/Code/keysFull``. So a limit for each key holds
    /// even if there are more keys than room.
    ///
    /// Each service that this wraps has its own keys. A key without calls in flight holds no timer. A call takes a lock
    /// for constant time when it starts and when it ends, and its key is hashed and compared under this lock.
    ///
    /// - Parameters:
    ///   - key: Returns a call's key. Called once per call, on the caller's thread. For a key that isn't equal to
    ///     itself, such as a NaN, there is never room.
    ///   - limit: The maximum number of keys. Less than one is a programming error and traps.
    ///   - name: The name in this policy's own events and errors; nil for none. It must hold no secrets.
    ///   - failsOpen: True if a call continues without a middleware when there is no room for its key. In that case,
    ///     ``PolicyEvent/Kind/bypassed`` reports it.
    ///   - makeMiddleware: Creates a key's middleware. Called on a caller's thread, while no lock is held. If several
    ///     threads create the middleware for the same key at once, one of them is kept.
    public static func keyed<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, limit: Int = 1_000, named name: String? = nil,
        failsOpen: Bool = false, _ makeMiddleware: @escaping @Sendable (Key) -> Middleware
    ) -> Middleware {
        precondition(limit >= 1, "keyed needs a limit of at least 1, not \(limit)")
        return Middleware(named: keyedPolicy) { service in
            let services = KeyedServices(
                limit: limit, name: name, failsOpen: failsOpen, makeMiddleware, over: service)
            return { input in services.call(key(input), input) }
        }
    }
}

/// The table of keys with their middleware, and the service that the middleware wraps.
final class KeyedServices<Key: Hashable & Sendable, Input: Sendable, Output: Sendable>: Sendable {
    /// A key's middleware, around the service.
    private final class KeyedService: Sendable {
        let service: Service<Input, Output>
        let isIdle: @Sendable () -> Bool

        init(
            _ middleware: Middleware<Input, Output>,
            around service: @escaping Service<Input, Output>
        ) {
            self.service = middleware.wrap(service)
            isIdle = middleware.isIdle
        }
    }

    private let name: String?
    private let failsOpen: Bool
    private let makeMiddleware: @Sendable (Key) -> Middleware<Input, Output>
    private let service: Service<Input, Output>
    /// The keys and their `KeyedService`s.
    ///
    /// The table's types don't depend on generic parameters, so no operation looks up a type at run time.
    private let table: Locked<KeyTable<AnyHashable, AnyObject>>

    init(
        limit: Int, name: String?, failsOpen: Bool,
        _ makeMiddleware: @escaping @Sendable (Key) -> Middleware<Input, Output>,
        over service: @escaping Service<Input, Output>
    ) {
        self.name = name
        self.failsOpen = failsOpen
        self.makeMiddleware = makeMiddleware
        self.service = service
        table = Locked(KeyTable(limit: limit))
    }

    func call(_ key: Key, _ input: Input) -> Future<Output> {
        guard key == key, let (slot, keyed) = useService(for: key) else {
            return callWithoutRoom(input)
        }
        let future = keyed.service(input)
        if future.isSettled {
            leave(slot)
            return future
        }
        return future.onEnd { _ in self.leave(slot) }
    }

    private func callWithoutRoom(_ input: Input) -> Future<Output> {
        let context = CallContext.current
        if failsOpen {
            context.report(.bypassed, by: keyedPolicy, named: name)
            return service(input)
        }
        return context.refuse(
            with: ServiceError(
                .keysFull, policy: keyedPolicy, policyName: name, subject: loggedName(of: input)))
    }

    /// - Returns: Nil if there is no room.
    private func useService(for key: Key) -> (slot: Int, KeyedService)? {
        let known = AnyHashable(key)
        if let (slot, keyed) = table.withLock({ $0.addUser(of: known) }) {
            return (slot, self.keyed(keyed))
        }
        guard makeRoom() else { return nil }
        let made = KeyedService(makeMiddleware(key), around: service)
        // If another thread has entered the key first, the table doesn't keep the new object. Then the object is
        // released only after unlocking.
        return withExtendedLifetime(made) {
            // If another key has taken the room first, there may be more.
            for _ in 0..<8 {
                if let (slot, keyed) = table.withLock({ $0.addUser(of: known, adding: made) }) {
                    return (slot, self.keyed(keyed))
                }
                if !makeRoom() { return nil }
            }
            return nil
        }
    }

    private func keyed(_ value: AnyObject) -> KeyedService {
        unsafeDowncast(value, to: KeyedService.self)
    }

    private func leave(_ slot: Int) { table.withLock { $0.leave(slot) } }

    /// Removes the least recently used idle key, if the table is full.
    ///
    /// It checks only a few keys, so a new key takes constant time, however many breakers are open.
    private func makeRoom() -> Bool {
        var (tries, postponed) = (8, 0)
        while table.withLock({ $0.isFull }) {
            let oldest = table.withLock { $0.idleCount > postponed ? $0.oldest : nil }
            guard tries > 0, let oldest else { return false }
            tries -= 1
            if keyed(oldest.value).isIdle() {
                table.withLockThenRelease { $0.remove(oldest) }
            } else {
                table.withLock { $0.postpone(oldest) }
                postponed += 1
            }
        }
        return true
    }
}

private let keyedPolicy = "keyed"

/// A bounded number of values by key, with the number of users of each key.
///
/// At first, a key is unknown. It is in use from the moment its first user enters until its last user leaves. Then it
/// is unused, until a user enters again, or until it is removed and unknown again.
///
/// The table never releases stored objects, because that could run their own code under the lock. It returns them, and
/// they are released after unlocking.
struct KeyTable<Key: Hashable, Value> {
    struct Unused {
        let value: Value
        fileprivate let slot: Int
        /// The number of the entry's last use.
        fileprivate let use: Int
    }

    private struct Entry {
        let value: Value
        var users = 1
        /// A number that rises when the entry becomes unused or is postponed.
        var use = 0
    }

    private let limit: Int
    /// The entries by key; entries in use are held, so they aren't in the order of last use.
    private var entries = LRUTable<Key, Entry>()
    private var lastUse = 0

    /// The number of unused keys.
    private(set) var idleCount = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.count }

    var isFull: Bool { entries.count >= limit }

    /// The key that has been unused for the longest time; nil if all are in use.
    var oldest: Unused? {
        guard let slot = entries.oldest, let entry = entries[slot]?.value else { return nil }
        return Unused(value: entry.value, slot: slot, use: entry.use)
    }

    /// Enters a user of a known key.
    ///
    /// - Returns: The slot, to be passed to ``leave(_:)``, and the value; nil if the key is unknown.
    mutating func addUser(of key: Key) -> (slot: Int, Value)? {
        guard let slot = entries.slot(of: key), let entry = entries[slot]?.value else { return nil }
        if entry.users == 0 { hold(slot) }
        entries.update(slot) { $0.users += 1 }
        return (slot, entry.value)
    }

    /// Enters a user of a key that may be unknown.
    ///
    /// - Returns: Nil if there is no room for a new key.
    mutating func addUser(of key: Key, adding value: Value) -> (slot: Int, Value)? {
        if let entered = addUser(of: key) { return entered }
        if isFull { return nil }
        return (entries.insert(key, Entry(value: value), isHeld: true), value)
    }

    /// Leaves a slot; must be called once for each user that has entered.
    mutating func leave(_ slot: Int) {
        guard let users = entries[slot]?.value.users else { return }
        entries.update(slot) { $0.users -= 1 }
        if users == 1 { release(slot) }
    }

    /// Removes a key, unless it was used after it was returned as ``oldest``.
    ///
    /// - Returns: The removed objects.
    mutating func remove(_ key: Unused) -> (Key, Value)? {
        guard isCurrent(key), let (known, entry) = entries.remove(key.slot) else { return nil }
        idleCount -= 1
        return (known, entry.value)
    }

    /// Counts a key as used now, unless it was used after it was returned as ``oldest``.
    mutating func postpone(_ key: Unused) {
        guard isCurrent(key) else { return }
        hold(key.slot)
        release(key.slot)
    }

    private func isCurrent(_ key: Unused) -> Bool {
        guard let entry = entries[key.slot]?.value else { return false }
        return entry.use == key.use && entry.users == 0
    }

    private mutating func release(_ slot: Int) {
        lastUse += 1
        let use = lastUse
        entries.update(slot) { $0.use = use }
        entries.release(slot)
        idleCount += 1
    }

    private mutating func hold(_ slot: Int) {
        entries.hold(slot)
        idleCount -= 1
    }
}
