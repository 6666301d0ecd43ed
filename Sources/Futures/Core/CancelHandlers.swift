/// The handlers of one producer, in order of registration: a list that is built under its future's
/// lock and walked once, by the thread that cancels.
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

    /// Is notified of the priority of a task that waits for this producer.
    func raise(to priority: TaskPriority) {}
}
