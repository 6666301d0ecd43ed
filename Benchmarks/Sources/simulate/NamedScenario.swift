/// A scenario that the program runs, by its name.
struct NamedScenario: Sendable {
    /// What it is called on the command line.
    let name: String
    /// What it shows, in one sentence.
    let summary: String
    /// Whether its number of hosts may be chosen.
    var takesHosts = false
    /// Whether the client's policies may be chosen.
    var takesPolicies = false
    /// Runs it: the same settings give the same result, to the last bit.
    let run: @Sendable (ScenarioSettings) -> ScenarioResult
}

extension NamedScenario {
    /// The scenario with a name.
    static func named(_ name: String) throws(CommandError) -> NamedScenario {
        if let scenario = all.first(where: { $0.name == name }) { return scenario }
        let names = all.map(\.name).joined(separator: ", ")
        throw CommandError(
            wrongUse: "there is no scenario \(Arguments.quoted(name)); there are \(names)")
    }

    /// All scenarios, one a line, with what each shows.
    static var list: String {
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { scenario in
            let gap = String(repeating: " ", count: width - scenario.name.count)
            return "  \(scenario.name)\(gap)  \(scenario.summary)"
        }
        return "swift run -c release simulate NAME runs one of these; --help shows the options.\n\n"
            + lines.joined(separator: "\n")
    }
}
