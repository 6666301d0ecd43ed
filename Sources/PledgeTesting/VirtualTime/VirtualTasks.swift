import CPledgeTesting

/// The IDs of a test's tasks.
///
/// The process counts its tasks, so an array with one element for each task since the first is enough.
struct TaskIDs {
    /// The task of the test itself, which began before.
    var caller: UInt64 = 0
    /// The first task that has begun after the test; 0 before it is known.
    private(set) var first: UInt64 = 0
    private var kinds: [Insertion] = []

    /// At least the number of the tasks.
    var count: Int { kinds.count }

    /// What is known of a task: nothing before, that it is one of the test, that it is watched as well, or that it isn't one
    /// of the test.
    enum Insertion: UInt8 { case new, known, watched, refused }

    /// Adds a task that a step of the test has begun or resumed.
    ///
    /// A task that began before the test is refused: it belongs to someone else. ID 0, of a step that isn't a task's, is
    /// known.
    mutating func insert(_ task: UInt64) -> Insertion {
        if task == caller { return .watched }
        if task == 0 { return .known }
        if first == 0 { first = task }
        guard task >= first, task - first < 1 << 40 else { return .refused }
        let index = Int(task - first)
        if index >= kinds.count {
            kinds.append(contentsOf: repeatElement(.new, count: index + 1 - kinds.count))
        }
        defer { if kinds[index] == .new { kinds[index] = .known } }
        return kinds[index]
    }

    /// Notes that a task is watched.
    mutating func watch(_ task: UInt64) { kinds[Int(task - first)] = .watched }

    func contains(_ task: UInt64) -> Bool {
        if task == caller { return true }
        return first != 0 && task >= first && task - first < UInt64(kinds.count)
            && kinds[Int(task - first)] != .new
    }
}

/// Tasks that are asked whether another thread runs them; each with a reference.
///
/// They are the first thousand of a test that haven't ended, because each move of the clock asks them all.
struct WatchedTasks {
    private var tasks: [UnsafeMutableRawPointer] = []

    /// Adds a task, by its first step, if there is room.
    ///
    /// - Returns: False if it isn't added.
    mutating func add(_ job: UnownedJob) -> Bool {
        let task = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
        guard tasks.count < 1_000, ctesting_watch(task) else { return false }
        tasks.append(task)
        return true
    }

    /// Forgets the tasks that have ended, and inserts the IDs of those that run, or wait for an executor.
    ///
    /// - Parameter fromLast: True to look at the latest task first, and to forget none.
    /// - Returns: False if there are none of those.
    mutating func look(for ids: inout Set<UInt64>, fromLast: Bool = false) -> Bool {
        var areAway = false
        if fromLast {
            areAway = tasks.reversed().contains { ctesting_is_away($0) }
        } else {
            let left = tasks.withUnsafeMutableBufferPointer {
                ctesting_forget_ended($0.baseAddress, $0.count, &areAway)
            }
            tasks.removeLast(tasks.count - left)
        }
        guard areAway else { return false }
        for task in tasks where ctesting_is_away(task) { ids.insert(ctesting_task_id(task)) }
        return true
    }

    /// Cancels all of them.
    func cancel() {
        for task in tasks { ctesting_cancel(task) }
    }

    /// Forgets all of them.
    mutating func forget() {
        for task in tasks { ctesting_forget(task) }
        tasks = []
    }
}
