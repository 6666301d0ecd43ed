public import PledgeFutures

/// A description of work that a store does after an event.
///
/// A ``Reducer`` with effects returns an effect for each event. The store begins the effect, and dispatches the
/// event that the effect produces:
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
/// An effect is a value. You may create it anywhere, keep it, and return it several times; each time it begins anew.
public struct Effect<Event: Sendable>: Sendable {
    @usableFromInline
    let tree: EffectTree

    /// No work.
    @inlinable
    public static var none: Effect { Effect(.none) }

    @inlinable
    init(_ tree: EffectTree) { self.tree = tree }

    init(_ start: EventJob<Event>.Start) { self.init(.job(EventJob(start))) }

    /// A future that makes an event.
    ///
    /// - Parameter future: The future. The store evaluates the expression when it begins the effect, outside
    ///   the reducer, so reducing stays pure. If the future succeeds, its event is dispatched. If it fails, no
    ///   event is dispatched, but the store's `onFailure` is called, unless the error is a `CancellationError`.
    ///   To dispatch an event for a failure, use `request(_:_:)` or `recover`.
    public static func future(
        _ future: @autoclosure @escaping @Sendable () -> Future<Event>
    ) -> Effect {
        Effect(.start(future))
    }

    /// A future that makes an event, created by a function.
    ///
    /// - Parameter start: Creates the future. Its result is handled as in the `future` that takes an expression. The
    ///   store calls this function after the observers were notified of the event's change, on the thread that notified
    ///   them, and without holding a lock.
    public static func future(_ start: @escaping @Sendable () -> Future<Event>) -> Effect {
        Effect(.start(start))
    }

    /// An async closure that returns an event.
    ///
    /// ```swift
    /// .future { .bookLoaded(try await api.book(7)) }
    /// ```
    ///
    /// - Parameter operation: Runs in its own task, which is cancelled with the effect. Its event or its error
    ///   is handled as in the `future` that takes a future.
    @_disfavoredOverload
    public static func future(_ operation: @escaping @Sendable () async throws -> Event) -> Effect {
        Effect(.start { Future(operation) })
    }

    /// An async closure whose result becomes an event, whether it returns or throws.
    ///
    /// ```swift
    /// .request({ try await api.book(7) }) { result in .bookLoaded(result) }
    /// ```
    ///
    /// - Parameters:
    ///   - operation: Runs in its own task, which is cancelled with the effect.
    ///   - event: Makes the event from the result, in the same task.
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
    ///   - future: The future. The store evaluates the expression when it begins the effect.
    ///   - event: Makes the event from the result, on the thread that settles the future.
    public static func request<Value: Sendable>(
        _ future: @autoclosure @escaping @Sendable () -> Future<Value>,
        _ event: @escaping @Sendable (Result<Value, any Error>) -> Event
    ) -> Effect {
        Effect(
            .start {
                future().map { event(.success($0)) }.recover { event(.failure($0)) }
            })
    }
}

extension Effect {
    /// A function that dispatches the events of a running effect.
    public struct Send: Sendable {
        private let send: @Sendable (Event) -> Void

        init(_ send: @escaping @Sendable (Event) -> Void) { self.send = send }

        /// Dispatches an event to the effect's store.
        ///
        /// You may call it on any thread; it works like ``Store/dispatch(_:)``. Nothing happens if the
        /// effect has ended, was replaced or cancelled, or if the store has been released. If an event had
        /// already entered the middleware when the effect was replaced or cancelled, the event is still
        /// reduced.
        ///
        /// - Parameter event: The event.
        public func callAsFunction(_ event: Event) { send(event) }
    }

    /// An asynchronous operation that may dispatch any number of events while it runs.
    ///
    /// ```swift
    /// .run { send in
    ///     for try await line in chat.lines { send(.said(line)) }
    ///     send(.left)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The priority of the operation's task; nil for the priority of the thread that begins it.
    ///   - operation: Runs in its own task. The effect ends when the operation returns or throws. The task is
    ///     cancelled when the effect is replaced or cancelled, or the store is released.
    ///   - handler: Called with the error that the operation threw, in the same task, before the effect ends.
    ///     It isn't called with a `CancellationError`, or if the effect was cancelled. Without a handler, the
    ///     store's `onFailure` is called.
    public static func run(
        priority: TaskPriority? = nil,
        _ operation: @escaping @Sendable (_ send: Send) async throws -> Void,
        catch handler: (@Sendable (_ error: any Error, _ send: Send) async -> Void)? = nil
    ) -> Effect {
        Effect(
            .run { send in
                Future(priority: priority) {
                    do {
                        try await operation(send)
                    } catch {
                        guard let handler, !(error is CancellationError), !Task.isCancelled else {
                            throw error
                        }
                        await handler(error, send)
                    }
                }
            })
    }
}

extension Effect {
    /// The events of an asynchronous sequence, each dispatched when it arrives.
    ///
    /// The next event is requested after the one before it has been dispatched. The effect ends with the sequence. If
    /// the effect is replaced or cancelled, or the store is released, the task that awaits the sequence is cancelled.
    ///
    /// - Parameter sequence: The sequence. The store evaluates the expression when it begins the effect. If the
    ///   sequence throws, the effect has failed, and the store calls `onFailure`. To handle the error yourself,
    ///   use ``run(priority:_:catch:)``.
    public static func events<Events: AsyncSequence & TaskUsable>(
        of sequence: @autoclosure @escaping @Sendable () -> Events
    ) -> Effect where Events.Element == Event, Events.AsyncIterator: TaskUsable {
        .run { send in
            for try await event in sequence() { send(event) }
        }
    }

    /// The elements of an asynchronous sequence, each dispatched as an event when it arrives.
    ///
    /// ```swift
    /// .events(of: socket.messages) { .received($0) }.id("messages")
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: The sequence, as in ``events(of:)``.
    ///   - event: Makes the event from an element, in the task that awaits the sequence.
    public static func events<Elements: AsyncSequence & TaskUsable>(
        of sequence: @autoclosure @escaping @Sendable () -> Elements,
        _ event: @escaping @Sendable (Elements.Element) -> Event
    ) -> Effect where Elements.AsyncIterator: TaskUsable {
        .run { send in
            for try await element in sequence() { send(event(element)) }
        }
    }
}

#if compiler(>=6.2)
/// The requirement on a generic type that a task uses: `SendableMetatype`.
///
/// Compilers before 6.2 lack this protocol, and require nothing.
@_documentation(visibility: internal)
public typealias TaskUsable = SendableMetatype
#else
/// The requirement on a generic type that a task uses: none.
@_documentation(visibility: internal)
public typealias TaskUsable = Any
#endif

extension Effect {
    /// A future whose result is not dispatched.
    ///
    /// ```swift
    /// .fireAndForget(analytics.track("opened"))
    /// ```
    ///
    /// - Parameters:
    ///   - future: The future. The store evaluates the expression when it begins the effect. The future is
    ///     cancelled when the effect is replaced or cancelled, or the store is released.
    ///   - handler: If the future fails, called with the error, on the thread that settles the future. It isn't
    ///     called with a `CancellationError`. Without a handler, the store's `onFailure` is called. To ignore
    ///     failures, pass `{ _ in }`.
    public static func fireAndForget<Value: Sendable>(
        _ future: @autoclosure @escaping @Sendable () -> Future<Value>,
        catch handler: (@Sendable (any Error) -> Void)? = nil
    ) -> Effect {
        Effect(
            .run { _ in
                let end = future().map { _ in }
                guard let handler else { return end }
                return end.recover { if !($0 is CancellationError) { handler($0) } }
            })
    }

    /// An asynchronous operation whose result is not dispatched.
    ///
    /// - Parameters:
    ///   - priority: The priority of the operation's task; nil for the priority of the thread that begins it.
    ///   - operation: Runs in its own task, which is cancelled with the effect.
    ///   - handler: Called with the error that the operation threw, as in ``fireAndForget(_:catch:)``.
    public static func fireAndForget(
        priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Void,
        catch handler: (@Sendable (any Error) -> Void)? = nil
    ) -> Effect {
        fireAndForget(Future(priority: priority, operation), catch: handler)
    }
}

extension Effect {
    /// Several effects at once.
    ///
    /// - Parameter effects: The effects. They begin in this order, and don't wait for each other.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    /// Several effects at once.
    ///
    /// - Parameter effects: The effects, as an array. They begin in this order, and don't wait for each other.
    public static func merge(_ effects: [Effect]) -> Effect {
        Effect(.together(effects.map(\.tree)))
    }

    /// Several effects, one after another.
    ///
    /// - Parameter effects: The effects. Each begins after the one before it has ended. An effect has ended
    ///   when its event was dispatched and the observers were notified, when it has failed, or when it was
    ///   cancelled through its id.
    public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

    /// Several effects, one after another.
    ///
    /// - Parameter effects: The effects, as an array. Each begins after the one before it has ended. An effect
    ///   has ended when its event was dispatched and the observers were notified, when it has failed, or when
    ///   it was cancelled through its id.
    public static func concatenate(_ effects: [Effect]) -> Effect {
        Effect(.inOrder(effects.map(\.tree)))
    }

    @inlinable
    var isNone: Bool { tree.isNone }
}

extension Effect {
    /// This effect with its events converted.
    ///
    /// - Parameter transform: Makes the new event, on the thread that settles the effect's future or sends the event.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Event) -> Other
    ) -> Effect<Other> {
        Effect<Other>(tree.map(job: { EventJob<Event>.of($0).map(transform) }))
    }
}
