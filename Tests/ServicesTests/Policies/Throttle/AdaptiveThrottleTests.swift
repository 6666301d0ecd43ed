import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite struct AdaptiveThrottleTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// A service that ends each call at once in the same way.
    private func service(
        _ throttle: AdaptiveThrottle, _ result: Result<Int, any Error>
    ) -> (call: Service<Ask, Int>, upstream: Upstream) {
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(result), count: 10_000))
        let call = stack(
            .observed(by: log.observer, on: scheduler), .throttle(sharing: throttle),
            over: upstream.send)
        return (call, upstream)
    }

    @Test func aHealthyServiceGetsAllCalls() {
        let throttle = AdaptiveThrottle(on: scheduler)
        let (call, upstream) = service(throttle, .success(7))
        for _ in 0..<1_000 { #expect(call(1).valueNow == 7) }
        #expect(upstream.count == 1_000)
        #expect(throttle.probability == 0)
    }

    @Test func aRefusedCallFailsAtOnceAndIsNotSent() {
        // Each draw is 0: every call that may be refused is.
        let throttle = AdaptiveThrottle(
            named: "shop", minimumRate: 0, on: scheduler, random: .constant(0))
        let (call, upstream) = service(throttle, .failure(Broken()))
        #expect(call(1).errorNow is Broken)
        #expect(throttle.probability == 0.5)
        let refused = call(2)
        #expect(refused.serviceError?.code == .throttled)
        #expect(refused.serviceError?.policyName == "shop")
        #expect(refused.serviceError?.isRefusal == true)
        #expect(refused.serviceError?.isCertainlyUnsent == true)
        #expect(refused.serviceError?.retryAfter == nil)
        #expect(upstream.count == 1)
        #expect(
            log.lines.contains(
                "0 1 throttle refused(throttle \"shop\": refused: the service fails too many calls, "
                    + "so fewer are made)"))
        // The refusal counts as a call that was not accepted.
        #expect(throttle.probability == 2.0 / 3)
    }

    /// One in five calls of a service that is down passes, so its recovery is noticed.
    @Test(arguments: [ThrottleRule.acceptMultiplier(), .successRate(aggression: 2)])
    func someCallsAlwaysPass(_ rule: ThrottleRule) {
        let throttle = AdaptiveThrottle(
            rule: rule, minimumRate: 0, on: scheduler, random: .seeded(3))
        let (down, broken) = service(throttle, .failure(Broken()))
        for _ in 0..<5_000 { _ = down(1) }
        #expect(throttle.probability == 0.8)
        #expect((900...1_150).contains(broken.count))
        let (up, healthy) = service(throttle, .success(1))
        for _ in 0..<10_000 {
            scheduler.advance(by: .milliseconds(50))
            _ = up(1)
        }
        #expect(throttle.probability == 0)
        #expect(healthy.count > 7_000)
    }

    /// Answers of five minutes do not hide an outage of half a minute.
    @Test func inTheFirstOutageMostCallsAreRefused() {
        let refusals = refusalsByOutage(lasting: 30)
        #expect(refusals.before == 0)
        // Of 300 calls.
        #expect(refusals.during > 150)
    }

    @Test func soonAfterALongOutageNoCallIsRefused() {
        let refusals = refusalsByOutage(lasting: 300)
        #expect(refusals.during > 2_000)
        #expect(refusals.lastAfter < .seconds(20))
    }

    /// The refusals of ten calls a second, before, during and after an outage: how many, and for how long after its end.
    private func refusalsByOutage(
        lasting seconds: Int
    ) -> (before: Int, during: Int, lastAfter: Duration) {
        let throttle = AdaptiveThrottle(on: scheduler, random: .seeded(1))
        let (up, down) = (
            service(throttle, .success(1)).call, service(throttle, .failure(Broken())).call
        )
        func refusals(_ call: Service<Ask, Int>, _ seconds: Int) -> [Int] {
            (0..<seconds * 10).filter { _ in
                defer { scheduler.advance(by: .milliseconds(100)) }
                return call(1).serviceError?.code == .throttled
            }
        }
        let (before, during) = (refusals(up, 300).count, refusals(down, seconds).count)
        let last = refusals(up, 300).last ?? 0
        return (before, during, .milliseconds(100) * last)
    }

    @Test func byDefaultFourCallsASecondAllPass() {
        let throttle = AdaptiveThrottle(on: scheduler, random: .constant(0))
        let (call, upstream) = service(throttle, .failure(Broken()))
        for _ in 0..<400 {
            _ = call(1)
            scheduler.advance(by: .milliseconds(250))
        }
        #expect(upstream.count == 400)
    }

    @Test func byDefaultMoreThanFiveCallsASecondMayBeRefused() {
        let throttle = AdaptiveThrottle(on: scheduler, random: .constant(0))
        let (call, upstream) = service(throttle, .failure(Broken()))
        for _ in 0..<400 {
            _ = call(1)
            scheduler.advance(by: .milliseconds(190))
        }
        // The sixth is the fifth after the first within a second.
        #expect(upstream.count == 5)
    }

    /// What shows that the service works counts as accepted; what shows nothing is not counted.
    @Test func endsAreCountedByTheHealthThatTheyShow() {
        let rows: [(any Error, Double)] = [
            (Advised(advisedOutcome: .success), 0),
            (Broken(), 0.5),
            (Advised(advisedOutcome: .retryable(after: nil)), 0.5),
            (CancellationError(), 0),
            (ServiceError(.bulkheadFull, policy: "b"), 0),
            (ServiceError(.deadlineExceeded, policy: "d"), 0),
            (ServiceError(.timedOut, policy: "t"), 0.5),
        ]
        for (error, probability) in rows {
            let throttle = AdaptiveThrottle(minimumRate: 0, on: scheduler)
            _ = service(throttle, .failure(error)).call(1)
            #expect(throttle.probability == probability, "\(error)")
        }
        // A rejection is as good as a success: three of four calls are accepted.
        let throttle = AdaptiveThrottle(
            rule: .successRate(0.75), minimumRate: 0, on: scheduler)
        let (call, _) = service(throttle, .failure(Advised(advisedOutcome: .success)))
        for _ in 0..<3 { _ = call(1) }
        _ = service(throttle, .failure(Broken())).call(1)
        #expect(throttle.probability == 0)
    }

    @Test func aClassifierDecides() {
        let throttle = AdaptiveThrottle(minimumRate: 0, on: scheduler)
        let load = stack(
            .throttle(sharing: throttle, classifier: Classifier { _ in .failure }),
            over: Upstream(on: scheduler, [.value(1)]).send)
        let call = load(1)
        #expect(throttle.probability == 0)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(throttle.probability == 0.5)
    }

    /// A key whose throttle has counted calls is kept.
    @Test func itsStateIsKeptWhileItHasCounted() {
        let throttle = AdaptiveThrottle(minimumRate: 0, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(.success(1)), count: 9))
        let service = stack(
            .observed(by: log.observer, on: scheduler),
            .keyed(by: { $0.number }, limit: 1) { key in
                key == 1 ? .throttle(sharing: throttle) : .passThrough
            }, over: upstream.send)
        _ = (service(1), service(2))
        #expect(log.lines.count { $0.contains("bypassed") } == 1)
        scheduler.advance(by: .seconds(121))
        _ = service(3)
        #expect(log.lines.count { $0.contains("bypassed") } == 1)
    }

    @Test func equalSeedsRefuseTheSameCalls() {
        func refused(_ seed: UInt64) -> [Bool] {
            let throttle = AdaptiveThrottle(
                minimumRate: 0, on: scheduler, random: .seeded(seed))
            let (call, _) = service(throttle, .failure(Broken()))
            return (0..<100).map { _ in call(1).serviceError != nil }
        }
        #expect(refused(1) == refused(1))
        #expect(refused(1) != refused(2))
    }
}
