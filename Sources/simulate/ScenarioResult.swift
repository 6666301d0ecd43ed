import Foundation
import Simulation

/// What a named scenario has found.
struct ScenarioResult: Sendable {
    /// The figures.
    var tables: [Table]
    /// What the figures say, a sentence a line.
    var notes: [String] = []
    /// Makes the picture, as SVG.
    var picture: @Sendable () -> String

    /// The tables and the notes, as the program prints them.
    var text: String {
        let notes = notes.isEmpty ? [] : [notes.map { $0 + "\n" }.joined()]
        return (tables.map(\.text) + notes).joined(separator: "\n")
    }

    /// The figures with what they were made with, as JSON whose keys are in order.
    func json(of scenario: NamedScenario, _ settings: ScenarioSettings) throws -> String {
        let figures = Figures(
            scenario: scenario.name, seed: settings.seed, isShort: settings.isShort,
            hosts: settings.hosts, policies: settings.policies.map { "\($0)" }, tables: tables)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(figures), as: UTF8.self) + "\n"
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
