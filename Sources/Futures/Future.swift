/// A value or an error that arrives later: the read side of a ``Promise``.
///
/// A future is *hot*: its producer is already at work, whether or not anyone observes it. It settles once,
/// keeps its result, and calls each observer exactly once.
///
/// ```swift
/// loadProduct(7)
///     .map(\.name)
///     .observe { result in print(result) }
/// ```
///
/// ## Threads and order
///
/// Observers and transforms that are registered before the future settles run on the thread that settles
/// it, one after the other, in the order in which they were registered. An observer that is registered later
/// runs at once, on the caller's thread; across threads no order is promised.
/// ``observe(on:_:)-(DispatchQueue,_)`` runs an observer elsewhere. There are two exceptions to "at once": an
/// observer added within an observer runs after those registered before, and when deliveries nest too deep on
/// one thread, the next is deferred until one of them returns. So chains of any length, and
/// recursion of any depth, do not overflow the stack.
///
/// ## Cancellation
///
/// ``cancel()`` settles this future with `CancellationError` and gives up its interest in its upstream. A
/// future that loses its last interested consumer is cancelled in turn, up to the producer, which is notified
/// through ``Promise/onCancel(_:)``.
///
/// ## Cost
///
/// Making a future allocates one object; so does each transform, besides the closure's own captures.
/// Observing, settling and giving up take constant time and no system lock. On a settled future they write no
/// memory that threads share.
///
/// The core takes its layout from SwiftNIO's and Twitter's futures; see
/// Docs/Decisions/why-a-future-is-one-atomic-word.md.
public class Future<Value: Sendable>: FutureStorage<Value?>, @unchecked Sendable {
    /// Makes a future that has succeeded already.
    @inlinable
    @_disfavoredOverload  // or `Future { … }` might be a future whose value is the closure
    public init(value: Value) {
        super.init(value, word: StateWord.value)
    }

    /// Makes a future that has failed already.
    public init(error: any Error) {
        super.init(nil, word: StateWord.failure)
        attachment = .failure(Failure(error))
    }

    /// Makes a future that has the given result already.
    public convenience init(result: Result<Value, any Error>) {
        switch result {
        case .success(let value): self.init(value: value)
        case .failure(let error): self.init(error: error)
        }
    }

    /// Makes a future that has failed with an error that other futures share.
    @inlinable
    init(sharing failure: Failure) {
        super.init(nil, word: StateWord.failure)
        attachment = .failure(failure)
    }

    /// Makes a pending future that waits for nothing.
    @inlinable
    init() {
        super.init(nil, word: StateWord.pending)
    }

    /// Whether the future has a result.
    ///
    /// Takes no lock, and writes no memory.
    @inlinable
    public final var isSettled: Bool { hasSettled }

    /// The result, or nil while the future is pending.
    ///
    /// Takes no lock. Code that sees the result also sees what the producer did before it settled.
    @inlinable
    public final var result: Result<Value, any Error>? {
        hasSettled ? settledResult : nil
    }

    /// Settles this future with `CancellationError` and gives up its interest in its upstream.
    ///
    /// Every future derived from this one fails likewise, unless it recovers. The upstream goes on
    /// as long as others observe it, derive from it or await it; otherwise it is cancelled too, and its
    /// producer is notified. On a settled future nothing happens. Returns once observers and handlers have
    /// run (see the order guarantees above).
    public final func cancel() {
        abort(with: .cancelled)
    }

    final override func receiveForwarded(_ source: FutureNode) {
        finishDerived(as: unsafeDowncast(source, to: Future<Value>.self))
    }

    /// Where the transform that failed this future, or one that it derives from, was written.
    ///
    /// The error itself is the transform's own, unchanged, so that it can be matched; this property names the
    /// step of a chain that threw it. Nil while pending, on success, and if no transform threw.
    public final var failureOrigin: CodeLocation? {
        hasSettled ? failure?.origin : nil
    }
}

extension Future {
    /// Whether it has succeeded with a value that meets a condition.
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

    /// A mirror that shows nothing beside the description.
    ///
    /// A dump must not read what a future stores while another thread may settle it.
    public final var customMirror: Mirror {
        Mirror(self, children: [:], ancestorRepresentation: .suppressed)
    }
}
