internal import PledgeFutures

/// An object that sends events to handlers, such as a button, without a user interface framework.
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
/// Any thread may bind, unbind and send at any time, also from within a handler. No lock is held
/// while a handler runs.
public final class EventSource<Events: SetAlgebra & Sendable>: Sendable {
    private let handlers = Locked<[EventHandler<Events>]>([])

    /// Makes a source without handlers.
    public init() {}

    /// Calls a function whenever one of the given events is sent, as long as the source lives.
    ///
    /// A function bound to several events is called once for each ``send(_:)`` that names at least
    /// one of them. Binding again adds a handler; it replaces none, also for the same events.
    ///
    /// - Parameters:
    ///   - events: The events to wait for. With an empty set the handler is never called.
    ///   - executable: What to call, such as `login <- render`. The source retains it, so capture the owner of the
    ///     source weakly.
    /// - Complexity: O(1) amortized; O(*n*) for *n* handlers while a send is under way.
    public func bind(
        events: Events,
        for executable: @escaping @Sendable (()) -> Void
    ) {
        binding(events: events, for: executable).kept()
    }

    /// Calls a function whenever one of the given events is sent, until the returned token is released.
    ///
    /// ```swift
    /// highlight = button.binding(events: .touchDown) { print("touched") }
    /// ```
    ///
    /// - Parameters:
    ///   - events: The events to wait for, as with ``bind(events:for:)``.
    ///   - executable: What to call. The source retains it until it is unbound.
    /// - Returns: The token, to keep as long as the function should be called.
    /// - Complexity: As with ``bind(events:for:)``.
    public func binding(
        events: Events,
        for executable: @escaping @Sendable (()) -> Void
    ) -> EventBinding {
        let handler = EventHandler(events: events, executable)
        handlers.withLock { $0.append(handler) }
        return EventBinding { [weak self, weak handler] in
            guard let handler else { return }
            handler.clear()
            self?.remove(handler)
        }
    }

    /// Calls the handlers of the given events, in the order in which they were bound.
    ///
    /// They run on this thread, before this method returns. If a handler sends, all handlers of that send are
    /// called before the next handler of this one. A handler that is bound meanwhile waits for the next send;
    /// one that is unbound meanwhile and has not been called yet is not called.
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
