import Foundation
internal import Pledge

/// The steps of a ``TestStore`` that the test hasn't taken.
///
/// A step is an event, with the states before and after it. The store adds it while it reduces the event; `send` or
/// `receive` takes or skips it later.
struct TestJournal<State: Sendable, Event: Sendable>: Sendable {
    struct ReducedEvent: Sendable {
        let event: Event
        let old: State
        let new: State
    }

    /// The events that the test hasn't received, in order.
    var unreceived: [ReducedEvent] = []
    /// The steps since the test began to send an event; nil while it sends none.
    var sending: Sending?
    /// The errors of effects that sent no event about them.
    private var errors: [any Error] = []
    private var waiting: [InternalPromise<Void>] = []

    /// Adds a step; returns the promises that wait for an event, for the caller to resolve.
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

    mutating func takeFirst() -> ReducedEvent? {
        unreceived.isEmpty ? nil : unreceived.removeFirst()
    }

    /// Takes the first matching event, and skips those before it.
    mutating func takeFirst(where matches: (Event) -> Bool) -> ReducedEvent? {
        guard let index = unreceived.firstIndex(where: { matches($0.event) }) else { return nil }
        defer { unreceived.removeSubrange(...index) }
        return unreceived[index]
    }

    mutating func takeAll() -> (steps: [ReducedEvent], errors: [any Error]) {
        defer { (unreceived, errors) = ([], []) }
        return (unreceived, errors)
    }

    /// Adds a promise to resolve when the next event arrives.
    mutating func wait(_ promise: InternalPromise<Void>) { waiting.append(promise) }

    /// Removes a promise, if it's still waiting.
    mutating func stopWaiting(_ promise: InternalPromise<Void>) {
        waiting.removeAll { $0 === promise }
    }

    mutating func takeWaiting() -> [InternalPromise<Void>] {
        defer { waiting = [] }
        return waiting
    }
}

extension TestJournal {
    /// The steps that are reduced while the test sends an event.
    ///
    /// One of them is of the sent event. To find it, each step has a level. The sent event passes through the
    /// middleware on the test's thread; what comes out is at the test's level. A middleware, observer or effect may
    /// dispatch further events meanwhile. These enter the middleware again, one level deeper.
    struct Sending: Sendable {
        private let thread: TestThread
        /// How many dispatches are inside the middleware on the test's thread; zero without middleware.
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

        /// Finds the step of the sent event among the others.
        ///
        /// A middleware may pass on other events, or several. So it's the first step at the test's level whose event
        /// equals the sent one, or else the first at that level. Without middleware, it's the first of all.
        func divided(by event: Event) -> (sent: ReducedEvent?, others: [ReducedEvent]) {
            let own = steps.indices.filter { steps[$0].isAtTestsLevel }
            let sent = own.first { isEqual(steps[$0].step.event, event) } ?? own.first
            let others = steps.indices.filter { $0 != sent }.map { steps[$0].step }
            return (sent.map { steps[$0].step }, others)
        }
    }

    /// Ends `sending`.
    ///
    /// - Returns: The step of the sent event, or nil if the middleware passed on none; and the promises that wait for
    ///   an event, if there are other steps to receive.
    mutating func endSending(of event: Event) -> (
        sent: ReducedEvent?, waiting: [InternalPromise<Void>]
    ) {
        guard let (sent, others) = sending?.divided(by: event) else { return (nil, []) }
        sending = nil
        unreceived += others
        return (sent, others.isEmpty ? [] : takeWaiting())
    }
}

/// Identifies a thread as long as it runs.
struct TestThread: Hashable, Sendable {
    private let id: ObjectIdentifier

    static var current: TestThread { TestThread(id: ObjectIdentifier(Thread.current)) }
}

/// Returns whether two events are equal; events that can't be compared aren't.
private func isEqual<Event>(_ left: Event, _ right: Event) -> Bool {
    func compare<Value: Equatable>(_ value: Value) -> Bool { value == right as? Value }
    guard let left = left as? any Equatable else { return false }
    return compare(left)
}
