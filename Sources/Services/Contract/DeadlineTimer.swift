package import PledgeFutures

/// The one timer of a call's deadline, for all parts of the call that act when the deadline passes.
///
/// The outermost policy acts first, so the caller gets that policy's error, and the call below is cancelled. A part that
/// has ended by then doesn't act.
final class DeadlineTimer: Sendable {
    /// The kinds of parts, in the order in which they act.
    enum Part: Int {
        /// A policy around the whole call; the last one that was added is the outermost.
        case call
        /// A policy around one attempt.
        case attempt
        case transport
    }

    fileprivate struct Entry {
        let id: Int
        let part: Part
        let action: @Sendable () -> Void
    }

    /// The actions that wait, guarded by the lock of ``state``.
    ///
    /// Only the scheduler keeps them. So they are released with the scheduler, although they keep the call's context,
    /// which keeps this timer.
    fileprivate final class Waiting: @unchecked Sendable {
        var entries: [Entry] = []
        var timer: (any ScheduledAction)?
    }

    private struct State {
        weak var waiting: Waiting?
        var lastID = 0
    }

    private let state = Locked(State())

    /// Adds an action of a part; the first one sets the timer.
    func add(
        _ action: @escaping @Sendable () -> Void, of part: Part, at deadline: CallDeadline
    ) -> any ScheduledAction {
        let (id, waiting, isFirst) = state.withLock { state in
            let old = state.waiting
            let waiting = old ?? Waiting()
            state.waiting = waiting
            state.lastID += 1
            waiting.entries.append(Entry(id: state.lastID, part: part, action: action))
            return (state.lastID, waiting, old == nil)
        }
        if isFirst { set(waiting, deadline) }
        return Token(timer: self, id: id)
    }

    private func set(_ waiting: Waiting, _ deadline: CallDeadline) {
        // Nobody waits any more if an answer has lifted the deadline, and there is none around it.
        guard let current = deadline.current else { return }
        let timer = current.scheduler.schedule(after: current.remaining) {
            while let left = deadline.current?.remaining, left <= .zero {
                guard let entry = self.next(of: waiting) else { return }
                entry.action()
            }
            // An upload has postponed the deadline, or an answer has lifted it.
            self.set(waiting, deadline)
        }
        let isNeeded = state.withLock { _ in
            waiting.timer = waiting.entries.isEmpty ? nil : timer
            return !waiting.entries.isEmpty
        }
        if !isNeeded { timer.cancel() }
    }

    /// Removes and returns the entry that acts next; nil if there is none.
    private func next(of waiting: Waiting) -> Entry? {
        state.withLock { state in
            guard let index = waiting.firstIndex else {
                if state.waiting === waiting { state.waiting = nil }
                return nil
            }
            return waiting.entries.remove(at: index)
        }
    }

    private func remove(_ id: Int) {
        // The entry is released outside the lock, because releasing its action may run other code.
        let (entry, timer) = state.withLock { state -> (Entry?, (any ScheduledAction)?) in
            guard let waiting = state.waiting,
                let index = waiting.entries.firstIndex(where: { $0.id == id })
            else { return (nil, nil) }
            let entry = waiting.entries.remove(at: index)
            guard waiting.entries.isEmpty else { return (entry, nil) }
            state.waiting = nil
            return (entry, waiting.timer.take())
        }
        timer?.cancel()
        withExtendedLifetime(entry) {}
    }

    private struct Token: ScheduledAction {
        let timer: DeadlineTimer
        let id: Int

        func cancel() { timer.remove(id) }
    }
}

extension DeadlineTimer.Waiting {
    /// The index of the entry that acts first: a transport's is last, and of policies, the outermost's is first.
    fileprivate var firstIndex: Int? {
        entries.indices.min { left, right in
            let (left, right) = (entries[left], entries[right])
            if left.part != right.part { return left.part.rawValue < right.part.rawValue }
            return left.id > right.id
        }
    }
}

/// A clock on which a policy waits for a call's deadline, whatever the delay; it shares the call's one timer.
struct DeadlineClock: FutureScheduler {
    let context: CallContext
    let part: DeadlineTimer.Part
    let scheduler: any FutureScheduler

    var now: SchedulerInstant { scheduler.now }

    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        context.atDeadline(part, action) ?? scheduler.schedule(after: delay, action)
    }
}

extension CallContext {
    /// The clock on which a policy waits for this call's deadline.
    ///
    /// It is the policy's own clock if the deadline is measured by another one.
    func clock(of part: DeadlineTimer.Part, on scheduler: any FutureScheduler)
        -> any FutureScheduler
    {
        guard let other = deadline?.scheduler, type(of: other) is AnyClass,
            type(of: scheduler) is AnyClass, other as AnyObject === scheduler as AnyObject
        else { return scheduler }
        return DeadlineClock(context: self, part: part, scheduler: scheduler)
    }

    /// Runs a transport's action when the call's deadline passes, after all policies that are still interested.
    ///
    /// - Returns: A token that cancels the action; nil if the call has no deadline.
    package func atDeadline(
        _ action: @escaping @Sendable () -> Void
    ) -> (any ScheduledAction)? { atDeadline(.transport, action) }
}
