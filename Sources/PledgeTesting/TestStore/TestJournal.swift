internal import Pledge

/// The steps of a ``TestStore``, and which of them the test has taken.
///
/// A step is entered when its event is reduced. Next: taken by `send` or `receive`, or skipped.
struct TestJournal<State: Sendable, Event: Sendable>: Sendable {
    struct ReducedEvent: Sendable {
        let event: Event
        let old: State
        let new: State
    }

    /// The events that the test has not received, in order.
    var unreceived: [ReducedEvent] = []
    /// The recording while the test sends an event.
    var sending: Sending?
    /// The errors of effects that failed without an event.
    private var errors: [any Error] = []
    private var waiting: [InternalPromise<Void>] = []

    /// Adds a step.
    ///
    /// - Returns: The waiters for an event, which the caller wakes.
    mutating func enter(_ step: ReducedEvent, on thread: TestThread) -> [InternalPromise<Void>] {
        if sending != nil {
            sending?.add(step, on: thread)
            return []
        }
        unreceived.append(step)
        return takeWaiting()
    }

    mutating func enter(_ error: any Error) { errors.append(error) }

    /// Takes the first event.
    mutating func takeFirst() -> ReducedEvent? {
        unreceived.isEmpty ? nil : unreceived.removeFirst()
    }

    /// Takes the first event that matches, and skips those before it.
    mutating func takeFirst(where matches: (Event) -> Bool) -> ReducedEvent? {
        guard let index = unreceived.firstIndex(where: { matches($0.event) }) else { return nil }
        defer { unreceived.removeSubrange(...index) }
        return unreceived[index]
    }

    /// Takes all events, and all errors.
    mutating func takeAll() -> (steps: [ReducedEvent], errors: [any Error]) {
        defer { (unreceived, errors) = ([], []) }
        return (unreceived, errors)
    }

    /// Adds a promise to resolve when the next event arrives.
    mutating func wait(_ promise: InternalPromise<Void>) { waiting.append(promise) }

    /// Removes a promise, if it was not taken to be resolved.
    mutating func stopWaiting(_ promise: InternalPromise<Void>) {
        waiting.removeAll { $0 === promise }
    }

    /// Takes the waiters.
    mutating func takeWaiting() -> [InternalPromise<Void>] {
        defer { waiting = [] }
        return waiting
    }
}
