internal import CPledgeFutures
internal import Dispatch
import Synchronization

extension Future {
    /// Creates a future from an async operation.
    ///
    /// ```swift
    /// let product = Future { try await store.product(7) }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The priority of the task; nil for the caller's priority.
    ///   - fileID: The file that ``FutureDiagnostics`` names; leave it out.
    ///   - line: The line that ``FutureDiagnostics`` names; leave it out.
    ///   - operation: Runs in its own task, which starts now. As in a `Task`, a closure that you write in the code of an
    ///     actor, such as the main actor, runs on that actor. The task is cancelled when the future is cancelled, or
    ///     loses its last waiter.
    public convenience init(
        priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init()
        // The task keeps the future alive until it ends, so the future is never abandoned.
        let task =
            if let home = TaskHome.current {
                Task(executorPreference: home.executor, priority: priority) {
                    await self.settle(by: operation)
                }
            } else {
                Task(priority: priority) { await self.settle(by: operation) }
            }
        add(
            TaskHandlers(cancelling: task, madeAt: CodeLocation(fileID: fileID, line: line)))
    }

    private final func settle(by operation: @Sendable () async throws -> Value) async {
        do {
            _ = succeed(try await operation())
        } catch {
            _ = fail(Failure(error))
        }
    }

    /// Creates a future from an operation that doesn't await.
    ///
    /// This initializer does the same as the one for an async operation. Without this initializer, Swift would take the
    /// closure itself for the future's value.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task; nil for the caller's priority.
    ///   - fileID: The file that ``FutureDiagnostics`` names; leave it out.
    ///   - line: The line that ``FutureDiagnostics`` names; leave it out.
    ///   - operation: Runs in its own task, which starts now. As in a `Task`, a closure that you write in the code of an
    ///     actor, such as the main actor, runs on that actor.
    public convenience init(
        priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ operation: @escaping @isolated(any) @Sendable () throws -> Value
    ) {
        self.init(priority: priority, fileID: fileID, line: line) { () async throws -> Value in
            try await operation()
        }
    }

    /// The value, awaited.
    ///
    /// ```swift
    /// let product = try await loadProduct(7).value
    /// ```
    ///
    /// Returns at once if the future has settled, even in a cancelled task, as `Task.value` does. If the awaiting task
    /// is cancelled before the future settles, the task gives up its interest in the future, as a cancelled transform
    /// does. Other waiters are not affected. If the producer then has to stop, its cancel handlers run on another
    /// thread.
    ///
    /// Awaiting doesn't keep the future alive. If there are no other references, as in the example, the future is
    /// released while the task is suspended. So if the future is a promise, and its producer drops it without settling
    /// it, the promise fails as abandoned. In a debug build, some expressions keep such a future until it has settled:
    /// `(consume future).value`, and `loadProduct(7).value` by a compiler before Swift 6.3. There, write ``get()``.
    ///
    /// - Throws: The future's error; `CancellationError` if the awaiting task was cancelled first.
    @inlinable
    public final var value: Value {
        consuming get async throws { try await (consume self).get() }
    }

    /// Returns the value, awaited.
    ///
    /// It does the same as ``value``, but never keeps the future while you wait. With ``value``, some compilers keep it.
    ///
    /// - Throws: The future's error; `CancellationError` if the awaiting task was cancelled first.
    @inlinable
    public final consuming func get() async throws -> Value {
        if hasSettled { return try settledResult.get() }
        let waiter = TaskWaiter(of: consume self)
        return try await waiter.result(of: Value.self).get()
    }

    /// The result, awaited.
    ///
    /// It never throws, but otherwise works like ``value``. If the awaiting task is cancelled first, the result is
    /// a failure with `CancellationError`.
    @inlinable
    public final var resultWhenSettled: Result<Value, any Error> {
        consuming get async {
            if hasSettled { return settledResult }
            let waiter = TaskWaiter(of: consume self)
            return await waiter.result(of: Value.self)
        }
    }
}

/// Turns an async function into a function that returns a future.
///
/// ```swift
/// let networking: Networking = asFuture { endpoint in try await client.load(endpoint) }
/// ```
///
/// In a task that is already cancelled, the function doesn't start the operation, and its future fails with
/// `CancellationError`.
///
/// - Parameter operation: Runs in its own task for each call. Cancelling the future cancels the task.
/// - Returns: A function that starts the operation and returns at once.
package func asFuture<Input: Sendable, Output: Sendable>(
    _ operation: @escaping @Sendable (Input) async throws -> Output
) -> @Sendable (Input) -> Future<Output> {
    { input in .unlessCancelled { Future { try await operation(input) } } }
}

/// Turns a function that returns a future into an async function.
///
/// ```swift
/// let load = awaiting(networking)
/// let data = try await load(.product(withID: 7))
/// ```
///
/// - Parameter function: A function that returns a future. It isn't called in a task that is already cancelled.
/// - Returns: A function that awaits the future's value. If the awaiting task is cancelled, the task gives up its
///   interest in the future.
package func awaiting<Input: Sendable, Output: Sendable>(
    _ function: @escaping @Sendable (Input) -> Future<Output>
) -> @Sendable (Input) async throws -> Output {
    { input in
        try Task.checkCancellation()
        return try await function(input).get()
    }
}

/// The node with which a suspended task waits for a future.
///
/// The node's word is `pending` until the task gets a result (`value`) or is cancelled (`detaching`, then `failure`).
/// Whichever of the two happens first resumes the task.
@usableFromInline
final class TaskWaiter: Waiter, @unchecked Sendable {
    /// The suspended task; guarded by the lock while pending, then used only by the thread that settled this node.
    private var continuation: UnsafeContinuation<Void, Never>?

    /// The future, after it has settled; nil before, so that this node doesn't keep a pending future alive.
    ///
    /// Written under the lock.
    @exclusivity(unchecked) var source: FutureNode?

    /// Creates a waiter in the list of a future, which it doesn't keep alive.
    @usableFromInline
    init(of future: consuming FutureNode) {
        super.init(deliver: Self.deliverByOverride)
        future.enroll(retained())
    }

    /// Suspends a task until the future has settled, or until the task is cancelled.
    ///
    /// - Parameter type: The type of the future's value.
    /// - Returns: The future's result; a failure with `CancellationError` if the task was cancelled first.
    @usableFromInline
    func result<Value: Sendable>(of type: Value.Type) async -> Result<Value, any Error> {
        guard let source = await wait() else { return .failure(CancellationError()) }
        return unsafeDowncast(source, to: Future<Value>.self).settledResult
    }

    /// Suspends a task until the future has settled, or until the task is cancelled.
    ///
    /// The continuation already orders the memory accesses. But ThreadSanitizer doesn't see every hand-over by the
    /// runtime, so the word is loaded with acquiring order, too.
    ///
    /// - Returns: The settled future; nil if the task was cancelled first.
    private func wait() async -> FutureNode? {
        let watch = FutureDiagnostics.watch(self)
        defer { watch?.cancel() }
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            await withTaskPriorityEscalationHandler {
                // The escalation handler is in place before this call raises the priority, so that no escalation is
                // missed.
                raise(to: Task.currentPriority)
                await suspendUntilDone()
            } onPriorityEscalated: { _, priority in
                raiseUnderLock(to: priority)
            }
        } else {
            await suspendUntilDone()
        }
        #else
        await suspendUntilDone()
        #endif
        return word.load(ordering: .acquiring) == StateWord.value ? source : nil
    }

    /// Passes a higher priority of the waiting task on to the tasks that produce the future.
    ///
    /// The runtime calls this while it holds a lock of the waiting task. Releasing the visited objects here could free
    /// them and run other code under that lock, so they are released later: by another thread or, in virtual time, in
    /// the next event.
    private func raiseUnderLock(to priority: TaskPriority) {
        let seen = Seen(raise(to: priority))
        // Unmanaged: a variable of this function might hold the last references, and release the objects under the
        // runtime's lock.
        let kept = Unmanaged.passRetained(consume seen)
        if let home = TaskHome.current {
            home.runLater { kept.release() }
        } else {
            DispatchQueue.global().async { kept.release() }
        }
    }

    private func suspendUntilDone() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { suspend($0) }
        } onCancel: {
            cancel()
        }
    }

    private func suspend(_ continuation: UnsafeContinuation<Void, Never>) {
        guard lockIfPending() else { return continuation.resume() }
        self.continuation = continuation
        unlock()
    }

    override func receive(_ settled: FutureNode) {
        guard lockIfPending() else { return waitUntilDetached() }
        source = settled
        let continuation = continuation
        unlock(to: StateWord.value)
        continuation?.resume()
    }

    /// Ends the wait because the task was cancelled, unless the future has settled.
    ///
    /// The runtime calls this while it holds a lock of the cancelled task. Giving up the task's interest may call a
    /// producer's handlers and free objects, and so run other code under that lock. So this method only resumes the
    /// task. The interest is given up later: on another thread or, in a simulation, in the simulation's next event.
    private func cancel() {
        guard lockIfPending() else { return }
        let continuation = continuation
        unlock(to: StateWord.detaching)
        // Unmanaged: a variable of this function might hold the last reference, and release the upstream under the
        // runtime's lock.
        let upstream = detach().map(Unmanaged.passRetained)
        continuation?.resume()
        guard let upstream else { return }
        let giveUp: @Sendable () -> Void = { upstream.takeRetainedValue().giveUpInterest() }
        if let home = TaskHome.current {
            home.runLater(giveUp)
        } else {
            DispatchQueue.global().async(execute: giveUp)
        }
    }
}

/// Keeps the objects that a raise of priorities has visited, until another thread releases them.
private final class Seen: @unchecked Sendable {
    private let nodes: [AnyObject]

    init(_ nodes: [AnyObject]) { self.nodes = nodes }
}

/// Keeps the work of a simulation on the simulation's thread.
///
/// This concerns the tasks that a ``Future`` starts, and the work that follows when a task is cancelled. A thread has a
/// home only while it runs a simulation, and the tasks on that thread have the same home.
package final class TaskHome: Sendable {
    let executor: any TaskExecutor
    let runLater: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let noteUse: @Sendable (Outside) -> Void

    /// The sources of time and chance that aren't a simulation's own.
    package enum Outside: Sendable {
        /// The time of the live scheduler, which was read.
        case time
        /// A timer of the live scheduler.
        case timer
        /// The system's random numbers.
        case chance
    }

    /// Creates a home.
    ///
    /// - Parameters:
    ///   - executor: The executor that runs the tasks.
    ///   - runLater: Runs a closure later, when the code that passed the closure has returned. That code may run under
    ///     a lock of the runtime, and the closure must not.
    ///   - noteUse: Called when code on the thread uses real time or the system's random numbers.
    package init(
        executor: any TaskExecutor,
        runLater: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        noteUse: @escaping @Sendable (Outside) -> Void = { _ in }
    ) {
        self.executor = executor
        self.runLater = runLater
        self.noteUse = noteUse
    }

    /// Tells the home of the calling thread, if there is one, that code uses a source outside the simulation.
    package static func noteUse(of outside: Outside) { current?.noteUse(outside) }

    /// The home that `bind` gave the calling thread; nil outside a simulation.
    static var current: TaskHome? {
        cfutures_current_thread().pointee.home
            .map { Unmanaged<TaskHome>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs a closure with this as the home of the calling thread.
    package func bind<Output>(_ body: () throws -> Output) rethrows -> Output {
        let thread = cfutures_current_thread()
        let former = thread.pointee.home
        thread.pointee.home = Unmanaged.passUnretained(self).toOpaque()
        defer { thread.pointee.home = former }
        return try withExtendedLifetime(self) { try body() }
    }
}
