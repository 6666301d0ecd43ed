extension FutureNode {
    /// Raises the tasks that produce what this waits for, as awaiting a task raises that task.
    ///
    /// - Parameter reach: How many steps up it goes at most.
    final func raise(to priority: TaskPriority, reach: Int = 64) {
        guard reach > 0 else { return }
        if isRoot {
            guard lockIfPending() else { return }
            let handlers = cancelHandlers
            unlock()
            handlers?.raise(to: priority)
        } else if let upstream = lockedUpstream() {
            upstream.raise(to: priority, reach: reach - 1)
        } else {
            for input in inputsOfAggregate { input.raise(to: priority, reach: reach - 1) }
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
