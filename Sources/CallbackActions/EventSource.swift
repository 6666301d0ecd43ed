internal import PledgeFutures
internal import Synchronization

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

    /// Calls a function whenever one of the given events is sent, as long as the source lives.
    ///
    /// A function that is bound to several events is called once for each ``send(_:)`` that names at least one of
    /// them. If you bind again, even for the same events, you add another handler.
    ///
    /// - Parameters:
    ///   - events: The events to wait for. With an empty set the handler is never called.
    ///   - executable: The function to call, such as `login <- render`. The source retains it, so capture the owner
    ///     of the source weakly.
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
    ///   - executable: The function to call. The source retains it until it is unbound.
    /// - Returns: The token. Keep it as long as the function should be called.
    /// - Complexity: The same as for ``bind(events:for:)``.
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

/// A token of one handler of an ``EventSource``; releasing the last reference to the token unbinds the handler.
///
/// If you call ``kept()`` instead of keeping the token, the handler stays bound as long as the source lives.
public final class EventBinding: Sendable {
    private let takeBack: @Sendable () -> Void
    private let isKept = Atomic(false)

    init(_ takeBack: @escaping @Sendable () -> Void) {
        self.takeBack = takeBack
    }

    deinit { if !isKept.load(ordering: .acquiring) { takeBack() } }

    /// Lets the handler outlive this token.
    ///
    /// The handler stays bound until the source is released, or until ``cancel()``.
    public func kept() { isKept.store(true, ordering: .releasing) }

    /// Unbinds the handler early, and releases what it captured.
    ///
    /// After this returns, no call of the handler begins on this thread. If another thread has begun a call, or is
    /// about to, that call runs to its end. You may call this method twice, inside the handler itself, or after the
    /// source is gone.
    ///
    /// - Complexity: O(*n*) for the *n* handlers of the source.
    public func cancel() {
        takeBack()
    }
}

/// A bound function, and the events that it waits for.
///
/// When it is unbound, its function is removed first, and then the handler leaves its source's list. So a send that
/// still has the old list doesn't call the function.
final class EventHandler<Events: Sendable>: Sendable {
    let events: Events
    private let stored: Locked<(@Sendable (()) -> Void)?>

    init(events: Events, _ executable: @escaping @Sendable (()) -> Void) {
        self.events = events
        stored = Locked(executable)
    }

    /// The function; nil once it is unbound.
    var executable: (@Sendable (()) -> Void)? {
        stored.withLock { $0 }
    }

    /// Releases the function.
    ///
    /// The function and its captures are released outside the lock, because releasing them may run code that uses this
    /// handler.
    func clear() {
        let released = stored.withLock { executable in
            defer { executable = nil }
            return executable
        }
        withExtendedLifetime(released) {}
    }
}
