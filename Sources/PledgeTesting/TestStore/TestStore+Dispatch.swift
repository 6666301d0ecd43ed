internal import Pledge

extension TestStore {
    /// Dispatches for the test, and returns the step of the event.
    func dispatch(_ event: Event) -> TestJournal<State, Event>.ReducedEvent {
        goOn()
        journal.withLock { $0.sending = .init(on: .current) }
        inner.dispatch(event: event)
        let (sent, waiting) = journal.withLock { $0.endSending(of: event) }
        for promise in waiting { promise.resolve(with: ()) }
        // A middleware may not have passed it on.
        return sent ?? .init(event: event, old: inner.state, new: inner.state)
    }

    /// Records an event that was reduced.
    static func enter(
        _ step: TestJournal<State, Event>.ReducedEvent,
        in journal: Locked<TestJournal<State, Event>>
    ) {
        // The waiters resume on another thread: this is inside the reducer.
        let waiting = journal.withLock { $0.enter(step, on: .current) }
        for promise in waiting { Task { promise.resolve(with: ()) } }
    }

    /// The outermost middleware: it records how deeply dispatches are nested while the test sends.
    static func notingDepth(
        in journal: Locked<TestJournal<State, Event>>
    ) -> StoreMiddleware<State, Event> {
        StoreMiddleware { _ in
            { next in
                { event in
                    let thread = TestThread.current
                    journal.withLock { $0.sending?.enterChain(on: thread) }
                    next(event)
                    journal.withLock { $0.sending?.leaveChain(on: thread) }
                }
            }
        }
    }
}
