public import PledgeFutures

/// An object that sends events to handlers, like a button but without a user interface framework.
///
/// ```
/// struct ButtonEvents: OptionSet {
///     let rawValue: Int
///     static let touchUpInside = ButtonEvents(rawValue: 1)
///     static let touchCancel = ButtonEvents(rawValue: 2)
/// }
///
/// let button = EventSource<ButtonEvents>()
/// button.bind(events: .touchUpInside, for: loginRequest)
/// button.send(.touchUpInside)
/// ```
///
/// `Events` is a set of events: an `OptionSet`, or a `Set` of an enum's cases.
///
/// Any thread may bind, unbind and send at any time, even inside a handler. No lock is held while a handler runs.
public final class EventSource<Events: SetAlgebra & Sendable>: Sendable {
    private let handlers = Locked<[EventHandler<Events>]>([])

    /// Creates a source without handlers.
    public init() {}

    /// Calls a function whenever one of the given events is sent.
    ///
    /// A function that is bound to several events is called once for each ``send(_:)`` that names at least one of
    /// them. If you bind again, even for the same events, you add another handler.
    ///
    /// - Parameters:
    ///   - events: The events to wait for. With an empty set the handler is never called.
    ///   - executable: The function to call, such as `login <- render`. The source retains it until it is unbound, so
    ///     capture the owner of the source weakly.
    /// - Returns: A token that unbinds the handler and releases what it captured, in O(*n*) for *n* handlers. You may
    ///   ignore it: the handler then stays bound as long as the source lives.
    /// - Complexity: O(1) amortized; O(*n*) for *n* handlers while a send is under way.
    @discardableResult
    public func bind(
        events: Events,
        for executable: @escaping @Sendable (()) -> Void
    ) -> ObserverToken {
        let handler = EventHandler(events: events, executable)
        handlers.withLock { $0.append(handler) }
        return ObserverToken { [weak self, weak handler] in
            guard let handler else { return }
            handler.clear()
            self?.remove(handler)
        }
    }

    /// Calls the handlers of the given events, in the order in which they were bound.
    ///
    /// They run on this thread, before this method returns. If a handler sends events itself, all handlers for those
    /// events are called before the next handler of this send. A handler that is bound during a send waits for the next
    /// send. A handler that is unbound during a send isn't called, unless its turn has already come.
    ///
    /// - Parameter events: The events that happened. Each handler is called at most once.
    /// - Complexity: O(*n*) for *n* handlers.
    public func send(_ events: Events) {
        let current = handlers.withLock { $0 }
        for handler in current where !handler.events.isDisjoint(with: events) {
            handler.executable?(())
        }
    }

    private func remove(_ handler: EventHandler<Events>) {
        handlers.withLock { handlers in
            handlers.removeAll { $0 === handler }
        }
    }
}

/// A bound function, and the events that it waits for.
///
/// Unbinding first removes the function, and then the handler from the source's list. So a send that still has the old
/// list doesn't call it.
final class EventHandler<Events: Sendable>: Sendable {
    let events: Events
    private let stored: Locked<(@Sendable (()) -> Void)?>

    init(events: Events, _ executable: @escaping @Sendable (()) -> Void) {
        self.events = events
        stored = Locked(executable)
    }

    /// Nil once it's unbound.
    var executable: (@Sendable (()) -> Void)? {
        stored.withLock { $0 }
    }

    /// Releases the function, outside the lock, because its captures may use this handler.
    func clear() {
        let released = stored.withLock { executable in
            defer { executable = nil }
            return executable
        }
        withExtendedLifetime(released) {}
    }
}
