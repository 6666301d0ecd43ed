import Foundation
internal import Pledge

extension TestJournal {
    /// What is reduced from the test's dispatch of an event until that has returned.
    ///
    /// The event that the test sends is told from others by its level. What the test's own dispatch
    /// passes down the chain of middleware, on the test's thread, is at the test's level. What is
    /// dispatched within it enters the chain anew, one level deeper: by a middleware, an observer, or
    /// an effect.
    struct Sending: Sendable {
        private let thread: TestThread
        /// How often the chain has been entered and not left on the test's thread; always zero where
        /// the store has no middleware.
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

        /// Divides the steps into that of the event sent and the others.
        ///
        /// A middleware may pass several events on, or another one. Of those at the test's level it
        /// is the first that equals the event sent, or else the first: without middleware, the first
        /// of all.
        func divided(by event: Event) -> (sent: ReducedEvent?, others: [ReducedEvent]) {
            let own = steps.indices.filter { steps[$0].isAtTestsLevel }
            let sent = own.first { isEqual(steps[$0].step.event, event) } ?? own.first
            let others = steps.indices.filter { $0 != sent }.map { steps[$0].step }
            return (sent.map { steps[$0].step }, others)
        }
    }

    /// Ends what `sending` began.
    ///
    /// - Returns: The step of the event sent, nil where no event was passed on; and who waits for
    ///   those that are left to be received.
    mutating func endSending(of event: Event) -> (
        sent: ReducedEvent?, waiting: [InternalPromise<Void>]
    ) {
        guard let (sent, others) = sending?.divided(by: event) else { return (nil, []) }
        sending = nil
        unreceived += others
        return (sent, others.isEmpty ? [] : takeWaiting())
    }
}

/// A thread, which is equal to itself alone while it runs.
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
