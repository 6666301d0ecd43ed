internal import CFutures
internal import Synchronization

/// Reports to a developer about futures that may never settle.
public enum FutureReports {
    private static let handler = Locked<@Sendable (String) -> Void>({ text in
        let line = "Pledge: \(text)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    })
    #if DEBUG
    private static let limit = Locked<Duration?>(.seconds(10))
    #else
    private static let limit = Locked<Duration?>(nil)
    #endif
    private static let unobserved = Atomic<Bool>(false)

    /// Sends the reports elsewhere than to the standard error.
    ///
    /// - Parameter handler: Called with each report, on any thread.
    public static func send(to handler: @escaping @Sendable (String) -> Void) {
        Self.handler.withLockThenRelease { former in
            defer { former = handler }
            return former
        }
    }

    /// How long a task may await a future before a report says what the future waits for; nil: no
    /// report.
    ///
    /// A cycle is reported, also one that no task awaits. 10 s in debug builds, nil in release builds.
    public static var awaitingLimit: Duration? {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    /// Whether a promise that is released pending, without waiters, is reported; false by default.
    public static var reportsUnobservedPromises: Bool {
        get { unobserved.load(ordering: .relaxed) }
        set { unobserved.store(newValue, ordering: .relaxed) }
    }

    static func noteUnobserved(_ promise: FutureNode) {
        guard reportsUnobservedPromises, !promise.wasGivenUp else { return }
        tell("nobody waited for the promise\(place(of: promise)), which was released unsettled")
    }

    /// Reports a task that waits for too long, unless the timer is cancelled.
    ///
    /// Not in a simulation, which has another time and says itself which calls never end.
    static func watch(_ waiter: FutureNode) -> (any ScheduledAction)? {
        guard let limit = awaitingLimit, TaskHome.current == nil else { return nil }
        return LiveScheduler.shared.schedule(after: limit) { [weak waiter] in
            guard let future = waiter?.lockedUpstream() else { return }
            let place = place(of: future)
            tell("a task has waited \(limit) for the future\(place)\(reason(of: future))")
        }
    }

    /// Searches for a cycle later, if few other searches are scheduled.
    static func watchForCycle(_ future: FutureNode) {
        guard let limit = awaitingLimit, watches.load(ordering: .relaxed) < 1_000 else { return }
        watches.wrappingAdd(1, ordering: .relaxed)
        LiveScheduler.shared.schedule(after: limit) { [weak future] in
            watches.wrappingSubtract(1, ordering: .relaxed)
            guard let future, !future.findCycle().isEmpty else { return }
            tell("the future\(place(of: future)) never settles\(reason(of: future))")
        }
    }

    private static let watches = Atomic<Int>(0)

    /// Makes a report.
    package static func tell(_ text: String) { handler.withLock { $0 }(text) }

    private static func place(of node: FutureNode) -> String {
        node.origin.map { " made at \($0)" } ?? ""
    }

    /// The chain that a pending future waits for, up to a producer, or back to itself.
    private static func reason(of future: FutureNode) -> String {
        let cycle = future.findCycle()
        if !cycle.isEmpty {
            let places = cycle.compactMap(\.origin).map { "\($0)" }.joined(separator: ", ")
            return ": it waits for itself, by way of \(places)"
        }
        var (last, text) = (future, "")
        var known: Set = [ObjectIdentifier(future)]
        while let next = last.lockedUpstream() ?? last.inputsOfAggregate.first(where: \.isPending),
            text.utf8.count < 2_000, known.insert(ObjectIdentifier(next)).inserted
        {
            last = next
            if last.origin != nil { text += ", which waits for the one\(place(of: last))" }
        }
        return text + (last.isRoot ? ", which its producer may have forgotten" : "")
    }
}
