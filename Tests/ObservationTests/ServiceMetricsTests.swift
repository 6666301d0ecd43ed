import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeObservation
@testable import PledgeServices

@Suite(.oneAtATime) struct ServiceMetricsTests {
    let scheduler = ManualScheduler()

    @Test func theMetricsOfACallWithARetryAreThisWholeText() {
        let metrics = ServiceMetrics()
        let upstream = Upstream(on: scheduler, [.broken, .value(7, after: .microseconds(30_500))])
        _ = stack(
            .observed(by: metrics.observer, on: scheduler, named: { _ in "load" }),
            .retry(Retry(backoff: .constant(.milliseconds(2))), on: scheduler), over: upstream.send)(
                1)
        scheduler.run()
        #expect(
            metrics.prometheusText == """
                # HELP pledge_call_duration_seconds How long calls took, by name and outcome.
                # TYPE pledge_call_duration_seconds histogram
                \(histogram("call_duration_seconds", #"call="load",outcome="success""#,
                    [0, 0, 0, 1], "0.0425"))
                # HELP pledge_call_health_total What the ends of calls say about the service's health.
                # TYPE pledge_call_health_total counter
                pledge_call_health_total{call="load",health="healthy"} 1
                # HELP pledge_calls_in_flight Calls that have begun and not ended.
                # TYPE pledge_calls_in_flight gauge
                pledge_calls_in_flight{call="load"} 0
                # HELP pledge_attempt_duration_seconds How long the parts of calls took that \
                policies make: attempts, hedges.
                # TYPE pledge_attempt_duration_seconds histogram
                \(histogram("attempt_duration_seconds", #"call="load",policy="retry",outcome="retryable""#,
                    [0, 1], "0.01"))
                \(histogram("attempt_duration_seconds", #"call="load",policy="retry",outcome="success""#,
                    [0, 0, 0, 1], "0.0305"))
                # HELP pledge_policy_events_total What policies did, by kind and reason.
                # TYPE pledge_policy_events_total counter
                pledge_policy_events_total{call="load",policy="retry",event="retrying",reason=""} 1

                """)
    }

    @Test(arguments: [false, true])
    func aFallbackAroundAnObservedCallIsCountedBesideItsFailure(isImmediate: Bool) {
        let metrics = ServiceMetrics()
        let upstream = Upstream(
            on: scheduler, [isImmediate ? .atOnce(.failure(Broken())) : .error(Broken())])
        let client = stack(.observed(by: metrics.observer, on: scheduler), over: upstream.send)
        _ = stack(
            .fallback(to: { _ in Future(value: 8) }), .fallback(from: { throw $0! }), over: client)(
                3)
        scheduler.run()
        let text = metrics.prometheusText
        #expect(text.contains(#"policy="fallback",event="fell_back",reason=""} 2"#))
        #expect(text.contains(#"_count{call="call",outcome="retryable"} 1"#))
        #expect(!text.contains(#"outcome="success""#))
    }

    @Test func aRouteAndItsUpstreamsAreEachCountedOnceInTheSameMetrics() {
        let metrics = ServiceMetrics()
        let sources = Upstream(on: scheduler, [.broken, .value(7), .value(8)])
        let upstream = stack(
            .observed(
                by: ServiceObserver(combining: [metrics.observer, metrics.observer]),
                on: scheduler, named: { _ in "upstream" }),
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), over: sources.send)
        let route = stack(
            .observed(by: metrics.observer, on: scheduler, named: { _ in "route" }),
            over: { (ask: Ask) in upstream(ask).flatMap { _ in upstream(ask) } })
        let call = route(1)
        scheduler.run()
        #expect(call.valueNow == 8)
        let text = metrics.prometheusText
        #expect(text.contains(#"duration_seconds_count{call="route",outcome="success"} 1"#))
        #expect(text.contains(#"duration_seconds_count{call="upstream",outcome="success"} 2"#))
        #expect(text.contains(#"health_total{call="upstream",health="healthy"} 2"#))
        #expect(text.contains(#"policy="retry",event="retrying",reason=""} 1"#))
        #expect(!text.contains(#"call="other""#))
    }

    /// The lines of a histogram; the buckets after the given ones have the last count.
    private func histogram(
        _ name: String, _ labels: String, _ counts: [Int], _ sum: String
    ) -> String {
        let bounds = [
            "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf",
        ]
        let last = counts.last ?? 0
        let buckets = bounds.enumerated().map { index, bound in
            let count = index < counts.count ? counts[index] : last
            return "pledge_\(name)_bucket{\(labels),le=\"\(bound)\"} \(count)"
        }
        return
            (buckets + ["pledge_\(name)_sum{\(labels)} \(sum)"]
            + ["pledge_\(name)_count{\(labels)} \(last)"]).joined(separator: "\n")
    }

    @Test func theTextOfNoMetricIsEmpty() {
        #expect(ServiceMetrics().prometheusText == "")
    }

    @Test func metricsEscapeTheirLabels() {
        let metrics = ServiceMetrics(prefix: "my:app_2")
        metrics.observer.receive(.made(.began(name: "a \"b\" \\ c\r\nd{}=,")))
        let text = metrics.prometheusText
        let label = #"a \"b\" \\ c"# + "\r" + #"\nd{}=,"#
        #expect(text.hasSuffix("\nmy:app_2_calls_in_flight{call=\"\(label)\"} 1\n"))
    }

    @Test func longSumsOfMetricsAreExact() {
        let metrics = ServiceMetrics()
        for _ in 0..<4 {
            metrics.observer.receive(
                .made(.ended(.success, latency: .seconds(Int64.max), error: nil)))
        }
        metrics.observer.receive(
            .made(.ended(.success, latency: .nanoseconds(1), error: nil)))
        #expect(
            metrics.prometheusText.contains(
                #"pledge_call_duration_seconds_sum{call="other",outcome="success"} "#
                    + "36893488147.419103229\n"))
    }

    @Test func metricsHaveTheSameOrderEachTime() {
        let names = (0..<50).map { "call \($0)" }
        func text(_ names: [String]) -> String {
            let metrics = ServiceMetrics()
            for (call, name) in names.enumerated() {
                metrics.observer.receive(.made(.began(name: name), call: UInt64(call)))
            }
            return metrics.prometheusText
        }
        #expect(text(names) == text(names.reversed()))
    }

    @Test func threadsMayShareMetrics() async {
        let metrics = ServiceMetrics()
        let service = stack(
            .observed(by: metrics.observer),
            .retry(Retry(backoff: .constant(.zero)), budget: .unlimited),
            over: { (ask: Ask) in
                CallContext.current.attempt == 1 ? Future<Int>(error: Broken()) : Future(value: 1)
            })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<250 {
                        _ = service(Ask(number))
                        if number % 50 == 0 { _ = metrics.prometheusText }
                    }
                }
            }
        }
        let text = metrics.prometheusText
        #expect(text.contains(#"pledge_calls_in_flight{call="call"} 0"#))
        #expect(text.contains(#"_duration_seconds_count{call="call",outcome="success"} 1000"#))
        #expect(text.contains(#"{call="call",policy="retry",event="retrying",reason=""} 1000"#))
    }

    #if os(macOS) || os(Linux)
    @Test func metricsWithAPrefixThatIsNoNameTrap() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ServiceMetrics(prefix: "2nd app") }
        expectTrap("metrics need a prefix of letters, digits", in: result)
    }

    @Test func metricsOfNoLabelTrap() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ServiceMetrics(labelLimit: 0) }
        expectTrap("metrics need a labelLimit of 1 or more, not 0", in: result)
    }
    #endif
}

@Suite struct MetricsTableTests {
    func table(_ events: [PolicyEvent], labelLimit: Int = 100) -> MetricsTable {
        var table = MetricsTable(labelLimit: labelLimit)
        for event in events { table.add(event) }
        return table
    }

    @Test func metricsCountCallsByNameAndOutcome() {
        let table = table([
            .made(.began(name: "a"), call: 1), .made(.began(name: "b"), call: 2),
            .made(.ended(.success, after: 7), call: 2), .made(.began(name: "a"), call: 3),
            .made(.ended(.failure, after: 20), call: 1),
        ])
        #expect(
            table.calls.series.mapValues(\.count) == [["b", "success"]: 1, ["a", "failure"]: 1])
        #expect(table.calls.series[["a", "failure"]]?.sum == .milliseconds(20))
        #expect(table.inFlight.series == [["a"]: 1, ["b"]: 0])
    }

    @Test func metricsCountAttemptsByCallAndPolicy() {
        let table = table([
            .made(.began(name: "a")), .made(.began(name: "attempt 1"), by: "retry", span: 2),
            .made(.ended(.retryable(after: .seconds(1)), after: 7), by: "retry", span: 2),
            .made(.ended(.success, after: 9), by: "hedge", span: 3),
        ])
        #expect(
            table.attempts.series.mapValues(\.count)
                == [["a", "retry", "", "retryable"]: 1, ["a", "hedge", "", "success"]: 1])
        #expect(table.calls.series.isEmpty)
        #expect(table.events.series.isEmpty)
    }

    @Test func metricsCountEventsByKindAndReason() {
        let table = table([
            .made(.began(name: "a")), .made(.retryWithheld(reason: "budget"), by: "retry"),
            .made(.retryWithheld(reason: "budget"), by: "retry"),
            .made(.retryWithheld(reason: "deadline"), by: "retry"), .made(.hit, by: "memoize"),
            .made(.stateChanged(from: "closed", to: "open"), by: "breaker"),
            .made(.dequeued(after: .milliseconds(30)), by: "bulkhead"), .made(.ended()),
            // After its call it has no call's label.
            .made(.miss, by: "memoize"),
        ])
        #expect(
            table.events.series == [
                ["a", "retry", "", "retry_withheld", "budget"]: 2,
                ["a", "retry", "", "retry_withheld", "deadline"]: 1,
                ["a", "memoize", "", "hit", ""]: 1,
                ["a", "breaker", "", "state_changed", "open"]: 1,
                ["a", "bulkhead", "", "dequeued", ""]: 1, ["", "memoize", "", "miss", ""]: 1,
            ])
        #expect(table.waits.series.mapValues(\.sum) == [["a", "bulkhead", ""]: .milliseconds(30)])
    }

    @Test func theLabelsOfMetricsAreBounded() {
        var events: [PolicyEvent] = []
        for number in 0..<1_000 as Range<UInt64> {
            events += [
                .made(.began(name: "product \(number)"), call: number),
                .made(.ended(.success), call: number),
                .made(.stateChanged(from: "", to: "state \(number)"), by: "policy \(number)"),
                .made(.ended(.success), by: "policy \(number)", span: 2),
                .made(.dequeued(after: .zero), by: "policy \(number)"),
            ]
        }
        let table = table(events, labelLimit: 5)
        #expect(table.calls.series.count == 6)
        #expect(table.calls.series[["other", "success"]]?.count == 995)
        #expect(
            table.inFlight.series
                == [
                    "product 0", "product 1", "product 2", "product 3",
                    "product 4", "other",
                ].reduce(into: [:]) { $0[[$1]] = 0 })
        #expect(table.attempts.series.count == 6)
        #expect(table.waits.series.count == 6)
        #expect(table.events.series.count <= 2 * 6 * 7)
    }

    @Test func metricsOfCallsThatNeverEndAreBounded() {
        let count = MetricsTable.openLimit + 100
        var table = MetricsTable(labelLimit: 5)
        for call in 0..<count { table.add(.made(.began(name: "a"), call: UInt64(call))) }
        #expect(table.inFlight.series == [["a"]: MetricsTable.openLimit])
        for call in 0..<count { table.add(.made(.ended(), call: UInt64(call))) }
        #expect(table.inFlight.series == [["a"]: 0])
        #expect(table.calls.series[["a", "success"]]?.count == MetricsTable.openLimit)
        #expect(table.calls.series[["other", "success"]]?.count == 100)
        // There is room again.
        table.add(.made(.began(name: "a"), call: 0))
        #expect(table.inFlight.series == [["a"]: 1])
    }

    @Test func metricsTellTheSpansOfOneCallApart() {
        let table = table([
            .made(.began(name: "outer"), span: 1), .made(.began(name: "inner"), span: 2, in: 1),
            .made(.ended(), span: 2, in: 1), .made(.ended(.failure), span: 1),
        ])
        #expect(Set(table.calls.series.keys) == [["inner", "success"], ["outer", "failure"]])
    }
}

@Suite struct PrometheusHistogramTests {
    @Test func theBoundOfAHistogramsBucketIsIncluded() {
        var histogram = PrometheusHistogram()
        histogram.add(.milliseconds(5))
        histogram.add(.nanoseconds(5_000_001))
        histogram.add(.seconds(10))
        histogram.add(.seconds(11))
        #expect(histogram.cumulative.map(\.count) == [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3])
        #expect(histogram.count == 4)
        #expect(histogram.sum == .nanoseconds(21_010_000_001))
    }

    @Test func aHistogramIgnoresLatenciesThatMakeNoSense() {
        var histogram = PrometheusHistogram()
        histogram.add(.seconds(-5))
        for _ in 0..<3 { histogram.add(.seconds(Int64.max)) }
        #expect(histogram.cumulative.map(\.count).allSatisfy { $0 == 1 })
        #expect(histogram.count == 4)
        #expect(histogram.sum == .nanoseconds(Int64.max) * 3)
    }

    @Test func aHistogramAgreesWithAnOracle() {
        let bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
        var chance = SeededGenerator(seed: 5)
        var histogram = PrometheusHistogram()
        var all: [Int] = []
        for _ in 0..<2_000 {
            let bound = Int.random(in: 1...20_000, using: &chance)
            all.append(Int.random(in: 0...bound, using: &chance))
            histogram.add(.milliseconds(all.last!))
        }
        #expect(histogram.cumulative.map(\.bound) == bounds.map { .milliseconds($0) })
        #expect(histogram.cumulative.map(\.count) == bounds.map { b in all.count { $0 <= b } })
        #expect(histogram.sum == .milliseconds(all.reduce(0, +)))
    }
}

@Suite struct BoundedLabelsTests {
    @Test func metricsLabelsBeyondTheLimitAreOther() {
        var labels = BoundedLabels(limit: 2)
        #expect(
            ["a", "b", "c", "a", "d", "b"].map { labels.admit($0) }
                == ["a", "b", "other", "a", "other", "b"])
    }

    @Test func longLabelsOfMetricsAreCut() {
        var labels = BoundedLabels(limit: 2)
        #expect(labels.admit(String(repeating: "x", count: 500)).unicodeScalars.count == 129)
    }
}
