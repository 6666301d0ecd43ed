package import PledgeServices

/// The reason why a run says nothing about its stack: work has left the simulation.
///
/// A simulation runs on one thread, in its own time. The actions of another thread have no defined place in that time.
/// Nor has what a part of the stack does in real time, and no seed repeats what it does by the system's random numbers.
/// ``SimulationRun/error`` is the first such error of a run, and its text says what to write instead.
///
/// ```swift
/// #expect(run.error == nil)
/// ```
package struct SimulationError: Error, Hashable {
    /// The kinds of error: how work left the simulation.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The fleet was called on another thread.
        ///
        /// That call fails with this error.
        case callOnAnotherThread
        /// An action was scheduled or cancelled on another thread.
        case actionOnAnotherThread
        /// A task of the simulation was resumed on another thread.
        case taskOnAnotherThread
        /// A call ended, or was cancelled, on another thread.
        case endOnAnotherThread
        /// A call has not ended, though there is nothing left to happen.
        case neverEnds
        /// A part of the stack has read the live scheduler's clock, or has set a timer on it.
        ///
        /// Other clocks, such as `Date.now`, aren't noticed.
        case liveScheduler
        /// A part of the stack has drawn a number from `RandomSource.system`, other than for an ID.
        ///
        /// A client with this source is noticed even if it draws none. Swift's own random functions aren't noticed.
        case systemRandom
    }

    /// The kind of error.
    package let code: Code

    /// The number of the call that has not ended, or that ended on another thread; nil if it isn't known.
    package let call: Int?

    init(_ code: Code, call: Int? = nil) {
        self.code = code
        self.call = call
    }
}

extension SimulationError: CodedError {
    /// The code's name.
    package var loggedCode: String { code.rawValue }
}

extension SimulationError: CustomStringConvertible {
    /// What happened, and what to write instead.
    package var description: String { "\(event). \(advice)" }

    private var event: String {
        let call = call.map { "call \($0)" } ?? "a call"
        return switch code {
        case .callOnAnotherThread: "the fleet was called on another thread"
        case .actionOnAnotherThread: "a timer was set or cancelled on another thread"
        case .taskOnAnotherThread: "a task was resumed on another thread"
        case .endOnAnotherThread: "\(call) ended, or was given up, on another thread"
        case .neverEnds:
            "\(call) has not ended, and nothing is left to happen: it waits for something outside the simulation, "
                + "or for a promise that nobody settles"
        case .liveScheduler: "a part of the stack runs in real time"
        case .systemRandom: "a part of the stack draws random numbers that no seed repeats"
        }
    }

    private var advice: String {
        switch code {
        case .liveScheduler:
            "Set `client.scheduler = world.scheduler`, and pass `on: world.scheduler` to each policy and cache that you "
                + "create yourself, as in `HTTPCache(on: world.scheduler)`"
        case .systemRandom:
            "Set `client.random = world.random`, and pass `random: world.random` to each policy that you create yourself"
        default: Self.adviceOnThreads
        }
    }

    private static let adviceOnThreads =
        "`Task { }`, `Task.detached`, `Task.sleep(for:)`, `@MainActor` and queues leave the simulation: write "
        + "`Future { }`, `async let`, a task group or `Task(executorPreference: world.scheduler) { }`, and "
        + "`Task.sleep(for:clock:)` with `world.scheduler.clock`"
}
