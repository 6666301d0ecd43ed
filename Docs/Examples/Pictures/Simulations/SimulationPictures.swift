// snippet: foundation
import Foundation
// end snippet
import Pledge
import PledgeSimulation
import TestSupport
import Testing

/// The pictures of Docs/Guides/Simulation.md, and its code that makes them.
@Suite(.oneAtATime)
struct SimulationPictures {
    private func scenario() -> Scenario { SimulationExamples().scenario() }

    private func client(
        in world: SimulatedWorld, _ change: (inout HTTPClient) -> Void
    ) -> HTTPClient {
        SimulationExamples().client(in: world, change)
    }

    // snippet: observed
    /// A run in which the actions of the client's policies and its retry budget are recorded.
    func observedRun(_ change: (inout HTTPClient) -> Void) -> SimulationRun {
        var scenario = scenario()
        scenario.recordsPolicyEvents = true
        return scenario.run(seed: 1) { world in
            let budget = RetryBudget()
            world.gauge("retry budget") { Double(budget.balance) }
            let client = client(in: world) {
                $0.retryBudget = budget
                change(&$0)
            }
            return { call in client.networking(Endpoint(path: "/products/\(call.number)")) }
        }
    }
    // end snippet

    @Test func theSlowHost() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: table
        let timed = observedRun { $0.attemptTimeout = .milliseconds(200) }
        print(timed.table())
        // end snippet
        try RecipePage(path: "Docs/Guides/Simulation.md").expectOutput(lines)
        // snippet: files
        let folder = FileManager.default.temporaryDirectory
        let picture = timed.picture(title: "A client with a timeout of 200 ms")
        try Data(picture.utf8).write(to: folder.appendingPathComponent("timed.svg"))
        try Data(timed.json().utf8).write(to: folder.appendingPathComponent("timed.json"))
        // end snippet
        // snippet: comparison
        let plain = observedRun { _ in }
        let comparison = SimulationPicture(
            title: "A host that is slow for ten seconds",
            runs: [("as it is", plain), ("with a timeout of 200 ms", timed)])
        try Data(comparison.svg.utf8).write(to: folder.appendingPathComponent("both.svg"))
        // end snippet
        for name in ["timed.svg", "timed.json", "both.svg"] {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        try Picture.check(picture, named: "simulation-timeout")
        try Picture.check(comparison.svg, named: "simulation-comparison")
    }
}
