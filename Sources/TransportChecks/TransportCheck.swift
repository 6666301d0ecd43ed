import Dispatch
import Pledge
public import PledgeTesting

/// A requirement that every transport must meet, checked with a server that misbehaves on purpose.
///
/// ```swift
/// @Test(arguments: TransportCheck.all)
/// func conforms(to check: TransportCheck) async throws {
///     try await check.run(transport, differences: [
///         "trailers": .traps("URLSession on Linux cannot read trailers"),
///     ])
/// }
/// ```
///
/// Each check starts a server of its own on a port of 127.0.0.1. A wait ends after `CheckedTransport.patience`, so a
/// transport that hangs fails the check.
public struct TransportCheck: Sendable {
    /// The name of the check, which is also its key in a list of known differences.
    public let name: String

    /// The requirement, in a sentence.
    package let requirement: String

    let needsStreaming: Bool
    let body: @Sendable (TransportBench) async throws -> Void

    init(
        _ name: String, _ requirement: String, needsStreaming: Bool = false,
        _ body: @escaping @Sendable (TransportBench) async throws -> Void
    ) {
        self.name = name
        self.requirement = requirement
        self.needsStreaming = needsStreaming
        self.body = body
    }

    /// All checks, in the order of a request's life.
    public static var all: [TransportCheck] {
        methods + targets + addresses + requestHeaders + requestBodies + responses + responseBodies
            + redirects + brokenAnswers + spoiltAnswers + connections + cancelling + timeLimits
            + streaming
    }

    /// Checks a transport.
    ///
    /// The check and the transport's functions run on their own queue, so that they aren't delayed when other tests
    /// keep the threads of Swift's tasks busy. At most 16 checks run at a time, and the others wait for their turn.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - differences: The known differences of the transport, with reasons.
    ///   - fileID: The file of the call, for the failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``TransportFailure`` if the transport does not meet the requirement, or meets it although a difference
    ///   is listed.
    public func run(
        _ transport: CheckedTransport, differences: [String: TransportDifference] = [:],
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async throws {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        guard let difference = differences[name] else {
            return try await run(transport, at: place)
        }
        guard !difference.cannotRun else { return }
        do {
            try await run(transport, at: place)
        } catch is TransportFailure {
            return
        }
        throw TransportFailure(
            check: self,
            "it does what is required, although a difference is listed: \(difference.reason)",
            at: place)
    }

    // Each check has a thread, which may wait in the transport. Dispatch has 255. Without this limit, waiting checks
    // could occupy all of them, while URLSession needs one itself.
    private static let limit = TaskLimit(16)

    private func run(
        _ transport: CheckedTransport, at place: TestSourceLocation
    ) async throws {
        if needsStreaming, transport.stream == nil { return }
        do {
            try await Self.limit.run {
                try await withTaskExecutorPreference(QueueTaskExecutor()) {
                    try await body(TransportBench(transport: transport))
                }
            }
        } catch let failure as Unexpected {
            throw TransportFailure(check: self, failure.text, at: place)
        } catch {
            throw TransportFailure(
                check: self, "it failed with \(type(of: error)): \(error)", at: place)
        }
    }
}

extension TransportCheck: CustomStringConvertible {
    /// The name and the requirement.
    public var description: String { "\(name): \(requirement)" }
}

/// A known difference between a transport and the requirement of a check.
public struct TransportDifference: Sendable {
    /// The reason for the difference.
    package let reason: String

    /// True if the check doesn't run, because it would end the process or the test.
    let cannotRun: Bool

    /// A difference with which the check still runs, and must fail.
    ///
    /// - Parameter reason: The reason for the difference.
    public static func differs(_ reason: String) -> Self { Self(reason: reason, cannotRun: false) }

    /// A difference with which the check doesn't run, because it would end the process.
    ///
    /// - Parameter reason: The reason for the difference.
    public static func traps(_ reason: String) -> Self { Self(reason: reason, cannotRun: true) }
}

/// A transport's failure to meet the requirement of a check.
public struct TransportFailure: Error {
    /// The check.
    package let check: TransportCheck

    /// The observed behaviour.
    package let seen: String

    /// The place in the test that ran the check.
    package let location: TestSourceLocation

    init(check: TransportCheck, _ seen: String, at location: TestSourceLocation) {
        self.check = check
        self.seen = seen
        self.location = location
    }
}

extension TransportFailure: CustomStringConvertible {
    /// The requirement, the observed behaviour, and the path and line of the test.
    public var description: String {
        "\(check.requirement) (\(check.name)): \(seen) (at \(location))"
    }
}

struct Unexpected: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

func require(_ condition: Bool, _ seen: @autoclosure () -> String) throws {
    if !condition { throw Unexpected(seen()) }
}

func require<Value: Equatable>(_ name: String, _ seen: Value, is required: Value) throws {
    let text = { (value: Value) in
        let all = "\(value)"
        return all.count > 200 ? "\(all.prefix(200))…" : all
    }
    if seen != required {
        throw Unexpected("\(name) is \(text(seen)) where \(text(required)) is required")
    }
}

/// Limits how many tasks run code at once; others wait in order.
final class TaskLimit: Sendable {
    private struct State {
        /// How many tasks may still enter; zero while any task waits.
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ limit: Int) { state = Locked(State(free: limit)) }

    /// Runs a closure as soon as the limit allows.
    ///
    /// A task that is cancelled while it waits still gets its turn.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free == 0 { state.waiting.append(continuation) }
                defer { state.free = max(0, state.free - 1) }
                return state.free > 0
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

/// Runs one task's jobs on a queue of its own.
///
/// Swift's tasks share as many threads as there are processors. With hundreds of tests at once, a waiting task resumes
/// after all others in line, too late for a check that measures time. The system schedules the threads of queues, so
/// each makes progress.
final class QueueTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "PledgeTesting.QueueTaskExecutor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
