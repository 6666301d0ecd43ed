#if AsyncHTTPClient
import Futures

/// Notices when nothing has come or gone for too long.
///
/// One timer runs, and is set anew when it comes too soon; so what comes and goes only notes the time.
/// AsyncHTTPClient's own limit sets a timer for each piece, which costs a tenth of a small call, and
/// counts while a reader pauses.
final class IdleWatch: Sendable {
    private struct State {
        /// When something last came or went; nil while nothing is to be expected.
        var last: SchedulerInstant?
        var timer: (any ScheduledAction)?
        /// What to do about it; nil when the watch has ended.
        var act: (@Sendable () -> Void)?
    }

    private let limit: Duration
    private let scheduler: any Scheduler
    private let state = Locked(State())

    init(_ limit: Duration, on scheduler: any Scheduler) {
        self.limit = limit
        self.scheduler = scheduler
    }

    /// Begins to watch.
    func start(_ act: @escaping @Sendable () -> Void) {
        let now = scheduler.now
        state.withLock {
            $0.last = now
            $0.act = act
        }
        setTimer(after: limit)
    }

    /// Says that something has come or gone, or is asked for now.
    func note() {
        let now = scheduler.now
        state.withLock { $0.last = now }
    }

    /// Says that nothing is to be expected until something is noted.
    func pause() { state.withLock { $0.last = nil } }

    /// Ends the watch.
    func stop() {
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        last.timer?.cancel()
    }

    private func setTimer(after delay: Duration) {
        let timer = scheduler.schedule(after: delay) { [weak self] in self?.look() }
        let isWanted = state.withLock { state in
            if state.act != nil { state.timer = timer }
            return state.act != nil
        }
        if !isWanted { timer.cancel() }
    }

    private func look() {
        let now = scheduler.now
        let (left, act) = state.withLock { state in
            (state.last.map { limit - $0.duration(to: now) } ?? limit, state.act)
        }
        if left <= .zero { act?() } else if act != nil { setTimer(after: left) }
    }
}
#endif
