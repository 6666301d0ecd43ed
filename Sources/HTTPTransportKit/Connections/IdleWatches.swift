package import PledgeFutures

/// An exchange that is ended if it is idle for too long.
package protocol IdleWatched: AnyObject, Sendable {
    /// The instant of the last activity; nil while no activity is expected.
    var lastSign: SchedulerInstant? { get }

    /// Ends the exchange, because it was idle for too long.
    func timeOut()
}

/// Detects idle calls of a transport.
///
/// All calls have the same limit, so one timer serves them all. The timer fires when the first call may be due, checks
/// each call, and is set again for the call that is due next. Activity only records the time, and a call that begins
/// and ends between two checks costs only a place in a list. (AsyncHTTPClient's own limit sets a timer for each chunk,
/// which takes a tenth of the time of a small call. It also counts the time in which a reader pauses.)
///
/// A call is ended when it reaches the limit, or up to a hundredth of the limit later. Without this tolerance, many
/// calls would set the timer again and again. When no call is left, the timer is not cancelled; it fires once more, and
/// does nothing.
package final class IdleWatches: Sendable {
    private struct State {
        /// The watched calls; an element that is nil is free for another call.
        var places: [(any IdleWatched)?] = []
        var free: [Int] = []
        /// True if a timer is set, or about to be.
        var isTimed = false
        var timer: (any ScheduledAction)?
    }

    package let scheduler: any FutureScheduler
    package let limit: Duration
    private let state = Locked(State())

    package init(_ limit: Duration, on scheduler: any FutureScheduler) {
        self.limit = limit
        self.scheduler = scheduler
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    /// Starts watching a call, and returns its index in the list of calls.
    ///
    /// The call is retained until ``remove(_:)``.
    package func add(_ watched: any IdleWatched) -> Int {
        let (place, wasTimed) = state.withLock { state in
            defer { state.isTimed = true }
            guard let place = state.free.popLast() else {
                state.places.append(watched)
                return (state.places.count - 1, state.isTimed)
            }
            state.places[place] = watched
            return (place, state.isTimed)
        }
        if !wasTimed { setTimer(after: limit) }
        return place
    }

    /// Stops watching the call at an index.
    package func remove(_ place: Int) {
        // The call is released outside the lock, because releasing it may run other code.
        state.withLockThenRelease { state in
            state.free.append(place)
            return state.places[place].take()
        }
    }

    private func setTimer(after delay: Duration) {
        let timer = scheduler.schedule(after: delay) { [weak self] in self?.look() }
        state.withLock { $0.timer = timer }
    }

    private func look() {
        let now = scheduler.now
        var soonest = limit
        for watched in state.withLock({ $0.places }) {
            guard let last = watched?.lastSign else { continue }
            let left = limit - last.duration(to: now)
            if left <= .zero { watched?.timeOut() } else { soonest = min(soonest, left) }
        }
        let isWanted = state.withLock { state in
            state.isTimed = state.free.count < state.places.count
            return state.isTimed
        }
        if isWanted { setTimer(after: max(soonest, limit / 100)) }
    }
}
