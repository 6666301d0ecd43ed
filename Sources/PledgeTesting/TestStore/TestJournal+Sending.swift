import Foundation
internal import Pledge

extension TestJournal {
    /// The steps that are reduced during the test's dispatch of an event.
    ///
    /// The level identifies the event that the test sends. Events that the test's own dispatch passes down
    /// the chain of middleware, on the test's thread, are at the test's level. Events that a middleware, an
    /// observer or an effect dispatches within it enter the chain again, one level deeper.
    struct Sending: Sendable {
        private let thread: TestThread
        /// How deeply the chain is nested on the test's thread; always zero if the store has no middleware.
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

        /// Divides the steps into the step of the sent event and the others.
        ///
        /// A middleware may pass on several events, or another one. The step of the sent event is the first
        /// at the test's level that equals it, or else the first at that level; without middleware, the first
        /// of all.
        func divided(by event: Event) -> (sent: ReducedEvent?, others: [ReducedEvent]) {
            let own = steps.indices.filter { steps[$0].isAtTestsLevel }
            let sent = own.first { isEqual(steps[$0].step.event, event) } ?? own.first
            let others = steps.indices.filter { $0 != sent }.map { steps[$0].step }
            return (sent.map { steps[$0].step }, others)
        }
    }

    /// Ends the recording that `sending` began.
    ///
    /// - Returns: The step of the sent event, nil if no event was passed on; and the waiters for the events
    ///   that remain to be received.
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

    /// The thread that this runs on.
    static var current: TestThread { TestThread(id: ObjectIdentifier(Thread.current)) }
}

/// Whether two events are equal; events that cannot be compared are not.
private func isEqual<Event>(_ left: Event, _ right: Event) -> Bool {
    func compare<Value: Equatable>(_ value: Value) -> Bool { value == right as? Value }
    guard let left = left as? any Equatable else { return false }
    return compare(left)
}
