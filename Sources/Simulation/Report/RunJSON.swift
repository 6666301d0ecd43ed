import PledgeServices

extension SimulationRun {
    /// Returns the run as JSON (RFC 8259).
    ///
    /// The JSON has the settings, figures, series by second, failures, changes, policies, gauges and hosts. The members
    /// are always in the same order, and the same seed gives the same bytes on every machine. Times are in seconds. The
    /// seed is a string, because JSON readers may round a number of its size. If the run has an ``error``, its figures
    /// mean nothing, and `warning` says so. Otherwise `warning` is null.
    public func json() -> String {
        JSONText.object([
            ("warning", warningInJSON),
            ("escapedActions", .number(escapedActions)),
            ("seed", .text("\(seed)")),
            ("settings", settingsInJSON),
            ("calls", .number(callCount)),
            ("unfinishedCalls", .number(unfinishedCalls)),
            ("events", .number(eventCount)),
            ("endTime", .number(endTime)),
            ("goodput", .number(goodput)),
            ("amplification", .number(amplification)),
            ("latency", latencyInJSON),
            ("failures", failuresInJSON),
            ("changes", .array(changes.map(\.json))),
            ("seconds", secondsInJSON),
            ("policies", .array(policies.map(\.json))),
            ("gauges", .array(gauges.map(\.json))),
            ("hosts", .array(hosts.indices.map { hostInJSON($0) })),
        ]).lines
    }

    private var warningInJSON: JSONText {
        guard let warning, let error else { return .null }
        return .text("\(warning) \(error)")
    }

    private var settingsInJSON: JSONText {
        .object([
            ("duration", .number(duration)), ("arrivals", .text(settings.arrivals)),
            ("hosts", .number(hosts.count)), ("balancing", .text(settings.balancing)),
        ])
    }

    private var latencyInJSON: JSONText {
        let whole = interval(0...duration, sent: sent.total)
        return .object([
            ("p50", .number(whole.p50)), ("p90", .number(whole.p90)),
            ("p99", .number(whole.p99)), ("p99.9", .number(whole.p999)),
        ])
    }

    private var failuresInJSON: JSONText {
        .array(failures.map { .object([("kind", .text($0)), ("count", .number($1))]) })
    }

    private var secondsInJSON: JSONText {
        let series = series()
        func counts(_ count: (Interval) -> Int) -> JSONText {
            .array(series.map { .number(count($0)) })
        }
        func times(_ time: (Interval) -> Double?) -> JSONText {
            .array(series.map { .number(time($0)) })
        }
        return .object([
            ("offered", counts(\.offered)), ("succeeded", counts(\.succeeded)),
            ("failed", counts(\.failed)), ("sent", counts(\.sent)), ("p50", times(\.p50)),
            ("p90", times(\.p90)), ("p99", times(\.p99)), ("p99.9", times(\.p999)),
        ])
    }

    private func hostInJSON(_ number: Int) -> JSONText {
        let (host, settings) = (hosts[number], settings.hosts[number])
        let limit = settings.queueLimit
        let name = settings.name.map { [("name", JSONText.text($0))] } ?? []
        let number: [(String, JSONText)] = [("number", .number(number))]
        return .object(
            number + name + [
                ("workers", .number(settings.workers)),
                ("queueLimit", limit == .max ? .null : .number(limit)),
                ("queueOrder", .text("\(settings.queueOrder)")),
                ("meanServiceTime", .number(settings.serviceTime.meanInSeconds)),
                ("failureRate", .number(settings.failureRate)),
                ("lossRate", .number(settings.lossRate)),
                ("received", .number(host.received)), ("refused", .number(host.refused)),
                ("finished", .number(host.finished)), ("wasted", .number(host.wasted)),
                ("meanCalls", .number(host.meanCalls)), ("meanTime", .number(host.meanTime)),
            ])
    }
}

extension SimulationRun.PolicyActivity {
    fileprivate var json: JSONText {
        .object([
            ("policy", .text(policy)),
            ("name", name.map { .text($0) } ?? .null),
            ("actions", .object(actions.map { ($0.action, .number($0.count)) })),
            (
                "seconds",
                .object(
                    actions.map { ($0.action, .array(counts(of: $0.action).map { .number($0) })) })
            ),
            (
                "stateChanges",
                .array(
                    stateChanges.map {
                        .object([
                            ("time", .number($0.time)), ("from", .text($0.old)),
                            ("to", .text($0.new)),
                        ])
                    })
            ),
        ])
    }
}

extension SimulationRun.Change {
    fileprivate var json: JSONText {
        .object([("time", .number(time)), ("name", .text(name))])
    }
}

extension SimulationRun.Gauge {
    fileprivate var json: JSONText {
        .object([
            ("name", .text(name)), ("firstSecond", .number(firstSecond)),
            ("values", .array(values.map { .number($0) })),
        ])
    }
}

/// JSON to write (RFC 8259): members in order, numbers as they are printed.
indirect enum JSONText {
    case null
    case literal(String)
    case text(String)
    case array([JSONText])
    case object([(name: String, value: JSONText)])

    /// Null if the number is nil, infinite or not a number.
    ///
    /// Up to nine decimals, so that seconds are exact to the nanosecond.
    static func number(_ number: Double?) -> JSONText {
        guard let number, number.isFinite else { return .null }
        return .literal(number.shortText(digits: 9))
    }

    static func number(_ number: Int) -> JSONText { .literal("\(number)") }

    /// On one line.
    var line: String {
        switch self {
        case .null: "null"
        case .literal(let text): text
        case .text(let text): text.quoted
        case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\($0.name.quoted):\($0.value.line)" }.joined(separator: ",") + "}"
        }
    }

    /// A line for each member and, in an array of objects, for each object.
    var lines: String {
        guard case .object(let members) = self else { return line }
        let lines = members.map { "  \($0.name.quoted): \($0.value.lineOrLinesOfObjects)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    private var lineOrLinesOfObjects: String {
        guard case .array(let values) = self, case .object? = values.first else { return line }
        return "[\n" + values.map { "    " + $0.line }.joined(separator: ",\n") + "\n  ]"
    }
}
