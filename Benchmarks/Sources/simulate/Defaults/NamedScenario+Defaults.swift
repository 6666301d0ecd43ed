extension NamedScenario {
    /// The defaults of the policies, with the alternatives to them.
    static let defaults = NamedScenario(
        name: "defaults",
        summary: "Each default that matters where hosts fail, with alternatives; some minutes."
    ) { settings in
        JudgedDefault.judge(JudgedDefault.all, settings) { BreakerChart.chart(settings) }
    }

    /// The same for the policies that admit fewer calls in overload.
    static let admission = NamedScenario(
        name: "admission",
        summary: "The defaults of throttles, load shedders and adaptive limits, with alternatives."
    ) { settings in
        JudgedDefault.judge(JudgedDefault.admission, settings) { AdmissionChart.chart(settings) }
    }
}

extension JudgedDefault {
    /// The tables of some defaults; in short form, of a part of the first.
    fileprivate static func judge(
        _ judged: [JudgedDefault], _ settings: ScenarioSettings,
        chart: @escaping @Sendable () -> Chart
    ) -> ScenarioResult {
        let judged = settings.choose(judged, short: judged.prefix(1).map(\.shortened))
        settings.progress.begin(runs: judged.reduce(0) { $0 + $1.runCount(settings) })
        return ScenarioResult(
            tables: judged.map { $0.table(settings) }, picture: { chart().svg })
    }

    /// All, in the order in which they are printed.
    static let all: [JudgedDefault] = [
        .attempts, .backoff, .serverDelay, .budgetShare, .budgetCapacity, .budgetOrigins,
        .breakerRow, .breakerLasting, .breakerRate, .breakerMinimum, .breakerWindow,
        .breakerOpenTime, .breakerProbes, .breakerOrigins, .hedgeLoad, .bulkhead, .limiterWait,
        .guards, .deadline, .attemptTimeout, .slowBodies, .brokenBodies,
    ]
}
