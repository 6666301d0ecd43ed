public import PledgeFutures

/// A description of work that a store does after an event, besides changing its state.
///
/// A ``Reducer`` with effects returns one for each event. The store begins it, and dispatches its event:
///
/// ```swift
/// let search = Reducer<Search, Event>(effects: { state, event in
///     switch event {
///     case .typed(let text):
///         state.text = text
///         return .request(find(text)) { .answered($0) }.id("search")
///     case .answered(let result):
///         state.books = (try? result.get()) ?? []
///         return .none
///     }
/// })
/// let store = Store(initialState: Search(), reducer: search)
/// ```
///
/// An effect is a value. It may be made anywhere, kept, and returned several times; each time it is begun
/// again.
public struct Effect<Event: Sendable>: Sendable {
    @usableFromInline
    let kind: Kind

    /// The work.
    @usableFromInline
    enum Kind: Sendable {
        case none
        case start(@Sendable () -> Future<Event>)
        case run(@Sendable (Send) -> Future<Void>)
        case merge([Effect])
        case concatenate([Effect])
        indirect case identified(Effect, EffectID, EffectPolicy)
        indirect case delayed(Effect, Duration, any Scheduler)
        indirect case throttled(Effect, EffectID, Throttling)
        case cancel(EffectID)
    }

    /// Nothing.
    @inlinable
    public static var none: Effect { Effect(kind: .none) }

    @inlinable
    init(kind: Kind) { self.kind = kind }

    /// A future of an event.
    ///
    /// - Parameter future: The future. The expression is not evaluated before the store begins the
    ///   effect, outside the reducer, so that reducing stays pure. When it
    ///   succeeds, its event is dispatched. When it fails, no event is dispatched: the store's `onFailure` is
    ///   called, unless the error is a `CancellationError`. To dispatch an event for a failure, use
    ///   `request(_:_:)` or `recover`.
    public static func future(
        _ future: @autoclosure @escaping @Sendable () -> Future<Event>
    ) -> Effect {
        Effect(kind: .start(future))
    }

    /// A future of an event, made by a function.
    ///
    /// - Parameter start: Makes the future, as the other `future` does. It is called on the
    ///   thread that notifies the observers, after they were notified of the event's change. No lock is held
    ///   meanwhile.
    public static func future(_ start: @escaping @Sendable () -> Future<Event>) -> Effect {
        Effect(kind: .start(start))
    }

    /// An async closure that returns an event; otherwise as the other `future`.
    ///
    /// ```swift
    /// .future { .bookLoaded(try await api.book(7)) }
    /// ```
    ///
    /// - Parameter operation: Runs in a task of its own, which is cancelled with the effect.
    @_disfavoredOverload
    public static func future(_ operation: @escaping @Sendable () async throws -> Event) -> Effect {
        Effect(kind: .start { Future(operation) })
    }

    /// An async closure whose result becomes an event, whether it returns or throws.
    ///
    /// ```swift
    /// .request({ try await api.book(7) }) { result in .bookLoaded(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - operation: Runs in a task of its own, which is cancelled with the effect.
    ///   - event: Makes the event, in that task.
    @_disfavoredOverload
    public static func request<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value,
        _ event: @escaping @Sendable (Result<Value, any Error>) -> Event
    ) -> Effect {
        request(Future(operation), event)
    }

    /// A future whose result becomes an event, whether it succeeds or fails.
    ///
    /// ```swift
    /// .request(loadBook(7)) { result in .bookLoaded(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - future: The future. The expression is not evaluated before the store begins the effect.
    ///   - event: Makes the event, on the thread that settles the future.
    public static func request<Value: Sendable>(
        _ future: @autoclosure @escaping @Sendable () -> Future<Value>,
        _ event: @escaping @Sendable (Result<Value, any Error>) -> Event
    ) -> Effect {
        Effect(
            kind: .start {
                future().map { event(.success($0)) }.recover { event(.failure($0)) }
            })
    }
}
