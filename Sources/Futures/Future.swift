/// A value or an error that arrives later: the read side of a ``Promise``.
///
/// A future is *hot*: its producer is already at work, even if you never observe the future. It settles once, keeps
/// its result, and calls each observer exactly once.
///
/// ```swift
/// loadProduct(7)
///     .map(\.name)
///     .observe { result in print(result) }
/// ```
///
/// ## Threads and order
///
/// An observer or a transform that you register before the future settles runs on the thread that settles it. They
/// run one after the other, in the order in which you registered them. An observer that you register later runs at
/// once, on your thread. Across threads there is no promised order. ``observe(on:_:)-(MainActor,_)`` runs an observer
/// on the main actor, and ``map(on:_:fileID:line:)`` runs a transform on a queue.
///
/// There are two exceptions to "at once". An observer that you add inside another observer of the same future runs
/// after the observers that were registered before. And if too many calls of observers and transforms are nested on one
/// thread, the next call is put off until one of the outer calls has returned. So chains of any length, and recursion
/// of any depth, don't overflow the stack.
///
/// ## Cancellation
///
/// ``cancel()`` settles this future with `CancellationError` and gives up its interest in its upstream, the future
/// that it derives from. A future that loses its last interested consumer is cancelled too, and so on up to the
/// producer, which is notified through ``Promise/onCancel(_:)``.
///
/// ## Cost
///
/// Creating a future allocates one object. So does each transform, in addition to what its closure captures. Observing,
/// settling and giving up take constant time and no system lock. On a settled future, these operations write no memory
/// that threads share.
///
/// The layout of the core comes from SwiftNIO's and Twitter's futures; see
/// Docs/Decisions/Futures/why-a-future-is-one-atomic-word.md.
public class Future<Value: Sendable>: FutureStorage<Value?>, @unchecked Sendable {
    /// Creates a future that has already succeeded.
    @inlinable
    @_disfavoredOverload  // or `Future { … }` might be a future whose value is the closure
    public init(value: Value) {
        super.init(value, word: StateWord.value)
    }

    /// Creates a future that has already failed.
    public init(error: any Error) {
        super.init(nil, word: StateWord.failure)
        attachment = .failure(Failure(error))
    }

    /// Creates a future that already has the given result.
    public convenience init(result: Result<Value, any Error>) {
        switch result {
        case .success(let value): self.init(value: value)
        case .failure(let error): self.init(error: error)
        }
    }

    /// Creates a failed future with an error that other futures share.
    @inlinable
    init(sharing failure: Failure) {
        super.init(nil, word: StateWord.failure)
        attachment = .failure(failure)
    }

    /// Creates a pending future that waits for nothing.
    @inlinable
    init() {
        super.init(nil, word: StateWord.pending)
    }

    /// True once the future has a result.
    ///
    /// Takes no lock, and writes no memory.
    @inlinable
    public final var isSettled: Bool { hasSettled }

    /// The result, or nil while the future is pending.
    ///
    /// Takes no lock. Code that sees the result also sees what the producer did before it settled the future.
    @inlinable
    public final var result: Result<Value, any Error>? {
        hasSettled ? settledResult : nil
    }

    /// Settles this future with `CancellationError` and gives up its interest in its upstream.
    ///
    /// Every future that derives from this one fails with the same error, unless it recovers. The upstream goes on
    /// as long as others observe it, derive from it or await it. Otherwise it is cancelled too, and its producer is
    /// notified. If the future has already settled, nothing happens. Returns after the observers and handlers have
    /// run; the two exceptions under "Threads and order" apply.
    public final func cancel() {
        abort(with: .cancelled)
    }

    final override func receiveForwarded(_ source: FutureNode) {
        finishDerived(as: unsafeDowncast(source, to: Future<Value>.self))
    }

    /// The place of the transform that threw this future's error.
    ///
    /// That transform made this future, or a future that this one derives from. The error itself is the transform's
    /// own, unchanged, so you can match it. This property tells you which step of a chain threw it. Nil while
    /// pending, on success, and if no transform threw.
    public final var failureOrigin: CodeLocation? {
        hasSettled ? failure?.origin : nil
    }
}

extension Future {
    /// Returns whether the future has succeeded with a value that meets a condition.
    package final func hasSucceeded(_ condition: (Value) -> Bool) -> Bool {
        guard hasSucceeded, let storage else { return false }
        return condition(storage)
    }

    /// The value of a future that is known to have succeeded.
    @inlinable
    final var settledValue: Value { storage.unsafelyUnwrapped }

    /// The result of a future that is known to have settled.
    @inlinable
    final var settledResult: Result<Value, any Error> {
        if let failure { return .failure(failure.error) }
        guard let storage else { preconditionFailure("a settled future has a result") }
        return .success(storage)
    }
}

extension Future: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the state, and after a failure the step that threw.
    public final var description: String {
        switch result {
        case nil: return "Future<\(Value.self)>(pending)"
        case .success(let value)?: return "Future<\(Value.self)>(\(value))"
        case .failure(let error)?:
            let origin = failureOrigin.map { ", thrown by the transform at \($0)" } ?? ""
            return "Future<\(Value.self)>(failed: \(error)\(origin))"
        }
    }

    /// The same as ``description``.
    public final var debugDescription: String { description }

    /// A mirror without children.
    ///
    /// A dump must not read what a future stores while another thread may be settling it.
    public final var customMirror: Mirror {
        Mirror(self, children: [:], ancestorRepresentation: .suppressed)
    }
}
