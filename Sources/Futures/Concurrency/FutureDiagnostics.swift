internal import CPledgeFutures
internal import Synchronization

/// Reports for developers, about futures that may never settle.
public enum FutureDiagnostics {
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

    /// The clock that measures how long tasks wait; tests replace it.
    package static var scheduler: any FutureScheduler {
        get { clock.withLock { $0 } }
        set { clock.withLock { $0 = newValue } }
    }
    private static let clock = Locked<any FutureScheduler>(LiveScheduler.shared)

    /// Sends the reports to a handler instead of the standard error.
    ///
    /// - Parameter handler: Called with each report, on any thread.
    public static func send(to handler: @escaping @Sendable (String) -> Void) {
        Self.handler.withLockThenRelease { former in
            defer { former = handler }
            return former
        }
    }

    /// The time after which a report says what an awaiting task waits for; nil for no reports.
    ///
    /// A report is about futures that your code has to settle, and names your lines. It leaves out futures that wait
    /// for a timer, a transport or a policy's queue, because those end by themselves. A cycle is reported even if no
    /// task awaits it. By default, the limit is 10 s in debug builds, and nil in release builds.
    public static var awaitingLimit: Duration? {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    /// True to report each promise that is released while it is pending and has no waiters; false by default.
    public static var reportsUnobservedPromises: Bool {
        get { unobserved.load(ordering: .relaxed) }
        set { unobserved.store(newValue, ordering: .relaxed) }
    }

    static func noteUnobserved(_ promise: FutureNode) {
        guard reportsUnobservedPromises, !promise.wasGivenUp, let place = promise.usersPlace else {
            return
        }
        tell("nobody waited for the promise made at \(place), which was released unsettled")
    }

    /// Reports a task that waits too long, unless the watch is cancelled first.
    ///
    /// It does nothing in a simulation, because a simulation has its own time, and itself reports calls that never end.
    static func watch(_ waiter: FutureNode) -> Watch? {
        guard let limit = awaitingLimit, TaskHome.current == nil else { return nil }
        let task = withUnsafeCurrentTask { $0?.hashValue } ?? 0
        waits.withLock { $0[task] = WeakNode(node: waiter) }
        let timer = scheduler.schedule(after: limit) { [weak waiter] in
            guard let future = waiter?.lockedUpstream(), let reason = reason(of: future) else {
                return
            }
            tell("a task has waited \(limit) for the future\(place(of: future))\(reason)")
        }
        return Watch(timer: timer, task: task)
    }

    /// The watch over a task that waits.
    struct Watch {
        fileprivate let timer: any ScheduledAction
        fileprivate let task: Int

        func cancel() {
            timer.cancel()
            waits.withLockThenRelease { $0.removeValue(forKey: task) }
        }
    }

    /// The nodes of the watched tasks, by the hash values of the tasks.
    private static let waits = Locked<[Int: WeakNode]>([:])

    /// How many tasks are watched now.
    package static var watchedTasks: Int { waits.withLock { $0.count } }

    private struct WeakNode {
        weak var node: FutureNode?
    }

    /// The node with which a task waits for a future, while the task is watched.
    static func wait(of task: Task<Void, Never>) -> FutureNode? {
        waits.withLock { $0[task.hashValue]?.node }
    }

    /// Schedules a search for a cycle through a future, unless 1,000 searches are already scheduled.
    static func watchForCycle(_ future: FutureNode) {
        guard let limit = awaitingLimit, watches.load(ordering: .relaxed) < 1_000 else { return }
        watches.wrappingAdd(1, ordering: .relaxed)
        LiveScheduler.shared.set(after: limit) { [weak future] in
            watches.wrappingSubtract(1, ordering: .relaxed)
            guard let future, let reason = cycle(of: future) else { return }
            tell("the future\(place(of: future)) never settles\(reason)")
        }
    }

    private static let watches = Atomic<Int>(0)

    package static func tell(_ text: String) { handler.withLock { $0 }(text) }

    private static func place(of node: FutureNode) -> String {
        node.usersPlace.map { " made at \($0)" } ?? ""
    }

    /// Describes a cycle of waits that contains this future, or one of the next sixty that it waits for.
    private static func cycle(of future: FutureNode) -> String? {
        var (node, count): (FutureNode?, Int) = (future, 0)
        while let present = node, count < 60 {
            let cycle = present.findCycle()
            if !cycle.isEmpty {
                let places = cycle.compactMap(\.usersPlace).map { "\($0)" }
                    .joined(separator: ", ")
                let what = present === future ? "it waits" : "it waits for one that waits"
                return ": \(what) for itself, by way of \(places)"
            }
            (node, count) = (present.lockedUpstream() ?? present.followed, count + 1)
        }
        return nil
    }

    /// The reason why a future may never settle; nil if it waits for something that ends by itself.
    private static func reason(of future: FutureNode) -> String? {
        if let cycle = cycle(of: future) { return cycle }
        var known: Set<ObjectIdentifier> = []
        guard let way = way(from: future, &known), let last = way.last else { return nil }
        var text = ""
        for node in way.dropFirst() where node.usersPlace != nil && text.utf8.count < 2_000 {
            text += ", which waits for the one\(place(of: node))"
        }
        let isOfTask = last.producer { $0 as? TaskHandlers } != nil
        return text
            + (isOfTask
                ? ", whose operation has not returned" : ", which its producer may have forgotten")
    }

    /// The way from a future up to the user's producer that the future waits for.
    ///
    /// Nil if the future ends by itself, or if the way is longer than 2,000 futures.
    private static func way(
        from start: FutureNode, _ known: inout Set<ObjectIdentifier>
    ) -> [FutureNode]? {
        var way = [start]
        while let node = way.last {
            guard !node.endsByItself, known.count < 2_000,
                known.insert(ObjectIdentifier(node)).inserted
            else { return nil }
            if let next = node.lockedUpstream() ?? node.producer({ $0.awaited }) {
                way.append(next)
                continue
            }
            let inputs = node.inputsOfAggregate.filter(\.isPending)
            if inputs.isEmpty { return node.isRoot && node.usersPlace != nil ? way : nil }
            let ways = inputs.map { Self.way(from: $0, &known) }
            if node.needsOneInput, ways.contains(where: { $0 == nil }) { return nil }
            return ways.compactMap(\.self).first.map { way + $0 }
        }
        return nil
    }
}

extension FutureNode {
    /// The place in the user's code that created this; nil if the framework created it.
    fileprivate var usersPlace: CodeLocation? {
        let place = origin ?? producer { ($0 as? TaskHandlers)?.location }
        return place.flatMap { $0.isOfFramework ? nil : $0 }
    }

    /// The node with which a pending promise waits for the future that it follows; nil if it follows none.
    var followed: FutureNode? { producer { $0 as? FollowingHandlers }?.awaited }

    /// Calls `find` with each cancel handler of a root's producer, and returns the first result that isn't nil.
    fileprivate func producer<Found>(_ find: (CancelHandlers) -> Found?) -> Found? {
        guard isRoot,
            let handlers = copied({ cancelHandlers.map { (first: $0, newest: $0.newest) } }),
            let (first, newest) = handlers
        else { return nil }
        return first.first(through: newest, find)
    }
}

extension CodeLocation {
    /// True if the place is in one of the package's own modules.
    var isOfFramework: Bool {
        Self.modules.contains("\(fileID)".split(separator: "/").first.map(String.init) ?? "")
    }

    /// The modules in the package's products.
    package static let modules: Set = [
        "PledgeComposition", "PledgeFutures", "PledgeServices", "PledgeAdmission",
        "PledgeHTTPText", "PledgeHTTPMessages", "PledgeHTTPTransportKit", "PledgeHTTP",
        "PledgeHTTPNetworking", "PledgeHTTPCaching", "PledgeHTTPAuthentication",
        "PledgeHTTPBodies", "PledgeHTTPClients", "PledgeInMemoryTransport",
        "PledgeURLSessionTransport", "PledgeLibcurlTransport", "PledgeAsyncHTTPClientTransport",
        "PledgeHTTPTypesConversions", "PledgeOpenTelemetryInstrumentation", "PledgeStorage",
        "PledgeStores", "PledgeArticles", "PledgeObservation", "PledgeTraffic", "Pledge",
        "PledgeTesting", "PledgeTransportChecks", "PledgeSimulation",
    ]
}
