import Synchronization

/// A suspended task, enrolled on the future that it awaits.
///
/// Its word is `pending` until it is delivered to (`value`) or given up (`leaving`, then `failure`).
/// Whichever is first resumes the task.
final class TaskWaiter: Enrolled, @unchecked Sendable {
    /// Guarded by the lock, then by whoever settles the word.
    private var continuation: UnsafeContinuation<Void, Never>?

    init() {
        super.init { waiter, _ in
            let waiter = unsafeDowncast(waiter, to: TaskWaiter.self)
            guard waiter.claim(as: Word.value) else { return waiter.waitUntilLeft() }
            waiter.continuation?.resume()
        }
    }

    /// Whether the future has settled before this was cancelled.
    ///
    /// Acquiring: what the deliverer saw of the future is seen here, too.
    var wasDelivered: Bool { word.load(ordering: .acquiring) == Word.value }

    /// Resumes a task once a future has settled, or as soon as the task is cancelled.
    func wait(for future: FutureNode, resuming continuation: UnsafeContinuation<Void, Never>) {
        guard lockIfPending() else {
            // Cancelled before it began to wait.
            waitUntilLeft()
            future.giveUpInterest()
            return continuation.resume()
        }
        self.continuation = continuation
        unlock()
        future.enrollShared(self)
    }

    /// Gives up, if the future has not settled.
    func cancel() {
        guard claim(as: Word.leaving) else { return }
        var departure = Departure()
        departure.detach(self)
        departure.conclude()
        continuation?.resume()
    }
}
