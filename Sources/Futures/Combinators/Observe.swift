public import Dispatch
internal import Synchronization

extension Future {
    /// Calls a closure with the result, once.
    ///
    /// - Parameter body: Called on the thread that settles the future, after all observers that were registered
    ///   earlier. If the future has already settled, the closure is called before this method returns, with two
    ///   exceptions. Inside another observer of this future, the new closure waits for all closures that were
    ///   registered earlier. And if too many calls of observers are nested on this thread, the new call is put off
    ///   until one of the outer calls has returned, or until an event loop that one of them runs continues.
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
    ///   - queue: The queue that calls the closure. A serial queue calls the observers of one future in the order in
    ///     which they were registered.
    ///   - body: Called asynchronously, even if the future has already settled.
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
    ///   - body: Called asynchronously, even if the future has already settled. Observers of one future are called
    ///     in the order in which they were registered.
    public final func observe(
        on actor: MainActor,
        _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) {
        observe { result in
            // The main actor's executor is the main queue. The queue keeps the observers in order; tasks of different
            // priorities would not.
            DispatchQueue.main.async {
                MainActor.assumeIsolated { body(result) }
            }
        }
    }

    /// Unavailable: to observe on an actor of your own, start a task that calls one of the actor's methods.
    @available(
        *, unavailable,
        message: "write `observe { result in Task { await self.show(result) } }`"
    )
    public final func observe(
        on actor: some Actor, _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        fatalError("unavailable")
    }

    /// Calls a closure with the result, once, on a task executor.
    ///
    /// - Parameters:
    ///   - executor: The executor that calls the closure, in the order that the executor chooses.
    ///   - body: Called asynchronously, even if the future has already settled.
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
    /// Calls a closure with the result, once, unless you cancel the observation first.
    ///
    /// - Parameter body: Called as described for ``observe(_:)``, but not after the observation is cancelled.
    /// - Returns: The observation, which ends when it is released.
    public final func observation(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> FutureObservation {
        FutureObservation(of: observed { body($0.settledResult) })
    }

    /// Calls a closure with the result, once, on a dispatch queue, unless you cancel the observation first.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - body: Called asynchronously, even if the future has already settled. If you cancel the observation on the
    ///     same serial queue, the closure isn't called afterwards.
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

    /// Calls a closure with the result, once, on the main actor, unless you cancel the observation first.
    ///
    /// ```swift
    /// shown = loading.observation(on: MainActor.shared) { result in self.render(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - body: Called asynchronously, even if the future has already settled. If you cancel the observation on the
    ///     main actor, the closure isn't called afterwards, even if the future had settled before.
    /// - Returns: The observation, which ends when it is released.
    public final func observation(
        on actor: MainActor,
        _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) -> FutureObservation {
        observation(on: DispatchQueue.main) { result in
            MainActor.assumeIsolated { body(result) }
        }
    }

    /// Calls a closure with this future when this future has settled, unless the returned node is aborted first.
    final func observed(_ body: @escaping @Sendable (Future<Value>) -> Void) -> FutureNode {
        let observer = CancellableObserver<Value>(body)
        enroll(observer.retained())
        return observer
    }
}

/// A token of one observation of a future, which ends when the last reference to the token is released.
///
/// If you call ``kept()`` instead of keeping the token, the observation lasts until the future has settled.
/// ``Future/observe(_:)`` does the same without a token.
public final class FutureObservation: Sendable {
    private let observer: FutureNode
    /// True after the observation is cancelled; nil if the closure doesn't run on a queue.
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
    /// The closure isn't called afterwards. But if another thread is about to call it, or is running it, that call goes
    /// on to its end. Nothing happens if the closure has already returned, or if you call this method again.
    public func cancel() {
        isCancelled?.withLock { $0 = true }
        observer.abort(with: .cancelled)
    }
}

/// A node that calls a closure when a pending future has settled.
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

/// A node that calls a closure when a pending future has settled, unless the node is cancelled first.
///
/// The closure is released after its last use.
final class CancellableObserver<Value: Sendable>: Waiter, @unchecked Sendable {
    /// The closure; nil after its last use.
    ///
    /// Only one thread uses it: the thread that delivers to this node or, if this node was given up, the thread that
    /// calls `dropClosure`.
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
