package import PledgeFutures

/// The one timer of a call's deadline, for all parts of the call that act when the deadline passes.
///
/// The outermost policy acts first, so the caller gets that policy's error, and the call below is cancelled. A part that
/// has ended by then doesn't act.
struct DeadlineTimer: Sendable {
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
    /// Only the scheduler keeps this object alive. The actions keep the call's context, and the context keeps the timer,
    /// so a reference from the timer would be a cycle.
    fileprivate final class Waiting: @unchecked Sendable {
        /// Usually only one action waits, which needs no array.
        private var sole: Entry?
        private var others: [Entry] = []
        var timer: (any ScheduledAction)?

        var isEmpty: Bool { sole == nil && others.isEmpty }

        func append(_ entry: Entry) {
            if isEmpty { sole = entry } else { others.append(entry) }
        }

        func remove(_ id: Int) -> Entry? {
            if sole?.id == id { return sole.take() }
            return others.firstIndex { $0.id == id }.map { others.remove(at: $0) }
        }

        /// Removes the entry that acts first: a transport's is last, and of policies, the outermost's is first.
        func removeFirst() -> Entry? {
            let all = (sole.map { [$0] } ?? []) + others
            let first = all.min { left, right in
                if left.part != right.part { return left.part.rawValue < right.part.rawValue }
                return left.id > right.id
            }
            return first.flatMap { remove($0.id) }
        }
    }

    struct State {
        fileprivate weak var waiting: Waiting?
        fileprivate var lastID = 0
    }

    let state: Locked<State>

    /// Adds an action of a part; the first one sets the timer.
    func add(
        _ action: @escaping @Sendable () -> Void, of part: Part, at deadline: CallDeadline
    ) -> any ScheduledAction {
        let (id, waiting, isFirst) = state.withLock { state in
            let old = state.waiting
            let waiting = old ?? Waiting()
            state.waiting = waiting
            state.lastID += 1
            waiting.append(Entry(id: state.lastID, part: part, action: action))
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
            waiting.timer = waiting.isEmpty ? nil : timer
            return !waiting.isEmpty
        }
        if !isNeeded { timer.cancel() }
    }

    /// Removes and returns the entry that acts next; nil if there is none.
    private func next(of waiting: Waiting) -> Entry? {
        state.withLock { state in
            if let entry = waiting.removeFirst() { return entry }
            if state.waiting === waiting { state.waiting = nil }
            return nil
        }
    }

    private func remove(_ id: Int) {
        // The entry is released outside the lock, because releasing its action may run other code.
        let (entry, timer) = state.withLock { state -> (Entry?, (any ScheduledAction)?) in
            guard let waiting = state.waiting, let entry = waiting.remove(id) else {
                return (nil, nil)
            }
            guard waiting.isEmpty else { return (entry, nil) }
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
    /// If the policy and the deadline have the same scheduler, the wait shares the call's one timer. Otherwise this is
    /// the policy's own scheduler.
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
