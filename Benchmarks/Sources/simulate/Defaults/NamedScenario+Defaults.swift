extension NamedScenario {
    /// The policies' defaults, compared with alternatives.
    static let defaults = NamedScenario(
        name: "defaults",
        summary: "Each default that matters where hosts fail, with alternatives; some minutes."
    ) { settings in
        JudgedDefault.judge(JudgedDefault.all, settings) { BreakerChart.chart(settings) }
    }

    /// The defaults of the policies that admit fewer calls in overload, compared with alternatives.
    static let admission = NamedScenario(
        name: "admission",
        summary: "The defaults of throttles, load shedders and adaptive limits, with alternatives."
    ) { settings in
        JudgedDefault.judge(JudgedDefault.admission, settings) { AdmissionChart.chart(settings) }
    }
}

extension JudgedDefault {
    /// Returns the tables of some defaults.
    ///
    /// The short form has only a part of the first table.
    fileprivate static func judge(
        _ judged: [JudgedDefault], _ settings: ScenarioSettings,
        chart: @escaping @Sendable () -> Chart
    ) -> ScenarioResult {
        let judged = settings.choose(judged, short: judged.prefix(1).map(\.shortened))
        settings.progress.begin(runs: judged.reduce(0) { $0 + $1.runCount(settings) })
        return ScenarioResult(
            tables: judged.map { $0.table(settings) }, picture: { chart().svg })
    }

    /// All comparisons, in the order they are printed.
    static let all: [JudgedDefault] = [
        .attempts, .backoff, .serverDelay, .budgetShare, .budgetCapacity, .budgetOrigins,
        .breakerRow, .breakerLasting, .breakerRate, .breakerMinimum, .breakerWindow,
        .breakerOpenTime, .breakerProbes, .breakerOrigins, .hedgeLoad, .bulkhead, .limiterWait,
        .guards, .deadline, .attemptTimeout, .slowBodies, .brokenBodies,
    ]
}
