import PledgeFutures

extension Middleware {
    /// Puts a separate middleware around the calls of each key: a breaker for each host, a bulkhead for each
    /// tenant.
    ///
    /// ```swift
    /// let send = stack(
    ///     .keyed(by: \.origin) { origin in .circuitBreaker(named: origin?.description) },
    ///     over: transport.send)
    /// ```
    ///
    /// A key's middleware is made by its first call, and keeps its state for the next. There are at
    /// most `limit` keys. A further key replaces the least recently used key without calls in
    /// flight whose middleware is idle. Idle are a breaker that would let a call pass and counts no failure, a
    /// rate limiter through which a whole burst may pass, and all other policies, whose budgets and answers are
    /// then discarded. A new key asks the eight that have been unused for longest, and the next new key the eight after
    /// them. If none of them can be replaced, the call continues without a middleware, and
    /// ``PolicyEvent/Kind/bypassed`` reports it.
    ///
    /// Each service that this is put around has its own keys. A key without calls in flight holds no timer. A call
    /// takes a lock for constant time when it begins and when it ends, in which its key is hashed and compared.
    ///
    /// - Parameters:
    ///   - key: Returns the key of a call. Called once a call, on the caller's thread. A key that is not
    ///     equal to itself, such as a NaN, is treated as a key without room.
    ///   - limit: How many keys there are at most. Less than one is a programming error and traps.
    ///   - name: The name in its own events; nil for none. It must hold no secrets.
    ///   - makeMiddleware: Makes the middleware of a key. Called on the thread of a caller, while no lock is
    ///     held. If several threads make the middleware of a key at the same time, one of these is kept.
    public static func keyed<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, limit: Int = 1_000, named name: String? = nil,
        _ makeMiddleware: @escaping @Sendable (Key) -> Middleware
    ) -> Middleware {
        precondition(limit >= 1, "each needs a limit of at least 1, not \(limit)")
        return Middleware(named: "each") { service in
            let each = Each(limit: limit, name: name, makeMiddleware, over: service)
            return { input in each.call(key(input), input) }
        }
    }
}

/// The services of all keys.
final class Each<Key: Hashable & Sendable, Input: Sendable, Output: Sendable>: Sendable {
    /// A key's middleware, around the service.
    private final class KeyedService: Sendable {
        let service: Service<Input, Output>
        let isIdle: @Sendable () -> Bool

        init(
            _ middleware: Middleware<Input, Output>,
            around service: @escaping Service<Input, Output>
        ) {
            self.service = middleware(service)
            isIdle = middleware.isIdle
        }
    }

    private let name: String?
    private let makeMiddleware: @Sendable (Key) -> Middleware<Input, Output>
    private let service: Service<Input, Output>
    /// Its types are known here, so that no operation looks up a generic type at run time; all values are
    /// `KeyedService`.
    private let table: Locked<KeyTable<AnyHashable, AnyObject>>

    init(
        limit: Int, name: String?,
        _ makeMiddleware: @escaping @Sendable (Key) -> Middleware<Input, Output>,
        over service: @escaping Service<Input, Output>
    ) {
        self.name = name
        self.makeMiddleware = makeMiddleware
        self.service = service
        table = Locked(KeyTable(limit: limit))
    }

    func call(_ key: Key, _ input: Input) -> Future<Output> {
        guard key == key, let (slot, keyed) = enter(key) else {
            CallContext.current.report(.bypassed, by: eachPolicy, named: name)
            return service(input)
        }
        let future = keyed.service(input)
        if future.isSettled {
            leave(slot)
            return future
        }
        return future.onEnd { _ in self.leave(slot) }
    }

    /// - Returns: Nil if there is no room.
    private func enter(_ key: Key) -> (slot: Int, KeyedService)? {
        let known = AnyHashable(key)
        if let (slot, keyed) = table.withLock({ $0.enter(known) }) {
            return (slot, self.keyed(keyed))
        }
        guard makeRoom() else { return nil }
        let made = KeyedService(makeMiddleware(key), around: service)
        // Another thread may have been first with the key, or may have taken the last room. The new object is
        // then released outside the lock.
        return withExtendedLifetime(made) {
            table.withLock { $0.enter(known, adding: made) }.map { ($0, self.keyed($1)) }
        }
    }

    private func keyed(_ value: AnyObject) -> KeyedService {
        unsafeDowncast(value, to: KeyedService.self)
    }

    private func leave(_ slot: Int) { table.withLock { $0.leave(slot) } }

    /// Removes the least recently used idle key, if the table is full.
    ///
    /// Few are asked, so that a new key takes constant time however many breakers are open.
    private func makeRoom() -> Bool {
        var untried = table.withLock { min($0.idleCount, 8) }
        while table.withLock({ $0.isFull }) {
            guard untried > 0, let oldest = table.withLock({ $0.oldest }) else { return false }
            untried -= 1
            if keyed(oldest.value).isIdle() {
                table.withLockThenRelease { $0.remove(oldest) }
            } else {
                table.withLock { $0.postpone(oldest) }
            }
        }
        return true
    }
}

private let eachPolicy = "each"
