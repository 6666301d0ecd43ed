internal import PledgeFutures

/// A bound function, and the events it waits for.
///
/// The function is removed first, before the handler leaves its source's list, so that a
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

    /// Releases the function.
    ///
    /// Its captures are released outside the lock, because that may run code that uses this handler.
    func clear() {
        let released = stored.withLock { executable in
            defer { executable = nil }
            return executable
        }
        withExtendedLifetime(released) {}
    }
}
