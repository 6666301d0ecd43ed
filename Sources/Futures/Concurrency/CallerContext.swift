internal import Synchronization

/// The context of the code that registers a transform; the transform runs in that context.
///
/// The context is a value that a higher module binds. This module doesn't know its type.
///
/// Transforms that return a future start work, so they run in the context of the code that registers them. The code
/// that settles the upstream may have any other context, and so may a thread that runs deferred deliveries. Until a
/// context is bound for the first time in the process, each such transform costs two loads of a flag. From then on,
/// it also costs two reads of a task-local value.
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

    private let captured: (any AnyObject & Sendable)?

    /// Captures the bound value.
    @usableFromInline
    package init() { captured = Self.bound }

    /// True if the captured value is bound now.
    @usableFromInline var isBound: Bool { captured === Self.bound }

    /// Runs a closure with the captured value bound.
    func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        if isBound { return try body() }
        return try rebind(body)
    }

    private func rebind<Output>(_ body: () throws -> Output) rethrows -> Output {
        try Self.bind(captured, body)
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
package final class CallersTask: @unchecked Sendable {
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

    private let isInTask: Bool
    /// The executor that has the caller's values; nil if the caller isn't in a task.
    private var kept: Executor?

    /// Keeps the values of the code that calls it.
    package init() {
        isInTask = withUnsafeCurrentTask { $0 != nil }
        if isInTask { keep() }
    }

    /// Runs work with the caller's values, on this thread.
    package func run<Output>(_ work: () -> Output) -> Output {
        var output: Output?
        withoutActuallyEscaping(work) { work in
            let next = kept ?? Self.withoutValues()
            next.run {
                // Here the caller's values are bound, so a new task can copy them for the next call of `run`.
                if self.isInTask { self.keep() }
                output = work()
            }
        }
        guard let output else { preconditionFailure("the work has run") }
        return output
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
