internal import Futures

/// A bound function, and the events it waits for.
///
/// The function is taken out on its own, before the handler leaves its source's list, so that a
/// send that still has the old list does not call it.
final class EventHandler<Events: Sendable>: Sendable {
    let events: Events
    private let stored: Locked<(@Sendable (()) -> Void)?>

    init(events: Events, _ executable: @escaping @Sendable (()) -> Void) {
        self.events = events
        stored = Locked(executable)
    }

    /// The function, or nil once it is unbound.
    var executable: (@Sendable (()) -> Void)? {
        stored.withLock { $0 }
    }

    /// Lets go of the function.
    ///
    /// What it captured is released after the lock, as that may run code that comes back here.
    func clear() {
        let released = stored.withLock { executable in
            defer { executable = nil }
            return executable
        }
        withExtendedLifetime(released) {}
    }
}
