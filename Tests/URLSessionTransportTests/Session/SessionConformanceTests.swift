import HTTPNetworking
import PledgeTesting
import Testing
import URLSessionTransport

/// SessionTransport by the same checks as every other transport.
@Suite struct SessionConformanceTests {
    @Test(arguments: TransportCheck.all)
    func conforms(to check: TransportCheck) async throws {
        let transport = SessionTransport()
        let checked = CheckedTransport(
            send: transport.send, stream: transport.stream, maxBodySize: 64 << 20,
            patience: .seconds(120))
        try await check.run(checked, differences: Self.differences)
    }

    #if canImport(FoundationNetworking)
    private static let differences: [TransportCheck.Name: TransportDifference] = [
        "trailers": .traps("URLSession on Linux ends the process where trailers follow a body"),
        "no Location": .differs("URLSession on Linux drops the body of a redirect to nowhere"),
        "strange Location": .differs("URLSession on Linux drops the body of a redirect to nowhere"),
        "held back": .differs("nothing holds URLSession back on Linux: what waits has a bound"),
    ]
    #else
    private static let differences: [TransportCheck.Name: TransportDifference] = [:]
    #endif
}
