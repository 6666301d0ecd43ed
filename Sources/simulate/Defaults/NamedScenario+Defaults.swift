extension NamedScenario {
    /// The defaults of the policies, with the alternatives to them.
    static let defaults = NamedScenario(
        name: "defaults",
        summary: "Each default that matters where hosts fail, with alternatives; some minutes."
    ) { settings in
        let judged = settings.choose(JudgedDefault.all, short: [JudgedDefault.attempts.shortened])
        settings.progress.begin(runs: judged.reduce(0) { $0 + $1.runCount(settings) })
        let tables = judged.map { $0.table(settings) }
        return ScenarioResult(tables: tables, picture: { BreakerChart.chart(settings).svg })
    }
}

extension JudgedDefault {
    /// All, in the order in which they are printed.
    static let all: [JudgedDefault] = [
        .attempts, .backoff, .serverDelay, .budgetShare, .budgetFloor, .breakerRow, .breakerRate,
        .breakerMinimum, .breakerWindow, .breakerOpenTime, .breakerProbes, .hedgeLoad, .bulkhead,
        .limiterWait, .attemptTimeout,
    ]
}
