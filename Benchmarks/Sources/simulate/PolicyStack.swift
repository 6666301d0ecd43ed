import PledgeServices
import PledgeSimulation

/// The policies of a simulated client as named on the command line, outermost first.
struct PolicyStack: Sendable, CustomStringConvertible {
    /// The list as the user wrote it.
    let description: String
    private let policies: [NamedPolicy]
    /// The amount that a success adds to the budget of retries and hedges; nil if nothing limits them.
    private let budget: Double?

    /// Parses a list separated by commas.
    init(_ list: String) throws(CommandError) {
        description = list
        var policies: [NamedPolicy] = []
        var budget: Double?
        let words = list.split(separator: ",", omittingEmptySubsequences: false)
        for word in list == "none" ? [] : words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
            if name == "budget" {
                budget = try PolicyValue(of: name, value ?? "0.2").share()
            } else {
                policies.append(try NamedPolicy.named(name, value))
            }
        }
        if budget != nil, !policies.contains(where: \.usesBudget) {
            throw CommandError(wrongUse: "a budget needs a retry or a hedge in --policies")
        }
        self.policies = policies
        self.budget = budget
    }

    /// Returns the client's stack over the fleet of a simulation.
    func service(in world: SimulatedWorld) -> Service<SimulatedRequest, SimulatedResponse> {
        let budget = budget.map { RetryBudget(retriesPerSuccess: $0) }
        if let budget { world.gauge("retry budget") { Double(budget.balance) } }
        let parts = policies.map { $0.make(world, budget) }
        return Middleware(stacking: parts)(world.fleet.send)
    }
}
