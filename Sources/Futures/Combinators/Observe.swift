internal import Dispatch
internal import Synchronization

extension Future {
    /// Calls a closure with the result, once, unless you cancel the returned token first.
    ///
    /// - Parameter body: Called on the thread that settles the future, after all observers that were registered
    ///   earlier. If the future has already settled, the closure is called before this method returns, with two
    ///   exceptions. Inside another observer of this future, the new closure waits for all closures that were
    ///   registered earlier. And if too many calls of observers are nested on this thread, the new call is put off
    ///   until one of the outer calls has returned, or until an event loop that one of them runs continues.
    /// - Returns: A token that removes the observer. You may ignore it.
    @inlinable
    @discardableResult
    public final func observe(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> ObserverToken {
        if hasSettled, enterDelivery() {
            body(settledResult)
            Self.leaveDelivery()
            return .ended
        }
        let observer = Observer<Value>(body) { node, source in
            unsafeDowncast(node, to: Observer<Value>.self)
                .receiveResult(of: unsafeDowncast(source, to: Future<Value>.self))
        }
        enroll(observer.retained())
        return observer.token
    }

    /// Calls a closure with the result, once, on the main actor, unless you cancel the returned token first.
    ///
    /// ```swift
    /// loading().observe(on: MainActor.shared) { result in self.render(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - body: Called asynchronously, even if the future has already settled. Observers of one future are called
    ///     in the order in which they were registered. If you cancel the token on the main actor, the closure isn't
    ///     called afterwards, even if the future had settled before.
    /// - Returns: A token that removes the observer. You may ignore it.
    @discardableResult
    public final func observe(
        on actor: MainActor,
        _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) -> ObserverToken {
        let observer = MainActorObserver(body)
        let token = observe { observer.receive($0, isLast: true) }
        return ObserverToken {
            observer.close()
            token.cancel()
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

    /// Calls a closure with this future when this future has settled, unless the returned node is aborted first.
    final func observed(_ body: @escaping @Sendable (Future<Value>) -> Void) -> FutureNode {
        let observer = CancellableObserver<Value>(body)
        enroll(observer.retained())
        return observer
    }
}

/// A closure that is called on the main actor, in order, until it is closed.
package final class MainActorObserver<Input: Sendable>: Sendable {
    /// The closure; nil after its last use.
    private let body: Locked<(@MainActor @Sendable (Input) -> Void)?>

    package init(_ body: @escaping @MainActor @Sendable (Input) -> Void) {
        self.body = Locked(body)
    }

    /// Schedules a call of the closure; the last call releases it.
    package func receive(_ input: Input, isLast: Bool = false) {
        // The main actor's executor is the main queue. The queue keeps the calls in order; tasks of different
        // priorities would not.
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                guard let body = self.body.withLock({ $0 }) else { return }
                if isLast { self.close() }
                body(input)
            }
        }
    }

    /// Ends the calls, including scheduled ones, and releases the closure.
    package func close() { body.withLockThenRelease { $0.take() } }
}

/// A node that calls a closure with the result when a pending future has settled, unless the node is cancelled first.
///
/// The closure is released after its last use.
@usableFromInline
final class Observer<Value: Sendable>: Waiter, @unchecked Sendable {
    /// The closure; nil after its last use, as in a ``CancellableObserver``.
    @usableFromInline @exclusivity(unchecked) var body:
        (@Sendable (Result<Value, any Error>) -> Void)?

    @inlinable
    init(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void,
        deliver: @escaping Delivery
    ) {
        self.body = body
        super.init(deliver: deliver)
    }

    @inlinable
    func receiveResult(of source: Future<Value>) {
        if claimDelivery() { body?(source.settledResult) }
        body = nil
    }

    override func dropClosure() { body = nil }
}

/// A node that calls a closure with a pending future when that future has settled, unless the node is cancelled first.
///
/// The closure is released after its last use.
final class CancellableObserver<Value: Sendable>: Waiter, @unchecked Sendable {
    /// The closure; nil after its last use.
    ///
    /// One thread at a time uses it: the one that delivers to this node, or the one that calls `dropClosure` after a
    /// cancellation.
    private var body: (@Sendable (Future<Value>) -> Void)?

    init(_ body: @escaping @Sendable (Future<Value>) -> Void) {
        self.body = body
        super.init(deliver: Self.deliverByOverride)
    }

    override func receive(_ source: FutureNode) {
        if claimDelivery() { body?(unsafeDowncast(source, to: Future<Value>.self)) }
        body = nil
    }

    override func dropClosure() { body = nil }
}

extension FutureNode {
    /// Takes the result of the settled upstream for this node, which isn't a future.
    ///
    /// - Returns: False if the node was cancelled.
    @usableFromInline
    final func claimDelivery() -> Bool {
        if claim(as: StateWord.value) { return true }
        waitUntilDetached()
        return false
    }
}
