import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct ServiceMetricsTests {
    let scheduler = ManualScheduler()

    @Test func theWholeTextOfACallWithARetry() {
        let metrics = ServiceMetrics()
        let upstream = Upstream(on: scheduler, [.broken, .value(7, after: .microseconds(30_500))])
        _ = stack(
            .observed(by: metrics.observer, on: scheduler, named: { _ in "load" }),
            .retry(backoff: .constant(.milliseconds(2)), on: scheduler), over: upstream.send)(1)
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

    @Test func ofNothingItIsEmpty() {
        #expect(ServiceMetrics().prometheusText == "")
    }

    @Test func labelsAreEscaped() {
        let metrics = ServiceMetrics(prefix: "my:app_2")
        metrics.observer.receive(.made(.began(name: "a \"b\" \\ c\r\nd{}=,")))
        let text = metrics.prometheusText
        let label = #"a \"b\" \\ c"# + "\r" + #"\nd{}=,"#
        #expect(text.hasSuffix("\nmy:app_2_calls_in_flight{call=\"\(label)\"} 1\n"))
    }

    @Test func longSumsAreExact() {
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

    @Test func theOrderIsTheSameEachTime() {
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

    @Test func threadsShareThem() async {
        let metrics = ServiceMetrics()
        let service = stack(
            .observed(by: metrics.observer),
            .retry(backoff: .constant(.zero), sharing: .unlimited),
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
    @Test func aPrefixThatIsNoNameTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ServiceMetrics(prefix: "2nd app") }
        expectTrap("metrics need a prefix of letters, digits", in: result)
    }

    @Test func noLabelTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ServiceMetrics(labelLimit: 0) }
        expectTrap("metrics need a labelLimit of 1 or more, not 0", in: result)
    }
    #endif
}
