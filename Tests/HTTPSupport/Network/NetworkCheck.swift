#if os(Linux)
package import PledgeHTTPTransportKit
import TestSupport
import Testing

/// A requirement for every transport on a network that falls silent or breaks, checked over a ``FaultyNetwork``.
///
/// ```swift
/// @Test(arguments: NetworkCheck.all)
/// func holds(check: NetworkCheck) async {
///     await check.run(
///         making: { try AHCTransport(connecting: $0) },
///         differences: ["dead first address": .differs("it tries the first address only")])
/// }
/// ```
///
/// What ends a hanging call is a limit of three seconds in real time, because libcurl's transport leaves a connection
/// only after a second of silence. Nothing else depends on the clock.
package struct NetworkCheck: Sendable {
    /// What is known of a transport that does not do what a check requires.
    package enum Difference: Sendable {
        /// The check must fail, for this reason.
        case differs(String)
        /// The check may fail, for this reason, which depends on the order of events.
        case mayDiffer(String)
        /// The check does not run, for this reason.
        case cannotRun(String)
    }

    /// Makes a transport with connections of its own, which has no other limits in real time.
    package typealias Maker = @Sendable (ConnectionSettings) throws -> any HTTPTransport

    package let name: String
    /// The requirement, in a sentence.
    package let requirement: String
    /// Whether the connections are over TLS, with settings that name the authority.
    package let needsTLS: Bool
    private let body: @Sendable (NetworkBench) async throws -> Void

    init(
        _ name: String, _ requirement: String, needsTLS: Bool = false,
        _ body: @escaping @Sendable (NetworkBench) async throws -> Void
    ) {
        self.name = name
        self.requirement = requirement
        self.needsTLS = needsTLS
        self.body = body
    }

    /// All checks.
    package static var all: [NetworkCheck] {
        silence + handshakes + deadAddresses + movedNames + halfOpen + resets
    }

    /// Checks a transport.
    ///
    /// - Parameters:
    ///   - make: Makes the transport.
    ///   - differences: What the transport is known to do otherwise, by the checks' names.
    package func run(making make: @escaping Maker, differences: [String: Difference] = [:]) async {
        let names = Self.all.map(\.name)
        for name in differences.keys where !names.contains(name) {
            Issue.record("no check has the name \(name)")
        }
        let hurried = NetworkBench(make: make, patience: NetworkBench.limit)
        switch differences[name] {
        case nil: await run(NetworkBench(make: make, patience: watchdog))
        case .cannotRun: break
        case .differs(let reason): await withKnownIssue("\(reason)") { await run(hurried) }
        case .mayDiffer(let reason):
            await withKnownIssue("\(reason)", isIntermittent: true) { await run(hurried) }
        }
    }

    private func run(_ bench: NetworkBench) async {
        do {
            try await body(bench)
        } catch is ExpectationFailedError {
            // It has been recorded.
        } catch {
            Issue.record(error, "\(requirement)")
        }
    }
}

extension NetworkCheck: CustomTestStringConvertible {
    package var testDescription: String { "\(name): \(requirement)" }
}
#endif
