import CPledgeTesting
import Dispatch
import PledgeFutures
import PledgeServices
import PledgeSimulation

/// What one test in virtual time runs: its steps, its timers, and its waits for the clock.
///
/// All steps run on the main thread, in ``drain()``, until nothing is left that can run. `drain` then returns, and the
/// main thread is free for other tests.
final class VirtualScope: @unchecked Sendable {
    // Unchecked: the lock guards `state`. The rest belongs to the main thread, once `begin` has returned.

    /// An object that each task keeps until it ends, among the task-local values that it has from the test.
    final class Leftover: Sendable {}
    @TaskLocal static var leftover: Leftover?

    /// A caller of `advance`, which waits until the clock has reached an instant and nothing more can run there.
    private struct Wait {
        /// The instant; nil for `run`, which waits until nothing is left.
        let end: Int64?
        let continuation: UnsafeContinuation<Void, Never>

        /// Returns whether this wait ends before another one.
        func isBefore(_ other: Self) -> Bool { (end ?? .max) < (other.end ?? .max) }
    }

    /// What threads share.
    private struct State {
        /// The work that came from outside the steps of this test.
        var arrivals: [@Sendable () -> Void] = []
        var tasks = TaskIDs()
        var isDraining = false
        var isClosed = false
    }

    let escapes = VirtualEscapes()
    let executor: SimulationScheduler
    /// Nil once the tasks have ended that the test has begun with `Task { }`.
    weak var leftover: Leftover?

    private let state = Locked(State())
    /// Stands for this scope where the scope itself would keep itself alive.
    private let identity: Leftover
    private let home: TaskHome
    /// The test's own task; nil once it may have ended, because a child task is freed even if a reference is left.
    private var task: UnsafeCurrentTask?
    private var waits: [Wait] = []
    /// The test's own task, which waits for the end of the test; nil before.
    private var end: UnsafeContinuation<Void, Never>?
    private var isOver = false
    /// True while the end waits for a step of another thread.
    private var isPatient = false
    /// The number of steps and actions, by which ``giveUp(after:)`` sees whether anything has happened.
    private var steps = 0
    /// The number of timers since an `advance` has returned.
    private var timers = 0

    private init(of task: UnsafeCurrentTask?, _ id: UInt64) {
        self.task = task
        let (identity, escapes) = (Leftover(), escapes)
        self.identity = identity
        executor = SimulationScheduler(
            for: VirtualTest {
                VirtualScope.current?.identity === identity
            } noteEscape: {
                escapes.note($0)
            })
        home = executor.home
        state.withLock { $0.tasks.caller = id }
    }

    /// The scope whose steps the calling thread runs.
    static var current: VirtualScope? {
        ctesting_scope().map { Unmanaged<VirtualScope>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The clock of the scope whose steps the calling thread runs; otherwise the passed one.
    ///
    /// It stands for real time where a test waits with a limit.
    static func clock(insteadOf scheduler: any FutureScheduler) -> any FutureScheduler {
        guard scheduler is LiveScheduler, let current else { return scheduler }
        return VirtualClock(of: current)
    }

    /// True once the hooks have reported a task.
    var hasFirstTask: Bool { state.withLock { $0.tasks.first != 0 } }

    /// Runs a closure as one of this scope's steps.
    private func inScope(_ body: () -> Void) {
        let former = ctesting_scope()
        ctesting_set_scope(Unmanaged.passUnretained(self).toOpaque())
        home.bind(body)
        ctesting_set_scope(former)
    }
}

// MARK: - Beginning and end

extension VirtualScope {
    /// Begins a scope, and moves the calling task into it.
    static func begin() async -> VirtualScope {
        let hasHooks = EnqueueHooks.areInstalled
        // Used only until `end` returns, so the task lives.
        nonisolated(unsafe) let task = withUnsafeCurrentTask { $0 }
        let scope = VirtualScope(of: task, ctesting_current_task_id())
        scope.onItsThread {
            if hasHooks, EnqueueHooks.report(to: scope) { return }
            scope.escapes.note(.withoutHooks)
        }
        // A task that is resumed before it is suspended goes on where it is, so it is moved once more.
        repeat {
            await withUnsafeContinuation { continuation in
                scope.onItsThread { continuation.resume() }
            }
        } while hasHooks && current !== scope
        return scope
    }

    /// Ends the scope: runs what can still run, discards the timers that are left, and moves the calling task out.
    ///
    /// What has left virtual time by then is in ``escapes``.
    func end() async {
        await withUnsafeContinuation { continuation in
            onItsThread { self.end = continuation }
        }
    }

    /// Ends the scope, now that nothing more can run at the present instant.
    private func close() {
        if !isOver {
            isOver = true
            inScope { executor.end {} }
        }
        guard leftover != nil, escapes.isEmpty else { return finish() }
        // A task is left that may wait for another thread. A moment shows whether that thread resumes it soon.
        if isPatient { return }
        isPatient = true
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) { self.finish() }
    }

    private func finish() {
        guard let end = end.take() else { return }
        let arrivals = state.withLock { state in
            state.isClosed = true
            defer { state.arrivals = [] }
            return state.arrivals
        }
        EnqueueHooks.remove(self)
        inScope {
            for work in arrivals { work() }
            while executor.runNext(until: executor.time) {}
        }
        for wait in waits { wait.continuation.resume() }
        waits = []
        task = nil
        end.resume()
    }
}

// MARK: - Steps

extension VirtualScope {
    /// Takes a step that the runtime is about to give to an executor, if the step is one of this test.
    ///
    /// Call it on a thread that runs this scope's steps.
    ///
    /// - Parameters:
    ///   - task: The ID of the task; 0 for a step that isn't one of a task, such as an actor's.
    ///   - job: The step.
    ///   - onMain: True for a step on the main actor.
    func take(_ task: UInt64, _ job: UnownedJob, onMain: Bool) -> Bool {
        let isMine = state.withLock { state in
            if state.isClosed { return false }
            return task == 0 || state.tasks.insert(task)
        }
        if isMine { executor.add(job, onMain: onMain) }
        return isMine
    }

    /// Takes a step that another thread has resumed, if the step is one of this test.
    func receive(_ task: UInt64, _ job: UnownedJob, onMain: Bool) -> Bool {
        let isMine = state.withLock { !$0.isClosed && $0.tasks.contains(task) }
        guard isMine else { return false }
        escapes.note(.step, on: String(cString: ctesting_queue_name()))
        onItsThread { self.executor.add(job, onMain: onMain) }
        return true
    }

    /// Runs an action once, after a delay of the clock.
    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        if Self.current === self { return executor.schedule(after: delay, action) }
        escapes.note(.timer, on: String(cString: ctesting_queue_name()))
        let timer = ForeignTimer()
        onItsThread { timer.begin(self.executor.schedule(after: delay, action)) }
        return timer
    }

    /// Waits until the clock has been moved, or until nothing is left to run.
    func advance(by duration: Duration?) async {
        if state.withLock({ $0.isClosed }) { return }
        await withUnsafeContinuation { continuation in
            onItsThread {
                let now = self.executor.time
                let end = duration.map { now.addingReportingOverflow($0.nanoseconds) }
                self.waits.append(
                    Wait(
                        end: end.map { $0.overflow ? .max : $0.partialValue },
                        continuation: continuation))
            }
        }
    }

    /// Does something in this scope: now, or on the main thread a moment later; never once the scope has ended.
    private func onItsThread(_ work: @escaping @Sendable () -> Void) {
        if Self.current === self { return work() }
        let mustDrain = state.withLock { state in
            if state.isClosed { return false }
            state.arrivals.append(work)
            return !state.isDraining
        }
        if mustDrain { DispatchQueue.main.async { self.drain() } }
    }

    /// Runs everything that can run, on the main thread.
    private func drain() {
        let mayBegin = state.withLock { state in
            if state.isDraining || state.isClosed { return false }
            state.isDraining = true
            return true
        }
        guard mayBegin else { return }
        repeat { inScope { while step() { steps += 1 } } } while !isAtRest()
        if end != nil { return close() }
        giveUp(unlessAfter: steps)
    }

    /// Ends a drain, unless work has arrived meanwhile.
    private func isAtRest() -> Bool {
        state.withLock { state in
            state.isDraining = !state.arrivals.isEmpty
            return !state.isDraining
        }
    }

    /// Does the next thing; returns false if there is nothing to do.
    private func step() -> Bool {
        let arrivals = state.withLock { state in
            let arrivals = state.arrivals
            state.arrivals = []
            return arrivals
        }
        for work in arrivals { work() }
        if executor.runNext(until: executor.time) { return true }
        // Nothing more can run at this instant.
        if let next = waits.indices.min(by: { waits[$0].isBefore(waits[$1]) }) {
            if mayMove(), executor.runNext(until: waits[next].end ?? .max) { return true }
            let wait = waits.remove(at: next)
            if let end = wait.end { executor.run(until: end) }
            timers = 0
            wait.continuation.resume()
            return true
        }
        return end == nil && mayMove() && executor.runNext(until: .max)
    }

    /// Returns whether the clock may move to another instant, and counts how often it does.
    private func mayMove() -> Bool {
        timers += 1
        if timers == 100_000 { escapes.note(.endless) }
        return timers < 100_000
    }

    /// Cancels the test if nothing happens any more.
    ///
    /// Another thread may still resume the test, which fails in either case. So the wait for that thread is short.
    private func giveUp(unlessAfter steps: Int) {
        DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) { [self] in
            guard steps == self.steps, !state.withLock({ $0.isClosed }) else { return }
            escapes.note(.nothingHappens)
            inScope { task?.cancel() }
            drain()
        }
    }
}

/// The IDs of a test's tasks.
///
/// The process counts its tasks, so an array with one element for each task since the first is enough.
private struct TaskIDs {
    /// The task of the test itself, which began before.
    var caller: UInt64 = 0
    /// The first task that has begun after the test; 0 before it is known.
    private(set) var first: UInt64 = 0
    private var isMine: [Bool] = []

    /// Adds a task that a step of the test has begun or resumed.
    ///
    /// - Returns: False if the task began before the test, so that it belongs to someone else.
    mutating func insert(_ task: UInt64) -> Bool {
        if task == caller { return true }
        if first == 0 { first = task }
        guard task >= first, task - first < 1 << 40 else { return false }
        let index = Int(task - first)
        if index >= isMine.count {
            isMine.append(contentsOf: repeatElement(false, count: index + 1 - isMine.count))
        }
        isMine[index] = true
        return true
    }

    func contains(_ task: UInt64) -> Bool {
        if task == caller { return true }
        return first != 0 && task >= first && task - first < UInt64(isMine.count)
            && isMine[Int(task - first)]
    }
}

/// The token of an action that another thread has scheduled.
private final class ForeignTimer: ScheduledAction {
    private let state = Locked<(isCancelled: Bool, timer: (any ScheduledAction)?)>((false, nil))

    /// Takes the action itself.
    func begin(_ timer: any ScheduledAction) {
        let isCancelled = state.withLock { state in
            state.timer = timer
            return state.isCancelled
        }
        if isCancelled { timer.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.timer
        }?.cancel()
    }
}
