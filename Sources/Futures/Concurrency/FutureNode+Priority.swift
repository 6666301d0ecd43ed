extension FutureNode {
    /// Raises the tasks that produce what this waits for, as awaiting a task raises that task.
    ///
    /// It looks at 1,000 nodes at most.
    final func raise(to priority: TaskPriority) {
        var budget = 1_000
        raise(to: priority, &budget)
    }

    private func raise(to priority: TaskPriority, _ budget: inout Int) {
        var current = self
        while let upstream = current.lockedUpstream(), budget > 0 {
            current = upstream
            budget -= 1
        }
        if current.isRoot, let handlers = current.copied({ current.cancelHandlers }) {
            handlers?.raise(to: priority)
        }
        for input in current.inputsOfAggregate where budget > 0 {
            budget -= 1
            input.raise(to: priority, &budget)
        }
    }
}

/// The handlers of a future that a task produces.
final class TaskHandlers: CancelHandlers, @unchecked Sendable {
    private let task: Task<Void, Never>

    init(cancelling task: Task<Void, Never>) {
        self.task = task
        super.init { task.cancel() }
    }

    override func raise(to priority: TaskPriority) {
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        }
        #endif
    }
}
