import CPledgeFutures

/// A lock together with the state it guards, so that the one cannot be reached without the other.
///
/// It is the only lock of the package. `Synchronization.Mutex` would do the same with less, but
/// ThreadSanitizer on Linux does not see its hand-over and reports races that are none; a pthread
/// mutex is seen everywhere.
///
/// Invariant: `state` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock`
/// in ``withLock(_:)``, and the mutex has a stable address from `init` to `deinit`.
@usableFromInline
package final class Locked<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The mutex is what keeps accesses apart: no need to check it once more.
    @exclusivity(unchecked) @usableFromInline
    var state: State

    /// Makes a lock that guards the given state.
    @usableFromInline
    package init(_ state: State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "the system could not make a mutex: error \(code)")
        self.state = state
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the state.
    ///
    /// Not recursive: a nested call deadlocks.
    @inlinable
    package func withLock<Output>(
        _ body: (inout State) throws -> Output
    ) rethrows -> Output {
        lock()
        defer { unlock() }
        return try body(&state)
    }

    /// Runs `body` with exclusive access to the state, and releases what it returns once the lock is free.
    ///
    /// For objects of the user, whose deinit may take this lock. An optimised build may
    /// release an unused result of ``withLock(_:)`` before it unlocks.
    @inlinable
    package func withLockThenRelease<Output>(_ body: (inout State) -> Output) {
        withExtendedLifetime(withLock(body)) {}
    }

    /// Runs `body` with exclusive access to the state, and releases the second part of what it returns once the
    /// lock is free.
    ///
    /// - Returns: The first part.
    @inlinable
    package func withLockThenReleaseRest<Output, Rest>(
        _ body: (inout State) -> (Output, Rest)
    ) -> Output {
        let (output, rest) = withLock(body)
        return withExtendedLifetime(rest) { output }
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }
}

extension Locked: CustomReflectable {
    /// A mirror that shows nothing: a dump of an object that holds this takes no lock.
    @usableFromInline package var customMirror: Mirror { Mirror(self, children: [:]) }
}
