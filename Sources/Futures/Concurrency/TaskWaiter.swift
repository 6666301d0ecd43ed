internal import Dispatch
import Synchronization

/// A suspended task, enrolled on the future that it awaits.
///
/// Its word is `pending` until it is delivered to (`value`) or given up (`detaching`, then `failure`).
/// The first of the two resumes the task.
@usableFromInline
final class TaskWaiter: Waiter, @unchecked Sendable {
    /// Guarded by the lock, then owned by the thread that settles the word.
    private var continuation: UnsafeContinuation<Void, Never>?

    /// The settled future, taken over with its result: until then this does not keep it alive.
    ///
    /// Written under the lock.
    @exclusivity(unchecked) var source: FutureNode?

    @usableFromInline
    init() {
        super.init(deliver: Self.deliverByOverride)
    }

    /// Enrolls this on a future.
    @usableFromInline
    func enroll(on future: FutureNode) { future.enroll(retained()) }

    /// Suspends a task until the future has settled, or until the task is cancelled.
    ///
    /// - Returns: The settled future; nil where the task was cancelled first. The reader loads the word with
    ///   acquiring order, and does not rely on the continuation: ThreadSanitizer does not see every hand-over
    ///   by the runtime.
    @usableFromInline
    func wait() async -> FutureNode? {
        let watch = FutureDiagnostics.watch(self)
        defer { watch?.cancel() }
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            await withTaskPriorityEscalationHandler {
                // With the handler in place, so that no escalation is missed.
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

    /// Raises what this waits for.
    ///
    /// The runtime calls this while it holds a lock of the raised task. So the last releases are left to another thread.
    private func raiseUnderLock(to priority: TaskPriority) {
        let seen = Seen(raise(to: priority))
        // Unmanaged, so that no variable here releases it last.
        let kept = Unmanaged.passRetained(consume seen)
        DispatchQueue.global().async { kept.release() }
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

    /// Gives up, if the future has not settled.
    ///
    /// The runtime calls this while it holds a lock of the cancelled task. So the task is resumed first; a
    /// producer's handlers and the last releases, which follow from the lost interest, are left to another
    /// thread; in a simulation, to its next event.
    private func cancel() {
        guard lockIfPending() else { return }
        let continuation = continuation
        unlock(to: StateWord.detaching)
        // Unmanaged, so that no variable here releases it last.
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

/// What a raise has looked at, until it is released.
private final class Seen: @unchecked Sendable {
    private let nodes: [AnyObject]

    init(_ nodes: [AnyObject]) { self.nodes = nodes }
}
