import Foundation
import Pledge
import PledgeSimulation
import Testing

/// The backend of Docs/Guides/ThreePrograms.md, and its proof.
@Suite(.oneAtATime) struct BackendTests {
    @Test func printsWhatThePageShows() throws {
        let log = ExampleLog()
        proveBackend { log.add($0) }
        let text = log.lines.joined(separator: "\n")
        let page = try Repository.this.check().documents["Docs/Guides/ThreePrograms.md"] ?? ""
        let isShown = page.contains("```text\n\(text)\n```")
        #expect(isShown, "the page does not show:\n\(text)")
    }

    @Test func survivesASlowService() throws {
        let (run, bare) = (simulate(), simulate { $0.circuitBreaker = nil })
        #expect(run.error == nil && run.escapedActions == 0 && run.unfinishedCalls == 0)
        #expect(run.goodput == 1)
        #expect(run.recovers(within: .seconds(3)))
        // Without the breaker, half of the home screens wait for the attempt's whole time.
        #expect(try #require(run.latency(50, in: 20..<40)) < 0.02)
        #expect(try #require(bare.latency(50, in: 20..<40)) >= 0.4)
        let slowHost = { (run: SimulationRun) in run.hosts.first { $0.name.hasPrefix("recomm") } }
        #expect(try #require(slowHost(run)).received < 2_000)
        #expect(try #require(slowHost(bare)).received > 3_000)
    }

    @Test func aPartThatFailsIsReplacedAndTheProfileIsNot() async throws {
        let client = HTTPClient(base: nil) { request in
            let host = request.url.host() ?? ""
            if host == "recommended.internal" || request.url.path.hasSuffix("/9") {
                return HTTPResponse(status: 404)
            }
            return HTTPResponse(status: 200, body: Data(#"{"items":["\#(host)"]}"#.utf8))
        }
        let home = Backend(over: client).home
        let shown = try await home(7).value
        #expect(shown.profile.items == ["profile.internal"])
        #expect(shown.recommended.items == ["bestseller"])
        let failure = await home(9).resultWhenSettled
        #expect(throws: HTTPError.self) { try failure.get() }
    }
}
