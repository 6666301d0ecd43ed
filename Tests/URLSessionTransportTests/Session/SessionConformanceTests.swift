import Foundation
import PledgeHTTPMessages
import PledgeTesting
import PledgeTransportChecks
import PledgeURLSessionTransport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// SessionTransport by the same checks as every other transport.
@Suite(.oneAtATime) struct SessionConformanceTests {
    private let checked = checked(SessionTransport(.init(idleTimeout: nil)))

    private static func checked(_ transport: SessionTransport) -> CheckedTransport {
        CheckedTransport(
            send: transport.send, stream: transport.stream, maxBodySize: 64 << 20)
    }

    @Test(arguments: TransportCheck.all)
    func conforms(to check: TransportCheck) async throws {
        try await check.run(checked, differences: Self.differences)
    }

    /// The same code serves both sessions: a third of the checks, or all with more PLEDGE_MISBEHAVIOURS than usual.
    @Test(
        arguments: TransportCheck.all.enumerated()
            .filter { $0.offset % 3 == 0 || misbehaviourCallCount() > 4 }.map(\.element))
    func conformsOnASessionOfTheApps(to check: TransportCheck) async throws {
        let transport = SessionTransport(session: URLSession(configuration: .patient))
        try await check.run(Self.checked(transport), differences: Self.differences)
    }

    /// All checks except those that end the process on Linux (see "trailers" and "truncated head" below).
    @Test func survivesWhateverAServerSends() async throws {
        let count = min(2_000, fuzzInputCount())
        let responses = try mutatedResponses(count, seed: 1)
            .filter { $0.isWholeForURLSession && !$0.mayHaveTrailers }
        #expect(responses.count > count / 2)
        try await TransportCheck.survives(responses).run(checked)
    }

    #if canImport(FoundationNetworking)
    private static let differences: [String: TransportDifference] = [
        "truncated head": .traps(
            "URLSession on Linux ends the process where a connection ends within a head"),
        "trailers": .traps("URLSession on Linux ends the process where trailers follow a body"),
        "Latin-1 header": .differs("URLSession on Linux refuses a head that is not UTF-8"),
        "no Location": .differs("URLSession on Linux drops the body of a redirect to nowhere"),
        "strange Location": .differs("URLSession on Linux drops the body of a redirect to nowhere"),
    ].merging(ofOlderVersions) { difference, _ in difference }

    #if compiler(>=6.3)
    private static let ofOlderVersions: [String: TransportDifference] = [:]
    #else
    private static let ofOlderVersions: [String: TransportDifference] = [
        "IPv6 literal": .differs("URLSession of Swift 6.2.3 takes no URL with an IPv6 address"),
        "IPv6 redirect": .differs("URLSession of Swift 6.2.3 takes no URL with an IPv6 address"),
    ]
    #endif
    #else
    // No run on an Apple system has confirmed yet that there are none.
    private static let differences: [String: TransportDifference] = [:]
    #endif
}

extension Data {
    /// Whether a line that may be an empty chunk is followed by one that is not empty.
    fileprivate var mayHaveTrailers: Bool {
        let lines = split(separator: 10, omittingEmptySubsequences: false)
        return zip(lines, lines.dropFirst()).contains { line, next in
            line.first == UInt8(ascii: "0") && !next.isEmpty && next.first != 13
        }
    }

    /// Whether URLSession on Linux finds the end of the head, and the end of the next head after each 1xx.
    ///
    /// It does not find the end, either, if a line of the head begins with a CR or contains a NUL.
    fileprivate var isWholeForURLSession: Bool {
        guard String(decoding: prefix(5), as: UTF8.self).lowercased() == "http/" else {
            return true
        }
        var lines = split(separator: 10, omittingEmptySubsequences: false)
            .map { $0.last == 13 ? $0.dropLast() : $0 }[...]
        // The text after the last line feed is not a complete line.
        lines.removeLast()
        while true {
            guard let end = lines.firstIndex(where: \.isEmpty) else { return false }
            let head = lines[..<end]
            if head.contains(where: { $0.first == 13 || $0.contains(0) }) { return false }
            let status = head.first.flatMap { $0.split(separator: 32).dropFirst().first }
            guard status?.first == UInt8(ascii: "1") else { return true }
            lines = lines[(end + 1)...]
        }
    }
}
