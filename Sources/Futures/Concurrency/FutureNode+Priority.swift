extension FutureNode {
    /// Raises the tasks that produce what this waits for, as awaiting a task raises that task.
    ///
    /// A producer that waits for other futures passes the raise on to them. It looks at 100 nodes at most: a
    /// task that awaits pays for each.
    ///
    /// - Returns: What it has looked at. Other threads may release all of it meanwhile: its last release, by the caller, may
    ///   then run code of the user.
    @discardableResult
    package final func raise(to priority: TaskPriority) -> [AnyObject] {
        var budget = 100
        var seen: [AnyObject] = []
        var others: [FutureNode] = []
        var next: FutureNode? = self
        while let node = next, budget > 0 {
            budget -= 1
            if let upstream = node.lockedUpstream() {
                seen.append(upstream)
                next = upstream
                continue
            }
            let more = node.raiseProducer(to: priority, &budget, &seen) + node.inputsOfAggregate
            seen += more as [AnyObject]
            others += more.prefix(budget).reversed()
            next = others.popLast()
        }
        return seen
    }

    /// Raises the producer of a root.
    ///
    /// - Returns: The futures that it waits for.
    private func raiseProducer(
        to priority: TaskPriority, _ budget: inout Int, _ seen: inout [AnyObject]
    ) -> [FutureNode] {
        guard isRoot,
            let handlers = copied({ cancelHandlers.map { (first: $0, newest: $0.newest) } }),
            let (first, newest) = handlers
        else { return [] }
        seen.append(first)
        return first.raise(through: newest, to: priority, &budget)
    }
}

/// The handlers of a future that a task produces.
final class TaskHandlers: CancelHandlers, @unchecked Sendable {
    private let task: Task<Void, Never>
    /// Where the future was made.
    let location: CodeLocation

    init(cancelling task: Task<Void, Never>, madeAt location: CodeLocation) {
        self.task = task
        self.location = location
        super.init { task.cancel() }
    }

    override func raise(to priority: TaskPriority) -> [FutureNode] {
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        }
        #endif
        return []
    }

    override var awaited: FutureNode? { FutureDiagnostics.wait(of: task) }
}

/// The handlers of a promise that settles as another future does.
final class FollowingHandlers: CancelHandlers, @unchecked Sendable {
    /// Enrolled on that future.
    private let observer: FutureNode

    init(_ observer: FutureNode) {
        self.observer = observer
        super.init { observer.abort(with: .cancelled) }
    }

    /// The promise has settled otherwise, or as the other future did; then this does nothing.
    deinit { observer.abort(with: .cancelled) }

    override func raise(to priority: TaskPriority) -> [FutureNode] { [observer] }

    override var awaited: FutureNode? { observer }
}

/// The handlers of a policy that makes calls of its own for the promise.
final class RaisingHandlers: CancelHandlers, @unchecked Sendable {
    private let raising: @Sendable (TaskPriority) -> [FutureNode]

    init(
        _ handler: @escaping @Sendable () -> Void,
        raising: @escaping @Sendable (TaskPriority) -> [FutureNode]
    ) {
        self.raising = raising
        super.init(handler)
    }

    override func raise(to priority: TaskPriority) -> [FutureNode] { raising(priority) }
}
