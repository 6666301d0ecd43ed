internal import CPledgeFutures

/// The beginning of a call, which a task that is already cancelled doesn't make.
///
/// A task makes the calls that its own code begins. The calls below these, and the calls that a future's transforms,
/// observers and cancel handlers begin, may have other callers too. So they don't depend on the task that happens to
/// run them.
@usableFromInline
package enum CallBeginning {
    /// True if a call that begins now is made by a task that is already cancelled.
    @usableFromInline package static var isTooLate: Bool {
        let thread = cfutures_current_thread().pointee
        return thread.depth == 0 && thread.hosting == 0 && Task.isCancelled
    }

    /// Runs code whose calls don't depend on the current task.
    @inlinable
    package static func forAnyone<Output>(_ body: () throws -> Output) rethrows -> Output {
        host(1)
        defer { host(-1) }
        return try body()
    }

    /// Adds to the number of this thread's frames whose calls don't depend on the current task.
    @usableFromInline
    static func host(_ change: Int) {
        let thread = cfutures_current_thread()
        thread.pointee.hosting += change
    }
}

extension Future {
    /// Begins a call, unless it is made by a task that is already cancelled.
    ///
    /// ```swift
    /// { input in .unlessCancelled { service(input) } }
    /// ```
    ///
    /// Once the call has begun, only its own cancellation ends it, even if the task is cancelled meanwhile, because
    /// other callers may have joined it.
    ///
    /// - Returns: The call's future, or one that has failed with `CancellationError`.
    @inlinable
    package static func unlessCancelled(_ begin: () -> Future) -> Future {
        if CallBeginning.isTooLate { return Future(error: CancellationError()) }
        return CallBeginning.forAnyone(begin)
    }
}
