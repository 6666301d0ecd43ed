/// The handlers of one producer, in order of registration: a list that is built under its future's
/// lock and walked by the thread that cancels, or by one that raises.
@usableFromInline
class CancelHandlers: @unchecked Sendable {
    private let handler: @Sendable () -> Void
    private var next: CancelHandlers?
    /// The end of the list; kept in its first element only.
    private var last: CancelHandlers?

    init(_ handler: @escaping @Sendable () -> Void) {
        self.handler = handler
    }

    deinit {
        // Frees a long list in a loop, not by recursion.
        last = nil
        var rest = next
        next = nil
        while let handlers = rest {
            rest = handlers.next
            handlers.next = nil
        }
    }

    /// Appends one handler.
    ///
    /// Called on the first element.
    final func append(_ handlers: CancelHandlers) {
        if let last {
            last.next = handlers
        } else {
            next = handlers
        }
        last = handlers
    }

    /// Calls all handlers.
    final func call() {
        var current: CancelHandlers? = self
        while let handlers = current {
            handlers.handler()
            current = handlers.next
        }
    }

    /// Raises the producer's task, if it has one.
    ///
    /// - Parameter priority: The priority of a task that waits for this producer.
    /// - Returns: The futures that the producer waits for, which the caller raises in turn.
    func raise(to priority: TaskPriority) -> [FutureNode] { [] }

    /// What its producer waits for, as far as it is known.
    var awaited: FutureNode? { nil }

    /// The newest of the list.
    ///
    /// Called on the first element, under the future's lock.
    final var newest: CancelHandlers { if let last { last } else { self } }

    /// Raises all from this, the first element, to another.
    ///
    /// Called without the lock: only the link of the newest element changes, and that isn't read here.
    ///
    /// - Parameter budget: How many it may look at.
    /// - Returns: As `raise(to:)`.
    final func raise(
        through newest: CancelHandlers, to priority: TaskPriority, _ budget: inout Int
    ) -> [FutureNode] {
        var (current, futures) = (self, raise(to: priority))
        while current !== newest, budget > 0, let next = current.next {
            budget -= 1
            futures += next.raise(to: priority)
            current = next
        }
        return futures
    }

    /// The first that is found from this, the first element, to another; without the lock, as `raise(through:to:_:)`.
    final func first<Found>(
        through newest: CancelHandlers, _ find: (CancelHandlers) -> Found?
    ) -> Found? {
        var (current, found) = (self, find(self))
        while found == nil, current !== newest, let next = current.next {
            (current, found) = (next, find(next))
        }
        return found
    }
}
