import Foundation
internal import Pledge

/// The steps of a ``TestStore`` that the test has not taken yet.
///
/// A step is entered when its event is reduced. Later, `send` or `receive` takes it, or it is skipped.
struct TestJournal<State: Sendable, Event: Sendable>: Sendable {
    struct ReducedEvent: Sendable {
        let event: Event
        let old: State
        let new: State
    }

    /// The events that the test has not received, in order.
    var unreceived: [ReducedEvent] = []
    /// The steps since the test began to send an event; nil unless it is sending one.
    var sending: Sending?
    /// The errors of effects that failed and sent no event about it.
    private var errors: [any Error] = []
    private var waiting: [InternalPromise<Void>] = []

    /// Adds a step.
    ///
    /// - Returns: The promises that wait for an event. The caller resolves them.
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

    /// Removes a promise, unless it has been taken to be resolved.
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
    /// The level of a step helps to find the step of the event that the test sends. At the test's level are the events
    /// that its own dispatch passes down the chain of middleware, on the test's thread. Events that a middleware, an
    /// observer or an effect dispatches meanwhile enter the chain again, one level deeper.
    struct Sending: Sendable {
        private let thread: TestThread
        /// The nesting depth of the chain on the test's thread; always zero in a store without middleware.
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

        /// Divides the steps into the sent event's step and the others.
        ///
        /// A middleware may pass on several events, or a different one. The sent event's step is the first step at the
        /// test's level with an equal event. If there is none, it is the first step at that level. Without middleware,
        /// it is the first step of all.
        func divided(by event: Event) -> (sent: ReducedEvent?, others: [ReducedEvent]) {
            let own = steps.indices.filter { steps[$0].isAtTestsLevel }
            let sent = own.first { isEqual(steps[$0].step.event, event) } ?? own.first
            let others = steps.indices.filter { $0 != sent }.map { steps[$0].step }
            return (sent.map { steps[$0].step }, others)
        }
    }

    /// Ends the recording in `sending`.
    ///
    /// - Returns: The step of the sent event, or nil if no event was passed on. Also the promises that wait for events,
    ///   if any other events can now be received.
    mutating func endSending(of event: Event) -> (
        sent: ReducedEvent?, waiting: [InternalPromise<Void>]
    ) {
        guard let (sent, others) = sending?.divided(by: event) else { return (nil, []) }
        sending = nil
        unreceived += others
        return (sent, others.isEmpty ? [] : takeWaiting())
    }
}

/// A thread, equal only to itself while it runs.
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
