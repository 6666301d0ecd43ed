public import Synchronization

/// The context of the caller of some code, which runs later in that context.
///
/// It's the only way in which a call's context travels. The context is a value that a higher module binds. This module
/// doesn't know its type. There are two depths:
///
/// - A transform that returns a future starts work, so it runs in the context of the code that registers it. The code
///   that settles the upstream may have any other context, and so may a thread that runs deferred deliveries. ``init()``
///   captures only the bound value. Until a context is bound for the first time in the process, each such transform
///   costs two loads of a flag. From then on, it also costs two reads of a task-local value.
/// - A call that has to wait for a timer, a place or another call begins in whatever task ends the wait.
///   ``init(keepingTaskWith:)`` keeps all task-local values of the caller's task, too. That takes about a microsecond.
@usableFromInline
package struct CallerContext: Sendable {
    @inlinable
    package static var bound: (any AnyObject & Sendable)? {
        isInUse.load(ordering: .relaxed) ? local.get() : nil
    }

    /// Calls a closure with a value bound.
    ///
    /// It's inlined, because a call's stack has a frame of it for each policy that binds a context.
    @inlinable
    package static func bind<Output>(
        _ value: (any AnyObject & Sendable)?, _ body: () throws -> Output
    ) rethrows -> Output {
        if !isInUse.load(ordering: .relaxed) { isInUse.store(true, ordering: .relaxed) }
        return try local.withValue(value, operation: body)
    }

    /// The task-local value itself; `@TaskLocal` can't declare one that other modules may inline.
    @usableFromInline
    package static let local = TaskLocal<(any AnyObject & Sendable)?>(wrappedValue: nil)

    /// True once any value was bound in the process.
    ///
    /// Relaxed loads are enough, because a thread that has bound a value always reads true.
    @usableFromInline package static let isInUse = Atomic<Bool>(false)

    private enum Captured: Sendable {
        case value((any AnyObject & Sendable)?)
        /// A caller that isn't in a task, so it has no task-local values.
        case noTask((any AnyObject & Sendable)?)
        case task(CallersTask)
    }

    private let captured: Captured

    /// Captures the bound value.
    @usableFromInline
    package init() { captured = .value(Self.bound) }

    /// Captures a value, for work that this thread begins before it returns.
    package init(binding value: (any AnyObject & Sendable)?) { captured = .value(value) }

    /// Captures a value and the task-local values of the code that calls this.
    ///
    /// Only one thread at a time may call ``run(_:)`` then.
    package init(keepingTaskWith value: (any AnyObject & Sendable)?) {
        captured =
            withUnsafeCurrentTask { $0 == nil } ? .noTask(value) : .task(CallersTask(value))
    }

    package var value: (any AnyObject & Sendable)? {
        switch captured {
        case .value(let value), .noTask(let value): value
        case .task(let task): task.value
        }
    }

    /// True if the captured value is bound now, and nothing else was captured.
    @usableFromInline var isBound: Bool {
        guard case .value(let value) = captured else { return false }
        return value === Self.bound
    }

    /// Runs a closure in the captured context, on this thread.
    package func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        switch captured {
        case .value(let value):
            if value === Self.bound { return try body() }
            return try Self.bind(value, body)
        case .noTask(let value): return try CallersTask.runWithoutValues(binding: value, body)
        case .task(let task): return try task.run(body)
        }
    }
}

/// The task-local values of a caller, for work that begins later, on another thread.
///
/// Work that waits for another call to end would otherwise begin with that call's values, such as its user's token or
/// its log's metadata. A task copies the values of its creator. So this type creates a task, whose executor keeps the
/// task's job until the work begins. Then the executor runs the job, and the work runs inside it. That takes about a
/// microsecond.
///
/// Unchecked: no two threads use it at once, because its users put their threads in order, by a lock or by waiting for
/// the end of the previous work.
private final class CallersTask: @unchecked Sendable {
    /// An executor that keeps one job until it is run.
    ///
    /// Unchecked: the job is set before another thread can know this object, and is run once.
    private final class Executor: TaskExecutor, @unchecked Sendable {
        private var job: UnownedJob?
        private var work: (() -> Void)?

        func enqueue(_ job: consuming ExecutorJob) { self.job = UnownedJob(job) }

        /// Runs the job with some work, on this thread.
        func run(_ work: (() -> Void)?) {
            self.work = work
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }

        func runWork() {
            work?()
            work = nil
        }
    }

    /// A value to bind in addition to the caller's task-local values.
    let value: (any AnyObject & Sendable)?
    /// The executor that has the caller's values.
    private var kept: Executor?

    /// Keeps the values of the code that calls it, which is in a task.
    init(_ value: (any AnyObject & Sendable)?) {
        self.value = value
        keep()
    }

    /// Runs work with the caller's values, on this thread.
    func run<Output, Failure: Error>(
        _ work: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        guard let kept else { preconditionFailure("the values are kept from the beginning") }
        // While the work runs, the caller's values are bound. Then `keep` makes a task that copies them for the next call.
        return try Self.run(work, binding: value, on: kept) { keep() }
    }

    /// Runs work with no task-local values, on this thread.
    static func runWithoutValues<Output, Failure: Error>(
        binding value: (any AnyObject & Sendable)?, _ work: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let executor = Executor()
        Task.detached(executorPreference: executor) { executor.runWork() }
        return try run(work, binding: value, on: executor) {}
    }

    private static func run<Output, Failure: Error>(
        _ work: () throws(Failure) -> Output, binding value: (any AnyObject & Sendable)?,
        on executor: Executor, first: () -> Void
    ) throws(Failure) -> Output {
        var result: Result<Output, Failure>?
        let begin: () -> Void = {
            first()
            CallerContext(binding: value).run {
                do throws(Failure) { result = .success(try work()) } catch {
                    result = .failure(error)
                }
            }
        }
        withoutActuallyEscaping(begin) { executor.run($0) }
        guard let result else { preconditionFailure("the work has run") }
        return try result.get()
    }

    deinit {
        // A job that never runs is never released. So this runs the job that is left, without any work.
        kept?.run(nil)
    }

    private func keep() {
        let executor = Executor()
        Task(executorPreference: executor) { executor.runWork() }
        kept = executor
    }
}
