internal import Pledge

/// What has happened in a ``TestStore``, and how much of it the test has taken.
///
/// A step is entered when its event is reduced. Next: taken by `send` or `receive`, or passed over.
struct TestJournal<State: Sendable, Event: Sendable>: Sendable {
    struct Step: Sendable {
        let event: Event
        let old: State
        let new: State
    }

    /// The events of effects that the test has not received, in order.
    private(set) var unreceived: [Step] = []
    /// The event that the test is sending, once it is reduced.
    private(set) var sent: Step?
    /// The errors of effects that failed without an event.
    private(set) var errors: [any Error] = []
    /// How many events of effects have come.
    private(set) var count = 0
    private var waiting: [Promise<Void>] = []

    mutating func enterSent(_ step: Step) { sent = step }

    /// Adds an event of an effect.
    ///
    /// Returns who waits for it.
    mutating func enterReceived(_ step: Step) -> [Promise<Void>] {
        unreceived.append(step)
        count += 1
        defer { waiting = [] }
        return waiting
    }

    mutating func enter(_ error: any Error) { errors.append(error) }

    mutating func takeSent() -> Step? {
        defer { sent = nil }
        return sent
    }

    /// Takes the first event.
    mutating func takeFirst() -> Step? { unreceived.isEmpty ? nil : unreceived.removeFirst() }

    /// Takes the first event that matches, and passes over those before it.
    mutating func takeFirst(where matches: (Event) -> Bool) -> Step? {
        guard let index = unreceived.firstIndex(where: { matches($0.event) }) else { return nil }
        defer { unreceived.removeSubrange(...index) }
        return unreceived[index]
    }

    /// Takes all events, and all errors.
    mutating func takeAll() -> (steps: [Step], errors: [any Error]) {
        defer { (unreceived, errors) = ([], []) }
        return (unreceived, errors)
    }

    /// A future that settles when more events have come than a number.
    mutating func arrival(after known: Int) -> Future<Void> {
        if count > known { return Future(value: ()) }
        let promise = Promise<Void>()
        waiting.append(promise)
        return promise
    }
}
