extension FutureNode {
    /// Raises the priority of the tasks that produce this future.
    ///
    /// Swift does the same for a task that another task awaits.
    ///
    /// A producer that waits for other futures passes the raise on to them. At most 100 nodes are visited, because the
    /// awaiting task spends time on each of them.
    ///
    /// - Returns: The visited objects. Meanwhile, other threads may release their references to these objects. Then the
    ///   caller holds the last references, and may run a user's code when it releases them.
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
    /// - Returns: The futures that the producer waits for.
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

/// The cancel handlers of a future that a task produces.
final class TaskHandlers: CancelHandlers, @unchecked Sendable {
    private let task: Task<Void, Never>
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

/// The cancel handlers of a promise that follows another future.
final class FollowingHandlers: CancelHandlers, @unchecked Sendable {
    /// The node that waits for the other future.
    private let observer: FutureNode

    init(_ observer: FutureNode) {
        self.observer = observer
        super.init { observer.abort(with: .cancelled) }
    }

    /// Gives up the other future, if it is still pending because the promise has settled in another way.
    deinit { observer.abort(with: .cancelled) }

    override func raise(to priority: TaskPriority) -> [FutureNode] { [observer] }

    override var awaited: FutureNode? { observer }
}

/// The cancel handlers of a promise whose producer waits for other futures, which `raising` returns.
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
