public import Dispatch
internal import Synchronization

extension Future {
    /// Calls a closure with the result, once.
    ///
    /// - Parameter body: Called on the thread that settles the future, after the observers that were
    ///   registered before; if it has settled already, before this method returns. (Two exceptions: within an
    ///   observer of this future, the closure is called after those registered before; in a deeply nested
    ///   delivery, before an outer delivery returns.)
    @inlinable
    public final func observe(_ body: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        if hasSettled, enterDelivery() {
            body(settledResult)
            Self.leaveDelivery()
            return
        }
        let observer = Observer<Value>(body) { node, source in
            let observer = unsafeDowncast(node, to: Observer<Value>.self)
            observer.body(unsafeDowncast(source, to: Future<Value>.self).settledResult)
        }
        enroll(.passRetained(consume observer))
    }

    /// Calls a closure with the result, once, on a dispatch queue.
    ///
    /// - Parameters:
    ///   - queue: Where to call it. On a serial queue, observers of one future are called in the
    ///     order in which they were registered.
    ///   - body: Called asynchronously, even if the future has settled.
    public final func observe(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        observe { result in
            queue.async { body(result) }
        }
    }

    /// Calls a closure with the result, once, on the main actor.
    ///
    /// ```swift
    /// loading().observe(on: MainActor.shared) { result in self.render(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - body: Called asynchronously, even if the future has settled; in order of registration
    ///     among the observers of one future.
    public final func observe(
        on actor: MainActor,
        _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) {
        observe { result in
            // The main actor's executor is the main queue. The queue keeps the order, which tasks
            // of different priorities would not.
            DispatchQueue.main.async {
                MainActor.assumeIsolated { body(result) }
            }
        }
    }

    /// Calls a closure with the result, once, on a task executor.
    ///
    /// - Parameters:
    ///   - executor: Where to call it. The order is the executor's.
    ///   - body: Called asynchronously, even if the future has settled.
    public final func observe(
        on executor: any TaskExecutor,
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        observe { result in
            Task(executorPreference: executor) { body(result) }
        }
    }
}

extension Future {
    /// Calls a closure with the result, once, unless the observation is cancelled first.
    ///
    /// - Parameter body: As for ``observe(_:)``; not called once the observation is cancelled.
    /// - Returns: The observation, which ends when it is released.
    public final func observation(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> FutureObservation {
        FutureObservation(of: observed { body($0.settledResult) })
    }

    /// Calls a closure with the result, once, on a dispatch queue, unless the observation is cancelled first.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - body: Called asynchronously, even if the future has settled; not called after the observation is
    ///     cancelled, if that happens on the same serial queue.
    /// - Returns: The observation, which ends when it is released.
    public final func observation(
        on queue: DispatchQueue,
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> FutureObservation {
        let isCancelled = Locked(false)
        let observer = observed { future in
            queue.async {
                if !isCancelled.withLock({ $0 }) { body(future.settledResult) }
            }
        }
        return FutureObservation(of: observer, isCancelled: isCancelled)
    }

    /// Calls a closure with the result, once, on the main actor, unless the observation is cancelled first.
    ///
    /// ```swift
    /// shown = loading.observation(on: MainActor.shared) { result in self.render(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - body: Called asynchronously, even if the future has settled; not called after the observation is
    ///     cancelled on the main actor, also if the future has settled before.
    /// - Returns: The observation, which ends when it is released.
    public final func observation(
        on actor: MainActor,
        _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) -> FutureObservation {
        observation(on: DispatchQueue.main) { result in
            MainActor.assumeIsolated { body(result) }
        }
    }

    /// Calls a closure with this future once it has settled, unless the returned node is aborted first.
    final func observed(_ body: @escaping @Sendable (Future<Value>) -> Void) -> FutureNode {
        let observer = CancellableObserver<Value>(body)
        enroll(observer.retained())
        return observer
    }
}

/// A token of one observation of a future, which ends when the last reference to the token is released.
///
/// Call ``kept()`` instead of keeping the token, and the observation lasts until the future has settled; without a token
/// at all, ``Future/observe(_:)`` does the same.
public final class FutureObservation: Sendable {
    private let observer: FutureNode
    /// For a closure that waits for its queue; nil for one that runs on the thread that settles the future.
    private let isCancelled: Locked<Bool>?
    private let isKept = Atomic(false)

    fileprivate init(of observer: FutureNode, isCancelled: Locked<Bool>? = nil) {
        self.observer = observer
        self.isCancelled = isCancelled
    }

    deinit { if !isKept.load(ordering: .acquiring) { cancel() } }

    /// Lets the observation outlive this token.
    public func kept() { isKept.store(true, ordering: .releasing) }

    /// Removes the observer, and gives up its interest in the future.
    ///
    /// Harmless once the future has settled, and harmless twice. A closure that runs on another thread runs
    /// to its end.
    public func cancel() {
        isCancelled?.withLock { $0 = true }
        observer.abort(with: .cancelled)
    }
}

/// A closure enrolled on a pending future.
@usableFromInline
final class Observer<Value: Sendable>: Waiter, @unchecked Sendable {
    @usableFromInline let body: @Sendable (Result<Value, any Error>) -> Void

    @inlinable
    init(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void,
        deliver: @escaping Delivery
    ) {
        self.body = body
        super.init(deliver: deliver)
    }
}

/// A closure enrolled on a pending future, which may be cancelled; it is released after its last use.
final class CancellableObserver<Value: Sendable>: Waiter, @unchecked Sendable {
    /// Belongs to the thread that has settled this node.
    private var body: (@Sendable (Future<Value>) -> Void)?

    init(_ body: @escaping @Sendable (Future<Value>) -> Void) {
        self.body = body
        super.init(deliver: Self.deliverByOverride)
    }

    override func receive(_ source: FutureNode) {
        if claim(as: StateWord.value) {
            body?(unsafeDowncast(source, to: Future<Value>.self))
        } else {
            waitUntilDetached()
        }
        body = nil
    }

    override func dropClosure() { body = nil }
}
