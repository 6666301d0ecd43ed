import CPledgeTesting
import Dispatch
import PledgeFutures
import PledgeServices
import PledgeSimulation
import Synchronization

/// One test in virtual time: its steps, its timers, and its waits for the clock.
///
/// All steps run on the main thread, in ``drain()``, until none is left that can run. Then the main thread is free for
/// other tests.
final class VirtualScope: @unchecked Sendable {
    // Unchecked: the lock guards `state`. The rest belongs to the main thread, once `begin` has returned.

    /// Every task of the test has it among its task-local values; it lives until the last one ends.
    final class Leftover: Sendable {}
    @TaskLocal static var leftover: Leftover?

    /// How many seconds a test that can't go on waits for another thread; at the test's end, a tenth of that.
    ///
    /// The test fails in any case. If the thread resumes a task meanwhile, the report names its queue.
    @TaskLocal static var patience = 1.0

    /// A caller of `advance`, which waits until the clock has reached an instant and nothing more can run then.
    private struct Wait {
        /// Nil for `run`, which waits until nothing is left.
        let end: Int64?
        let continuation: UnsafeContinuation<Void, Never>

        func isBefore(_ other: Self) -> Bool { (end ?? .max) < (other.end ?? .max) }
    }

    /// What threads share.
    private struct State {
        /// Work from outside this test's steps.
        var arrivals: [@Sendable () -> Void] = []
        var tasks = TaskIDs()
        var isDraining = false
        var isClosed = false
    }

    let escapes: VirtualEscapes
    let executor: SimulationScheduler
    /// Nil once all tasks have ended that the test began with `Task { }`.
    weak var leftover: Leftover?

    private let isStuck: Promise<Void>
    private let patience: Double

    private let state = Locked(State())
    /// True if there are `arrivals`; a hint that spares most steps the lock.
    private let hasArrivals = Atomic<Bool>(false)
    /// Stands for this scope in closures that must not keep the scope alive.
    let identity: Leftover
    private let home: TaskHome
    /// The test's own task; nil once it may have ended, because a reference doesn't keep a child task alive.
    private var task: UnsafeCurrentTask?
    private var waits: [Wait] = []
    /// Resumes the test's own task at the end of the test; nil before it waits for that.
    private var end: UnsafeContinuation<Void, Never>?
    private var isOver = false
    /// True while the end waits for another thread's step.
    private var isPatient = false
    private var isCancelled = false
    /// The tasks that may be running on another thread, because they call an actor there.
    private var watched = WatchedTasks()
    /// Those that were last seen running, or waiting for an executor, elsewhere.
    private var away: Set<UInt64> = []
    private var look = Look()
    /// How many steps and actions there were, so that ``giveUp(unlessAfter:)`` sees whether anything happens.
    private var steps = 0
    /// How often the clock has moved since an `advance` has returned.
    private var moves = 0
    /// How many steps there were at the present instant.
    private var present = (steps: 0, time: Int64(0))
    /// Too many steps at one instant: 100,000, and 100 more for each task.
    private var mostSteps = 100_000

    private init(
        of task: UnsafeCurrentTask?, _ id: UInt64, _ escapes: VirtualEscapes,
        _ isStuck: Promise<Void>
    ) {
        self.task = task
        self.escapes = escapes
        self.isStuck = isStuck
        let identity = Leftover()
        self.identity = identity
        executor = SimulationScheduler(for: Stand(identity: identity, escapes: escapes))
        home = executor.home
        patience = Self.patience
        state.withLock { $0.tasks.caller = id }
    }

    /// The scope whose steps the calling thread runs.
    static var current: VirtualScope? {
        ctesting_scope().map { Unmanaged<VirtualScope>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The clock of the test whose steps the calling thread runs; `scheduler` on other threads.
    ///
    /// Waits with a time limit use it, so that in virtual time they don't last in real time.
    static func clock(insteadOf scheduler: any FutureScheduler) -> any FutureScheduler {
        guard scheduler is LiveScheduler, let current else { return scheduler }
        return VirtualClock(of: current)
    }

    /// True if the calling thread, whichever it is, runs a task of this test.
    private var isInItsTask: Bool {
        if Self.current === self { return true }
        let task = ctesting_current_task_id()
        return state.withLock { $0.tasks.contains(task) }
    }

    var hasFirstTask: Bool { state.withLock { $0.tasks.first != 0 } }

    /// Runs a closure as one of this scope's steps.
    private func inScope(_ body: () -> Void) {
        let former = ctesting_scope()
        ctesting_set_scope(Unmanaged.passUnretained(self).toOpaque())
        home.bind(body)
        ctesting_set_scope(former)
    }
}

extension VirtualScope {
    /// Begins a scope, and moves the calling task into it.
    ///
    /// - Parameters:
    ///   - escapes: Records what leaves virtual time.
    ///   - isStuck: Resolved if the test must be reported although it doesn't end.
    static func begin(_ escapes: VirtualEscapes, _ isStuck: Promise<Void>) async -> VirtualScope {
        let hasHooks = EnqueueHooks.areInstalled
        // Used only until `waitForEnd` returns, so the task lives.
        nonisolated(unsafe) let task = withUnsafeCurrentTask { $0 }
        let scope = VirtualScope(of: task, ctesting_current_task_id(), escapes, isStuck)
        scope.onItsThread {
            if hasHooks, EnqueueHooks.report(to: scope) { return }
            scope.escapes.noteEscape(.withoutHooks)
        }
        // A task that is resumed before it's suspended stays where it is, so it's moved once more.
        repeat {
            await withUnsafeContinuation { continuation in
                scope.onItsThread { continuation.resume() }
            }
        } while hasHooks && current !== scope
        return scope
    }

    /// Ends the scope: runs what can still run, discards the timers, and moves the calling task out.
    ///
    /// Afterwards, ``escapes`` has what has left virtual time.
    func waitForEnd() async {
        await withUnsafeContinuation { continuation in
            let isClosed = !onItsThread { self.end = continuation }
            if isClosed { continuation.resume() }
        }
    }

    /// Ends the scope; nothing more can run at the present instant.
    private func close() {
        if !isOver {
            isOver = true
            inScope { executor.endRun {} }
        }
        guard leftover != nil, escapes.isEmpty else { return finish() }
        // A task that is left may be waiting for another thread, which may resume it in a moment.
        if isPatient { return }
        isPatient = true
        DispatchQueue.main.asyncAfter(deadline: .now() + patience / 10) { self.finish() }
    }

    private func finish() {
        let end = end.take()
        let arrivals = state.withLock { state in
            state.isClosed = true
            defer { state.arrivals = [] }
            return state.arrivals
        }
        EnqueueHooks.remove(self)
        inScope {
            for work in arrivals { work() }
            if !isOver { executor.endRun {} }
            while executor.runNext(until: executor.time) {}
        }
        for wait in waits { wait.continuation.resume() }
        waits = []
        task = nil
        watched.forget()
        end?.resume()
    }
}

extension VirtualScope {
    /// Takes a step of this test that the runtime is about to give to an executor.
    ///
    /// Call it on a thread that runs this scope's steps.
    ///
    /// - Parameters:
    ///   - task: The task's ID; 0 for a step of no task, such as an actor's.
    ///   - job: The step.
    ///   - onMain: True for a step on the main actor.
    func takeJob(_ task: UInt64, _ job: UnownedJob, onMain: Bool) -> Bool {
        let known = state.withLock { state in
            state.isClosed ? .refused : state.tasks.insert(task)
        }
        if known == .refused { return false }
        add(task, job, known, onMain: onMain)
        return true
    }

    /// Takes a step of this test that another thread has begun or resumed.
    ///
    /// - Parameters:
    ///   - present: The task that the other thread runs; 0 for none.
    ///   - isOurs: True if the step is known to be of this test.
    func receive(
        _ task: UInt64, _ job: UnownedJob, from present: UInt64, isOurs: Bool = false, onMain: Bool
    ) -> Bool {
        let (known, isWithin) = state.withLock { state -> (TaskIDs.Insertion, Bool) in
            if state.isClosed { return (.refused, false) }
            let isWithin = state.tasks.contains(present)
            guard isOurs || isWithin || state.tasks.contains(task) else { return (.refused, false) }
            return (state.tasks.insert(task), isWithin)
        }
        if known == .refused { return false }
        let queue = String(cString: ctesting_queue_name())
        return onItsThread {
            // Unless the task has just called an actor that another thread was running, and comes back from there.
            if !isWithin, task != 0, self.away.remove(task) == nil {
                self.escapes.noteEscape(.step, on: queue)
            }
            self.add(task, job, known, onMain: onMain)
        }
    }

    private func add(_ task: UInt64, _ job: UnownedJob, _ known: TaskIDs.Insertion, onMain: Bool) {
        var isWatched = known == .watched
        if known == .new, watched.add(job) {
            state.withLock { $0.tasks.watch(task) }
            isWatched = true
        }
        executor.add(job, onMain: onMain, isWatched: isWatched)
    }

    /// Runs an action after a delay of the clock.
    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        if Self.current === self { return executor.schedule(after: delay, action) }
        let isInItsTask = isInItsTask
        if !isInItsTask { escapes.noteEscape(.timer, on: String(cString: ctesting_queue_name())) }
        let timer = ForeignTimer()
        let isTaken = onItsThread {
            timer.begin(self.executor.schedule(after: delay, action))
        }
        // Otherwise a loop that an ended test has left would never end.
        if !isTaken, isInItsTask { withUnsafeCurrentTask { $0?.cancel() } }
        return timer
    }

    /// Waits until the clock has moved, or until nothing is left to run.
    func advance(by duration: Duration?) async {
        if !isInItsTask { escapes.noteEscape(.timer, on: String(cString: ctesting_queue_name())) }
        await withUnsafeContinuation { continuation in
            let isTaken = onItsThread {
                let now = self.executor.time
                let end = duration.map { now.addingReportingOverflow($0.nanoseconds) }
                self.waits.append(
                    Wait(
                        end: end.map { $0.overflow ? .max : $0.partialValue },
                        continuation: continuation))
            }
            if !isTaken { continuation.resume() }
        }
    }

    /// Does work in this scope, now or a moment later on the main thread.
    ///
    /// - Returns: False, without doing it, if the scope has ended.
    @discardableResult
    private func onItsThread(_ work: @escaping @Sendable () -> Void) -> Bool {
        if Self.current === self {
            work()
            return true
        }
        let (isTaken, mustDrain) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.arrivals.append(work)
            hasArrivals.store(true, ordering: .relaxed)
            return (true, !state.isDraining)
        }
        if mustDrain { DispatchQueue.main.async { self.drain() } }
        return isTaken
    }

    /// Runs everything that can run, on the main thread.
    ///
    /// Every ten thousand steps, others get the main thread in between.
    private func drain() {
        let mayBegin = state.withLock { state in
            if state.isDraining || state.isClosed { return false }
            state.isDraining = true
            return true
        }
        guard mayBegin else { return }
        look.isAway = false
        var left = 10_000
        repeat {
            inScope {
                while left > 0, step() {
                    steps += 1
                    left -= 1
                }
            }
        } while left > 0 && !isAtRest()
        if left == 0, !isTooBusy {
            state.withLock { $0.isDraining = false }
            return DispatchQueue.main.async { self.drain() }
        }
        if isTooBusy { return finish() }
        if look.isAway { return lookAgain() }
        if end != nil { return close() }
        giveUp(unlessAfter: steps)
    }

    /// Ends a drain, unless work has arrived meanwhile.
    private func isAtRest() -> Bool {
        state.withLock { state in
            state.isDraining = !state.arrivals.isEmpty && !isTooBusy
            return !state.isDraining
        }
    }

    /// Does the next thing; returns false if there is none.
    private func step() -> Bool {
        if hasArrivals.load(ordering: .relaxed) { takeArrivals() }
        guard mayStep() else { return false }
        if executor.runNext(until: executor.time) { return true }
        // Nothing more can run at this instant, except on another thread.
        look.isAway = isAway()
        if look.isAway { return false }
        // A task has just come back from another thread.
        if hasArrivals.load(ordering: .relaxed) { return true }
        if let next = waits.indices.min(by: { waits[$0].isBefore(waits[$1]) }) {
            let end = waits[next].end
            if end != nil || mayMove(), executor.runNext(until: end ?? .max) { return true }
            let wait = waits.remove(at: next)
            if let end { executor.run(until: end) }
            moves = 0
            wait.continuation.resume()
            return true
        }
        return end == nil && mayMove() && executor.runNext(until: .max)
    }

    private func takeArrivals() {
        let arrivals = state.withLock { state in
            hasArrivals.store(false, ordering: .relaxed)
            let arrivals = state.arrivals
            state.arrivals = []
            return arrivals
        }
        for work in arrivals { work() }
    }

    /// Returns whether the clock may move on, and counts how often it does.
    private func mayMove() -> Bool {
        moves += 1
        if moves == 100_000 { escapes.noteEscape(.endless) }
        return moves < 100_000
    }

    /// Returns whether another step may run at the present instant, and counts them.
    ///
    /// Too many steps cancel the test's tasks; twice as many end the scope.
    private func mayStep() -> Bool {
        let time = executor.time
        present = present.time == time ? (present.steps + 1, time) : (1, time)
        guard present.steps >= mostSteps else { return true }
        mostSteps = 100_000 + 100 * state.withLock { $0.tasks.count }
        if present.steps == mostSteps {
            escapes.noteEscape(.busy)
            cancel()
            watched.cancel()
        }
        return present.steps < 2 * mostSteps
    }

    private var isTooBusy: Bool { present.steps >= 2 * mostSteps }

    private func cancel() {
        isCancelled = true
        inScope { task?.cancel() }
    }

    /// Cancels the test if nothing happens any more; if that has no effect, the test is reported as it is.
    ///
    /// Another thread may still resume the test, which fails in any case, so the wait for that is short.
    private func giveUp(unlessAfter steps: Int) {
        DispatchQueue.main.asyncAfter(deadline: .now() + patience) { [self] in
            guard steps == self.steps, !state.withLock({ $0.isClosed }) else { return }
            if isCancelled {
                isStuck.resolve(with: ())
                return
            }
            escapes.noteEscape(.nothingHappens)
            cancel()
            drain()
        }
    }
}

extension VirtualScope {
    /// Stands for a scope in the scheduler, which must not keep the scope alive.
    private struct Stand: VirtualTest {
        let identity: Leftover
        let escapes: VirtualEscapes

        var isOnItsThread: Bool { VirtualScope.current?.identity === identity }

        func noteEscape(_ code: SimulationError.Code) { escapes.noteEscape(code) }

        func move(_ action: @escaping @Sendable () -> Void) -> Bool {
            guard let scope = EnqueueHooks.scope(of: identity), scope.isInItsTask else {
                return false
            }
            return scope.onItsThread(action)
        }

        func takeJob(_ job: UnownedJob) -> Bool {
            let task = ctesting_task_id(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
            if isOnItsThread {
                return VirtualScope.current?.takeJob(task, job, onMain: false) ?? false
            }
            return EnqueueHooks.scope(of: identity)?.receive(
                task, job, from: ctesting_current_task_id(), isOurs: true, onMain: false) ?? false
        }

        func willRun(_ job: UnownedJob) { VirtualScope.current?.willRun(job) }

        func didRun(_ job: UnownedJob) { VirtualScope.current?.didRun(job) }
    }

    /// A watched task continues here.
    private func willRun(_ job: UnownedJob) {
        if away.isEmpty { return }
        away.remove(ctesting_task_id(unsafeBitCast(job, to: UnsafeMutableRawPointer.self)))
    }

    /// A watched task has ended, or waits.
    private func didRun(_ job: UnownedJob) {
        let task = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
        if ctesting_is_away(task) { away.insert(ctesting_task_id(task)) }
    }

    /// The next look for tasks that are away on another thread.
    private struct Look {
        /// True if the last look found one.
        var isAway = false
        var isPlanned = false
        /// How many looks there were at the present step.
        ///
        /// After the hundredth, only looks after the probe has run are counted.
        var count = 0
        var steps = -1
        /// Set by a job that was given to the thread pool after the hundredth look.
        ///
        /// A busy pool runs an actor only after earlier jobs, for example other tests'.
        var probe: Locked<Bool>?
    }

    /// Returns whether another thread runs a task of this test, or will run an actor for it.
    ///
    /// A task that calls an actor which another thread is just running continues on that thread.
    private func isAway() -> Bool {
        if look.count >= 10_000 { return false }
        // While one look goes from task to task, a later task may resume an earlier one and end. So a second look goes
        // the other way.
        return watched.look(for: &away) || isBodyAway || watched.look(for: &away, fromLast: true)
    }

    private var isBodyAway: Bool {
        task.map { ctesting_is_away(unsafeBitCast($0, to: UnsafeMutableRawPointer.self)) } ?? false
    }

    /// A flag that a job of the lowest priority sets, once the thread pool has run what it got before.
    private static func probe() -> Locked<Bool> {
        let hasRun = Locked(false)
        Task.detached(priority: .background) { hasRun.withLock { $0 = true } }
        return hasRun
    }

    /// Drains again in a moment: after 50 microseconds at first, and then after a millisecond.
    private func lookAgain() {
        if look.isPlanned { return }
        if look.steps != steps { look = Look(isAway: look.isAway, steps: steps) }
        if look.count == 100, look.probe == nil { look.probe = Self.probe() }
        if look.probe?.withLock({ $0 }) ?? true { look.count += 1 }
        if look.count == 10_000 { escapes.noteEscape(.away) }
        look.isPlanned = true
        let pause = DispatchTimeInterval.microseconds(look.count < 100 ? 50 : 1_000)
        DispatchQueue.main.asyncAfter(deadline: .now() + pause) {
            self.look.isPlanned = false
            self.drain()
        }
    }
}

/// A handle for an action that another thread has scheduled.
private final class ForeignTimer: ScheduledAction {
    private let state = Locked<(isCancelled: Bool, timer: (any ScheduledAction)?)>((false, nil))

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
