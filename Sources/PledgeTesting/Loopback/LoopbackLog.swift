import Pledge

/// The events of a loopback server, and the waiters for further events.
final class LoopbackLog: Sendable {
    /// The events so far.
    struct Events: Sendable {
        var requests: [LoopbackRequest] = []
        var accepted = 0
        var open = 0
        var hangUps = 0
        var isStopped = false
    }

    private struct Waiter {
        var isMet: @Sendable (Events) -> Bool
        var promise: Promise<Events>
    }

    private let state = Locked((events: Events(), waiters: [Waiter]()))

    var events: Events { state.withLock { $0.events } }

    /// A future that settles when a condition holds for the first time.
    ///
    /// It rejects when the server stops.
    func moment(where isMet: @escaping @Sendable (Events) -> Bool) -> Future<Events> {
        let promise = Promise<Events>()
        let events = state.withLock { state -> Events? in
            if isMet(state.events) || state.events.isStopped { return state.events }
            state.waiters.append(Waiter(isMet: isMet, promise: promise))
            return nil
        }
        if let events { settle(promise, with: events, isMet: isMet(events)) }
        return promise
    }

    /// Notes an event, and settles the waiters whose condition it meets.
    func note(_ change: @Sendable (inout Events) -> Void) {
        let (events, waiters) = state.withLock { state -> (Events, [Waiter]) in
            change(&state.events)
            let events = state.events
            let due = state.waiters.filter { events.isStopped || $0.isMet(events) }
            state.waiters.removeAll { events.isStopped || $0.isMet(events) }
            return (events, due)
        }
        for waiter in waiters {
            settle(waiter.promise, with: events, isMet: waiter.isMet(events))
        }
    }

    private func settle(_ promise: Promise<Events>, with events: Events, isMet: Bool) {
        guard !isMet else { return _ = promise.resolve(with: events) }
        let seen = "\(events.requests.count) requests and \(events.hangUps) hang-ups were seen"
        promise.reject(
            with: LoopbackError(.stopped, "the loopback server was stopped after \(seen)")
        )
    }
}
