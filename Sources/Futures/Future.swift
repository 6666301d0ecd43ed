/// A value or an error that arrives later: the read side of a ``Promise``.
///
/// A future is *hot*: what produces it is under way, whether or not anyone looks. It settles once,
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
/// it, one after the other, in the order in which they were registered. One that is registered later runs
/// at once, on the caller's thread; across threads no order is promised.
/// ``observe(on:_:)-(DispatchQueue,_)`` names another place. There are two exceptions to "at once": one
/// added within an observer comes after those registered before, and when deliveries nest too deep on one
/// thread, the next is put off until the outermost of them returns. So chains of any length, and recursion
/// of any depth, do not overflow the stack.
///
/// ## Cancellation
///
/// ``cancel()`` settles this future with `CancellationError` and gives up its interest in what it
/// derives from. A future that loses its last interested consumer is cancelled in turn, up to the
/// producer, which hears of it through ``Promise/onCancel(_:)``.
///
/// ## Cost
///
/// Making one allocates one object; so does each transform, beside the closure's own captures.
/// Observing, settling and leaving take constant time, no lock of the system's, and, on a future
/// that has settled, no write to memory that threads share.
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

    /// Makes a future that has failed with an error others share.
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
    /// Takes no lock, and touches no memory that threads write.
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
    /// as long as others observe it, derive from it or await it; otherwise it is cancelled too, and
    /// its producer hears of it. On a settled future nothing happens. Returns once observers and
    /// handlers have run (see the order guarantees above).
    public final func cancel() {
        abort(with: .cancelled)
    }

    /// Where the transform that failed this future, or one that it derives from, was written.
    ///
    /// The error itself is the transform's own, unchanged, so that it can be matched; this tells
    /// which step of a chain threw it. Nil while pending, on success, and where no transform threw.
    public final var failureOrigin: SourceLocation? {
        hasSettled ? failure?.origin : nil
    }
}

extension Future {
    /// The result of a future that is known to have settled.
    @inlinable
    final var settledResult: Result<Value, any Error> {
        if let failure { return .failure(failure.error) }
        guard let storage else { preconditionFailure("a settled future has a result") }
        return .success(storage)
    }

    /// Settles a root with a value.
    @inlinable
    final func succeed(_ value: Value) -> Bool {
        guard lockIfPending() else { return false }
        storage = value
        settle(as: StateWord.value, discarding: takeHandlers())
        return true
    }

    /// Settles a root with a result.
    final func finish(with result: Result<Value, any Error>) -> Bool {
        switch result {
        case .success(let value): succeed(value)
        case .failure(let error): fail(Failure(error))
        }
    }

    /// Settles a root as another future has settled.
    final func finish(as source: Future<Value>) -> Bool {
        if let failure = source.failure { return fail(failure) }
        return succeed(source.storage.unsafelyUnwrapped)
    }

    /// Fails all that waits for this promise, whose deinit calls it.
    @usableFromInline
    final func abandon(at location: SourceLocation) {
        let failure = Failure(FutureError(.abandoned, at: location))
        abandon(failure, to: Future(sharing: failure))
    }

    /// Settles a derived future with a value.
    ///
    /// Called by its one deliverer.
    @inlinable
    final func succeedDerived(_ value: Value) {
        storage = value
        if !finishDerived() { storage = nil }
    }

    /// Settles a derived future as its upstream, or the future that it forwards, has settled.
    /// - Returns: False if the future was given up in the meantime.
    @inlinable
    @discardableResult
    final func finishDerived(as source: Future<Value>) -> Bool {
        if let failure = source.failure { return failDerived(failure) }
        storage = source.storage
        if finishDerived() { return true }
        storage = nil
        return false
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
    /// What a future stores is not to be read while another thread may settle it.
    public final var customMirror: Mirror {
        Mirror(self, children: [:], ancestorRepresentation: .suppressed)
    }
}
