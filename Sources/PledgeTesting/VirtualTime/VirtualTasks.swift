import CPledgeTesting

/// The IDs of a test's tasks.
///
/// IDs are consecutive in the process, so an array with one element for each task since the first is enough.
struct TaskIDs {
    /// The test's own task, which began earlier.
    var caller: UInt64 = 0
    /// The first task that began after the test; 0 until it's known.
    private(set) var first: UInt64 = 0
    private var kinds: [Insertion] = []

    var count: Int { kinds.count }

    /// The task is new, known as the test's, also watched, or not the test's.
    enum Insertion: UInt8 { case new, known, watched, refused }

    /// Adds a task that a step of the test has begun or resumed.
    ///
    /// One that began before the test belongs to somebody else, and is refused. ID 0, for a step of no task, is known.
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

    mutating func watch(_ task: UInt64) { kinds[Int(task - first)] = .watched }

    func contains(_ task: UInt64) -> Bool {
        if task == caller { return true }
        return first != 0 && task >= first && task - first < UInt64(kinds.count)
            && kinds[Int(task - first)] != .new
    }
}

/// Tasks that may be running on another thread, each with a reference.
///
/// Only a test's first thousand tasks that haven't ended, because each move of the clock asks all of them.
struct WatchedTasks {
    private var tasks: [UnsafeMutableRawPointer] = []

    /// Adds a task by its first step; returns false if there is no room.
    mutating func add(_ job: UnownedJob) -> Bool {
        let task = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
        guard tasks.count < 1_000, ctesting_watch(task) else { return false }
        tasks.append(task)
        return true
    }

    /// Forgets ended tasks, and inserts the IDs of those that run or wait for an executor.
    ///
    /// - Parameter fromLast: True to begin with the latest task, and to forget none.
    /// - Returns: True if it inserted any.
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

    func cancel() {
        for task in tasks { ctesting_cancel(task) }
    }

    mutating func forget() {
        for task in tasks { ctesting_forget(task) }
        tasks = []
    }
}
