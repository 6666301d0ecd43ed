import PledgeServices

/// What a run records for its tables and pictures beside its calls.
struct ReportRecorder {
    let settings: RunSettings
    let policies: PolicyRecorder
    let gauges: GaugeRecorder
    private let recordsPolicyEvents: Bool

    init(of scenario: Scenario, on scheduler: SimulationScheduler) {
        settings = RunSettings(of: scenario)
        policies = PolicyRecorder(on: scheduler)
        gauges = GaugeRecorder(on: scheduler, until: Nanoseconds(scenario.duration))
        recordsPolicyEvents = scenario.recordsPolicyEvents
    }

    /// The service, observed if the scenario records what policies do.
    func observing<Output: Sendable>(
        _ service: @escaping Service<SimulatedRequest, Output>
    ) -> Service<SimulatedRequest, Output> {
        recordsPolicyEvents ? policies.observing(service) : service
    }
}
