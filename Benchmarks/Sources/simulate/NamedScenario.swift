/// A scenario that the program runs by name.
struct NamedScenario: Sendable {
    /// The scenario's name on the command line.
    let name: String
    /// The finding that it shows, in one sentence.
    let summary: String
    /// True if the user may choose the number of hosts.
    var takesHosts = false
    /// True if the user may choose the client's policies.
    var takesPolicies = false
    /// Runs the scenario.
    ///
    /// The same settings give the same result, to the last bit.
    let run: @Sendable (ScenarioSettings) -> ScenarioResult
}

extension NamedScenario {
    /// Returns the scenario with a name.
    static func named(_ name: String) throws(CommandError) -> NamedScenario {
        if let scenario = all.first(where: { $0.name == name }) { return scenario }
        let names = all.map(\.name).joined(separator: ", ")
        throw CommandError(
            wrongUse: "there is no scenario \(Arguments.quoted(name)); there are \(names)")
    }

    /// All scenarios, one per line, with their summaries.
    static var list: String {
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { scenario in
            let gap = String(repeating: " ", count: width - scenario.name.count)
            return "  \(scenario.name)\(gap)  \(scenario.summary)"
        }
        return "\(Command.command) NAME runs one of these; --help shows the options.\n\n"
            + lines.joined(separator: "\n")
    }
}
