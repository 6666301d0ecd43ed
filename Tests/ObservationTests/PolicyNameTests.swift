import PledgeAdmission
import PledgeFutures
import PledgeObservation
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import TestSupport
import Testing

/// Names of policies' states, in all outputs that contain them.
@Suite struct PolicyNameTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// A policy whose state has the name "orders", and the service's steps that make the policy report an
    /// event.
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let steps: [Upstream.Step]
        let policy: @Sendable (ManualScheduler) -> Middleware<Ask, Int>

        var testDescription: String { name }

        init(
            _ name: String, _ steps: Upstream.Step...,
            policy: @escaping @Sendable (ManualScheduler) -> Middleware<Ask, Int>
        ) {
            self.name = name
            self.steps = steps
            self.policy = policy
        }

        static let all = [
            Row("circuitBreaker", .atOnce(.failure(Broken()))) {
                .circuitBreaker(
                    sharing: CircuitBreaker(
                        named: "orders", failuresInARow: 1, lasting: .zero, on: $0))
            },
            Row("rateLimit", .value(1)) {
                .rateLimit(
                    sharing: RateLimiter(
                        named: "orders", rate: 1, per: .seconds(1), maxWait: .seconds(1), on: $0))
            },
            Row("bulkhead", .value(1)) {
                .bulkhead(
                    sharing: Bulkhead(
                        named: "orders", limit: 1, queue: 1, queueTimeout: .seconds(1),
                        leaseTime: nil, on: $0))
            },
            Row("loadShedding", .value(1)) {
                .loadShedding(sharing: LoadShedder(named: "orders", limit: 1, queue: 1, on: $0))
            },
            Row("throttle", .atOnce(.failure(Broken()))) {
                .throttle(
                    sharing: AdaptiveThrottle(
                        named: "orders", minimumRate: 0, on: $0, random: .constant(0)))
            },
            Row("adaptiveConcurrency", .value(1)) {
                .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(
                        named: "orders", algorithm: .vegas(initial: 1), queue: 1,
                        queueTimeout: .seconds(1), on: $0))
            },
            Row("retry", .broken, .broken, .value(3)) {
                .retry(budget: RetryBudget(named: "orders", capacity: 1), on: $0)
            },
            Row("hedge", .value(1, after: .seconds(1))) {
                .hedge(sharing: Hedge(named: "orders", after: .milliseconds(10), on: $0))
            },
            Row("hedge", .value(1, after: .seconds(1))) {
                .hedge(
                    sharing: Hedge(
                        after: .milliseconds(10), budget: RetryBudget(named: "orders"), on: $0))
            },
            Row("coalesce", .value(1)) { _ in
                .coalesce(by: { _ in 1 }, sharing: Coalescer(named: "orders"))
            },
            Row("memoize", .value(1)) {
                .memoize(
                    by: { _ in 1 },
                    sharing: Memo(named: "orders", timeToLive: .seconds(9), on: $0))
            },
            Row("chaos", .value(1)) {
                .chaos(
                    .latency(.milliseconds(5), probability: 1), .failure(probability: 1),
                    sharing: ChaosSwitch(named: "orders", isOn: true), on: $0)
            },
        ]
    }

    @Test(arguments: Row.all)
    func allEventsOfAPolicyHaveTheNameOfItsState(_ row: Row) {
        let upstream = Upstream(on: scheduler, row.steps)
        let service = stack(
            .observed(by: log.observer, on: scheduler), row.policy(scheduler), over: upstream.send)
        let calls = [service(1), service(2), service(3)]
        scheduler.advance(by: .seconds(5))
        for call in calls { call.cancel() }
        let events = log.elements.filter { $0.policy == row.name }
        #expect(!events.isEmpty)
        #expect(events.allSatisfy { $0.policyName == "orders" })
        #expect(events.allSatisfy { $0.logLine.contains(" policy_name=orders") })
        for case .refused(let error) in events.map(\.kind) {
            #expect(error.policyName == "orders")
            #expect("\(error)".hasPrefix("\(row.name) \"orders\": refused"))
        }
        #expect(log.elements.filter { $0.policy == "observed" }.allSatisfy { $0.policyName == nil })
    }

    @Test func metricsAndWaterfallTellWhichOfTwoBreakersOpened() throws {
        let metrics = ServiceMetrics()
        let recorder = CallRecorder()
        let (reads, writes) = (
            CircuitBreaker(named: "reads", failuresInARow: 1, lasting: .zero, on: scheduler),
            CircuitBreaker(named: "writes", failuresInARow: 1, lasting: .zero, on: scheduler)
        )
        let upstream = Upstream(on: scheduler, [.value(1), .broken])
        let service = stack(
            .observed(by: metrics.observer, recorder.observer, on: scheduler),
            .keyed(by: { $0.number }) { .circuitBreaker(sharing: $0 == 1 ? reads : writes) },
            over: upstream.send)
        _ = (service(1), service(2))
        scheduler.run()
        let lines = metrics.prometheusText.split(separator: "\n")
        #expect(
            lines.filter { $0.contains("state_changed") } == [
                #"pledge_policy_events_total{call="call",policy="circuitBreaker",policy_name="writes",event="state_changed",reason="open"} 1"#
            ])
        let waterfall = try #require(recorder.lastCall).waterfall()
        #expect(waterfall.contains("policy_name=writes from=closed to=open"))
        #expect(try #require(recorder.lastCall).chromeTrace.contains(#""policy_name":"writes""#))
    }

    @Test func theNamesOfPoliciesInAMetricsLabelAreBounded() {
        let metrics = ServiceMetrics(labelLimit: 2)
        for number in 1...5 {
            metrics.observer.receive(
                PolicyEvent(
                    kind: .hit, policy: "memoize", policyName: "\(number)",
                    instant: SchedulerInstant(offset: .zero), call: 1, span: 1, parent: nil,
                    attempt: 1))
        }
        let lines = metrics.prometheusText.split(separator: "\n").filter { $0.hasPrefix("pledge") }
        #expect(lines.count == 3)
        #expect(lines.contains { $0.contains(#"policy_name="other""#) && $0.hasSuffix(" 3") })
    }

    @Test func aServiceCanLogWithTheCallAndSpanNumbersOfItsEvents() {
        let seen = Locked<[(UInt64?, Int?)]>([])
        let service = stack(
            .observed(by: log.observer, on: scheduler), .retry(on: scheduler),
            over: { (_: Ask) -> Future<Int> in
                let context = CallContext.current
                seen.withLock { $0.append((context.callNumber, context.spanNumber)) }
                return Future(value: 1)
            })
        _ = service(1)
        let attempt = log.elements.first { $0.policy == "retry" }
        #expect(attempt != nil)
        #expect(seen.withLock { $0.map(\.0) } == [attempt?.call])
        #expect(seen.withLock { $0.map(\.1) } == [attempt?.span])
        #expect(CallContext.current.callNumber == nil)
        #expect(CallContext.current.spanNumber == nil)
    }
}
