import Foundation
internal import Pledge

/// The steps of a ``TestStore`` that the test has not taken yet.
///
/// A step is an event, and the states before and after it. The store adds the step when it reduces the event. Later,
/// `send` or `receive` takes or skips the step.
struct TestJournal<State: Sendable, Event: Sendable>: Sendable {
    struct ReducedEvent: Sendable {
        let event: Event
        let old: State
        let new: State
    }

    /// The events that the test has not received, in order.
    var unreceived: [ReducedEvent] = []
    /// The steps since the test began to send an event; nil while the test sends none.
    var sending: Sending?
    /// The errors of effects that failed and sent no event about it.
    private var errors: [any Error] = []
    private var waiting: [InternalPromise<Void>] = []

    /// Adds a step.
    ///
    /// - Returns: The promises that wait for an event. The caller resolves them.
    mutating func enterStep(_ step: ReducedEvent, on thread: TestThread) -> [InternalPromise<Void>]
    {
        if sending != nil {
            sending?.add(step, on: thread)
            return []
        }
        unreceived.append(step)
        return takeWaiting()
    }

    mutating func enterError(_ error: any Error) { errors.append(error) }

    /// Takes the first event.
    mutating func takeFirst() -> ReducedEvent? {
        unreceived.isEmpty ? nil : unreceived.removeFirst()
    }

    /// Takes the first event that matches, and skips the events before it.
    mutating func takeFirst(where matches: (Event) -> Bool) -> ReducedEvent? {
        guard let index = unreceived.firstIndex(where: { matches($0.event) }) else { return nil }
        defer { unreceived.removeSubrange(...index) }
        return unreceived[index]
    }

    /// Takes all events and errors.
    mutating func takeAll() -> (steps: [ReducedEvent], errors: [any Error]) {
        defer { (unreceived, errors) = ([], []) }
        return (unreceived, errors)
    }

    /// Adds a promise to resolve when the next event arrives.
    mutating func wait(_ promise: InternalPromise<Void>) { waiting.append(promise) }

    /// Removes a promise; does nothing if the promise isn't waiting any more.
    mutating func stopWaiting(_ promise: InternalPromise<Void>) {
        waiting.removeAll { $0 === promise }
    }

    /// Takes all waiting promises.
    mutating func takeWaiting() -> [InternalPromise<Void>] {
        defer { waiting = [] }
        return waiting
    }
}

extension TestJournal {
    /// The steps that are reduced while the test dispatches an event.
    ///
    /// One of these steps belongs to the event that the test sends. To find that step, each step has a level. The
    /// test's own dispatch passes its event through the chain of middleware, on the test's thread; the steps that come
    /// out of the chain are at the test's level. Meanwhile a middleware, an observer or an effect may dispatch further
    /// events. Their steps are not at the test's level, because these events enter the chain again, one level deeper.
    struct Sending: Sendable {
        private let thread: TestThread
        /// The number of dispatches inside the middleware on the test's thread; always zero if there is no middleware.
        private var depth = 0
        private var steps: [(step: ReducedEvent, isAtTestsLevel: Bool)] = []

        init(on thread: TestThread) { self.thread = thread }

        mutating func enterChain(on thread: TestThread) {
            if thread == self.thread { depth += 1 }
        }

        mutating func leaveChain(on thread: TestThread) {
            if thread == self.thread { depth -= 1 }
        }

        mutating func add(_ step: ReducedEvent, on thread: TestThread) {
            steps.append((step, thread == self.thread && depth <= 1))
        }

        /// Separates the step of the event that the test has sent from the other steps.
        ///
        /// A middleware may pass on a different event, or several events. So `sent` is the first step at the test's
        /// level whose event equals the sent one. If no event is equal, `sent` is the first step at that level. Without
        /// middleware, `sent` is the first step of all.
        func divided(by event: Event) -> (sent: ReducedEvent?, others: [ReducedEvent]) {
            let own = steps.indices.filter { steps[$0].isAtTestsLevel }
            let sent = own.first { isEqual(steps[$0].step.event, event) } ?? own.first
            let others = steps.indices.filter { $0 != sent }.map { steps[$0].step }
            return (sent.map { steps[$0].step }, others)
        }
    }

    /// Ends the recording in `sending`.
    ///
    /// - Returns: `sent` is the step of the sent event, or nil if the middleware passed on no event. `waiting` has the
    ///   promises that wait for an event, if there are other steps, which the test can now receive. Otherwise it is
    ///   empty.
    mutating func endSending(of event: Event) -> (
        sent: ReducedEvent?, waiting: [InternalPromise<Void>]
    ) {
        guard let (sent, others) = sending?.divided(by: event) else { return (nil, []) }
        sending = nil
        unreceived += others
        return (sent, others.isEmpty ? [] : takeWaiting())
    }
}

/// The identity of a thread; no other thread has the same identity while the thread runs.
struct TestThread: Hashable, Sendable {
    private let id: ObjectIdentifier

    /// The calling thread.
    static var current: TestThread { TestThread(id: ObjectIdentifier(Thread.current)) }
}

/// Returns whether two events are equal.
///
/// Events that can't be compared are not equal.
private func isEqual<Event>(_ left: Event, _ right: Event) -> Bool {
    func compare<Value: Equatable>(_ value: Value) -> Bool { value == right as? Value }
    guard let left = left as? any Equatable else { return false }
    return compare(left)
}
