import CPledgeFutures

/// A lock together with the state that it guards, so that code reaches the state only through the lock.
///
/// It is the package's only lock. `Synchronization.Mutex` would do the same at less cost. But ThreadSanitizer on Linux
/// doesn't see how that mutex passes from thread to thread, and reports races that don't exist. ThreadSanitizer
/// understands a pthread mutex on every system.
///
/// Invariant: `state` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock` in ``withLock(_:)``,
/// and the mutex has a stable address from `init` to `deinit`.
@usableFromInline
package final class Locked<State>: CustomReflectable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The mutex already keeps accesses apart, so Swift need not check that as well.
    @exclusivity(unchecked) @usableFromInline
    var state: State

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

    /// Runs `body` with exclusive access to the state, unlocks, and then releases the result of `body`.
    ///
    /// Use it for users' objects, whose deinit may take this lock. An optimised build may release an unused result
    /// of ``withLock(_:)`` before it unlocks.
    @inlinable
    package func withLockThenRelease<Output>(_ body: (inout State) -> Output) {
        withExtendedLifetime(withLock(body)) {}
    }

    /// Runs `body` with exclusive access to the state, unlocks, and then releases the second part of the result.
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

    /// A mirror that shows nothing.
    ///
    /// So a dump of an object that holds this takes no lock.
    @usableFromInline package var customMirror: Mirror { Mirror(self, children: [:]) }
}
