import PledgeFutures
import PledgeSimulation

/// What has left a test's virtual time for other threads or real time, and the text that says so.
final class VirtualEscapes: Sendable {
    enum Kind: Int, CaseIterable {
        /// A task was resumed by another thread, or has called `Task.sleep`.
        case step
        /// A timer was set or cancelled by another thread.
        case timer
        /// Some code runs on the live scheduler.
        case realTime
        /// The test waits for something that never happens.
        case nothingHappens
        /// Timers set other timers without an end.
        case endless
        /// Steps follow each other at one instant without an end.
        case busy
        /// An actor on another thread keeps a task.
        case away
        /// The test runs inside another one.
        case nested
        /// The runtime has no hooks.
        case withoutHooks
    }

    private let found = Locked<[Kind: (count: Int, queue: String)]>([:])

    func noteEscape(_ kind: Kind, on queue: String = "") {
        found.withLock { $0[kind, default: (0, queue)].count += 1 }
    }

    /// Records what is an error in a simulation.
    func noteEscape(_ code: SimulationError.Code) {
        switch code {
        case .taskOnAnotherThread: noteEscape(.step)
        case .actionOnAnotherThread: noteEscape(.timer)
        case .liveScheduler: noteEscape(.realTime)
        // A test may do this.
        case .systemRandom, .callOnAnotherThread, .endOnAnotherThread, .neverEnds: break
        }
    }

    var isEmpty: Bool { found.withLock { $0.isEmpty } }

    /// What was found, and what to write instead; nil if nothing was.
    var description: String? {
        let found = found.withLock { $0 }
        if found.isEmpty { return nil }
        return Kind.allCases.compactMap { kind in
            found[kind].map { Self.text(of: kind, $0.count, $0.queue) }
        }.joined(separator: "\n")
    }

    private static func text(of kind: Kind, _ count: Int, _ queue: String) -> String {
        switch kind {
        case .step:
            "\(times(count, "step")) of a task came from outside virtual time\(named(queue)), so nobody knows at "
                + "which instant. Likely causes: `Task.sleep` (write `clock.sleep(for:)`), a Dispatch queue or a "
                + "completion handler, a real socket or file (pass a `MockNetwork` or a `MemoryTransport`)."
        case .timer:
            "Another thread has set or cancelled \(count == 1 ? "a timer" : "\(count) timers"), or moved the "
                + "clock\(named(queue)), so nobody knows at which instant. Likely causes: a Dispatch queue, a completion "
                + "handler, a thread or task from outside the test, a transport with a real socket (pass a "
                + "`MockNetwork` or a `MemoryTransport`)."
        case .realTime:
            "A part of the code runs in real time. Pass it the clock: `client.scheduler = clock`, and `on: clock` to "
                + "each policy and cache that takes a scheduler. A transport with a real socket can't run in virtual "
                + "time: pass a `MockNetwork` or a `MemoryTransport`."
        case .nothingHappens:
            "The test waits for something, and nothing is left that could happen in virtual time, so its task was "
                + "cancelled. Likely causes: a call that the test has not answered, a promise that nobody resolves, "
                + "an `AsyncStream` that nobody finishes, or a queue or socket that has not answered yet."
        case .endless:
            "The clock has moved to a hundred thousand instants, and timers are left. Likely cause: a loop that sleeps and "
                + "never ends; cancel it, or write `advance(by:)`, which ends at an instant."
        case .busy:
            "More than 100,000 steps ran at one instant, and 100 for each task. Likely cause: a loop of `Task.yield()`, which waits for something that "
                + "happens only later. Write `await clock.advance(by:)` in the test, or wait for the thing itself."
        case .away:
            "A task of the test waits for an actor that another thread runs, for more than ten seconds. Likely causes: "
                + "an actor that code outside the test uses too, and that blocks its thread."
        case .nested:
            "`withVirtualTime` is called within `withVirtualTime`. The inner test got the outer clock; write one scope "
                + "for the whole test."
        case .withoutHooks:
            "The Swift runtime of this system does not tell which steps of tasks it runs, so `Task { }` and the main "
                + "actor run outside virtual time."
        }
    }

    private static func times(_ count: Int, _ what: String) -> String {
        count == 1 ? "A \(what)" : "\(count) \(what)s"
    }

    private static func named(_ queue: String) -> String {
        queue.isEmpty ? "" : " (on the queue \(queue))"
    }
}
