import Foundation
import Pledge
import PledgeTesting
import PledgeTransportChecks
import TestSupport
import Testing

/// MemoryTransport by the same checks as every other transport: its routes pass each request on to the checks'
/// server.
@Suite(.oneAtATime) struct MemoryConformanceTests {
    private static let checked: CheckedTransport = {
        let wire = CurlTransport()
        let answer = MemoryTransport.Answer.future { call in
            guard var request = call.request else { throw UnaskedCall() }
            // A body that was read already is in the endpoint.
            if let data = call.endpoint.body.data {
                request.body = .data(data, contentType: request.body.contentType ?? "")
            }
            return wire.send(request)
        }
        // A parameter is no empty segment.
        let patterns = ["/", "/:a", "/:a/:b", "/:a/:b/:c", "/:a/:b/:c/:d", "/a//b/"]
        let transport = MemoryTransport(
            routes: patterns.map { .any($0, answer: answer) }, on: LiveScheduler.live)
        // Its answers are whole, so the checks of streaming have nothing to ask of it.
        return CheckedTransport(send: transport.send, maxBodySize: 64 << 20)
    }()

    private struct UnaskedCall: Error {}

    @Test(arguments: TransportCheck.all)
    func conforms(to check: TransportCheck) async throws {
        try await check.run(Self.checked, differences: Self.differences)
    }

    private static let differences: [String: TransportDifference] = [:]
}
