import Foundation
import PledgeSimulation

/// The findings of a named scenario.
struct ScenarioResult: Sendable {
    /// The figures of several runs.
    var tables: [Table] = []
    /// The run, if there is one.
    var run: SimulationRun?
    /// Returns the picture, as SVG.
    var picture: @Sendable () -> String

    /// The tables, as the program prints them.
    var text: String {
        let table = run.map { $0.table() }.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }
        return (tables.map(\.text) + [table].compactMap { $0 }).joined(separator: "\n")
    }

    /// Returns the figures and the settings that produced them, as JSON with sorted keys.
    func json(of scenario: NamedScenario, _ settings: ScenarioSettings) throws -> String {
        let figures = Figures(
            scenario: scenario.name, seed: settings.seed, isShort: settings.isShort,
            hosts: settings.hosts, policies: settings.policies.map { "\($0)" }, tables: tables)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(figures), as: UTF8.self)
        guard let run else { return text + "\n" }
        // The run's JSON is already text, in its own order.
        return text.dropLast(2) + ",\n  \"run\" : " + run.json() + "\n}\n"
    }

    private struct Figures: Encodable {
        let scenario: String
        let seed: UInt64
        let isShort: Bool
        let hosts: Int?
        let policies: String?
        let tables: [Table]
    }
}
