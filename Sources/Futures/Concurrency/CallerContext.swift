internal import Synchronization

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
    /// The value that is bound now.
    package static var bound: (any AnyObject & Sendable)? {
        isInUse.load(ordering: .relaxed) ? value : nil
    }

    /// Calls a closure with a value bound.
    package static func bind<Output>(
        _ value: (any AnyObject & Sendable)?, _ body: () throws -> Output
    ) rethrows -> Output {
        if !isInUse.load(ordering: .relaxed) { isInUse.store(true, ordering: .relaxed) }
        return try $value.withValue(value, operation: body)
    }

    @TaskLocal private static var value: (any AnyObject & Sendable)?

    /// True once any value was bound in the process.
    ///
    /// Relaxed loads are enough, because a thread that has bound a value always reads true.
    private static let isInUse = Atomic<Bool>(false)

    private enum Captured: Sendable {
        case value((any AnyObject & Sendable)?)
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
        captured = .task(CallersTask(value))
    }

    /// The captured value.
    package var value: (any AnyObject & Sendable)? {
        switch captured {
        case .value(let value): value
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
        case .task(let task): return try task.run(body)
        }
    }
}

/// The task-local values of a caller, for work that begins later, on another thread.
///
/// Work that waits for another call to end would otherwise begin with that call's values, such as its user's token or
/// its log's metadata. A task copies the values of its creator. So this type creates a task, whose executor keeps the
/// task's job until the work begins. Then the executor runs the job, and the work runs inside it. That takes about a
/// microsecond if the caller is in a task. If the caller isn't in a task, it takes no time, and the work begins with no
/// values.
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

    /// The value to bind besides.
    let value: (any AnyObject & Sendable)?
    private let isInTask: Bool
    /// The executor that has the caller's values; nil if the caller isn't in a task.
    private var kept: Executor?

    /// Keeps the values of the code that calls it.
    init(_ value: (any AnyObject & Sendable)?) {
        self.value = value
        isInTask = withUnsafeCurrentTask { $0 != nil }
        if isInTask { keep() }
    }

    /// Runs work with the caller's values, on this thread.
    func run<Output, Failure: Error>(
        _ work: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        var result: Result<Output, Failure>?
        let begin: () -> Void = {
            // Here the caller's values are bound, so a new task can copy them for the next call of `run`.
            if self.isInTask { self.keep() }
            CallerContext(binding: self.value).run {
                do throws(Failure) { result = .success(try work()) } catch {
                    result = .failure(error)
                }
            }
        }
        withoutActuallyEscaping(begin) { (kept ?? Self.withoutValues()).run($0) }
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

    private static func withoutValues() -> Executor {
        let executor = Executor()
        Task.detached(executorPreference: executor) { executor.runWork() }
        return executor
    }
}
