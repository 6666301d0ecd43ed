import Pledge
import PledgeTesting

/// One requirement on every transport, checked with a server that misbehaves on purpose.
///
/// ```swift
/// @Test(arguments: TransportCheck.all)
/// func conforms(to check: TransportCheck) async throws {
///     try await check.run(transport, differences: [
///         .trailers: .traps("URLSession on Linux cannot read trailers"),
///     ])
/// }
/// ```
///
/// Each check starts a server of its own on a port of 127.0.0.1. Each of its waits ends after
/// ``CheckedTransport/patience``, so that a transport that hangs fails.
public struct TransportCheck {
    /// The name of the check, for listing differences.
    public let name: Name

    /// What the transport must do, in a sentence.
    public let requirement: String

    let needsStreaming: Bool
    let body: @Sendable (TransportBench) async throws -> Void

    init(
        _ name: Name, _ requirement: String, needsStreaming: Bool = false,
        _ body: @escaping @Sendable (TransportBench) async throws -> Void
    ) {
        self.name = name
        self.requirement = requirement
        self.needsStreaming = needsStreaming
        self.body = body
    }

    /// Every check, in the order of a request's life.
    public static var all: [TransportCheck] {
        methods + targets + addresses + requestHeaders + requestBodies + responses + responseBodies
            + redirects + brokenAnswers + spoiltAnswers + connections + cancelling + timeLimits
            + streaming
    }

    /// Checks a transport.
    ///
    /// The check, and with it the transport's functions, runs on a queue of its own, so that other tests
    /// which keep the threads of tasks busy do not make it late. At most 16 checks run at a time; the others
    /// wait for their turn.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - differences: The known differences of the transport, with reasons.
    ///   - fileID: The file of the call, for the failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``TransportFailure`` if the transport does not meet the requirement, or meets it although a
    ///   difference is listed.
    public func run(
        _ transport: CheckedTransport, differences: [Name: TransportDifference] = [:],
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

    // Each check has a thread, which may wait in the transport. Dispatch has 255 threads: if hundreds of
    // checks wait for URLSession, which needs a thread too, none of them makes progress.
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

extension TransportCheck {
    /// The name of a check.
    public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The words.
        public var rawValue: String

        /// Makes a name from words.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Makes a name from a literal.
        public init(stringLiteral value: String) { rawValue = value }
    }
}

extension TransportCheck: CustomStringConvertible {
    /// The name and the requirement.
    public var description: String { "\(name.rawValue): \(requirement)" }
}

extension TransportCheck: Sendable {}
