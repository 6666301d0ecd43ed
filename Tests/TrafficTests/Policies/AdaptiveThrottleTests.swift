import Dispatch
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

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

    @Test func aThrottleLetsAllCallsOfAHealthyServicePass() {
        let throttle = AdaptiveThrottle(on: scheduler)
        let (call, upstream) = service(throttle, .success(7))
        for _ in 0..<1_000 { #expect(call(1).valueNow == 7) }
        #expect(upstream.count == 1_000)
        #expect(throttle.probability == 0)
    }

    @Test func aCallThatAThrottleRefusesFailsAtOnceAndIsNotSent() {
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
    func aThrottleAlwaysLetsSomeCallsPass(_ rule: ThrottleRule) {
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
    @Test func aThrottleRefusesMostCallsOfAFirstOutage() {
        let refusals = refusalsByOutage(lasting: 30)
        #expect(refusals.before == 0)
        // Of 300 calls.
        #expect(refusals.during > 150)
    }

    @Test func aThrottleRefusesNoCallSoonAfterALongOutage() {
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

    @Test func byDefaultFourCallsASecondAllPassAThrottle() {
        let throttle = AdaptiveThrottle(on: scheduler, random: .constant(0))
        let (call, upstream) = service(throttle, .failure(Broken()))
        for _ in 0..<400 {
            _ = call(1)
            scheduler.advance(by: .milliseconds(250))
        }
        #expect(upstream.count == 400)
    }

    @Test func byDefaultAThrottleMayRefuseMoreThanFiveCallsASecond() {
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
    @Test func aThrottleCountsEndsByTheHealthThatTheyShow() {
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

    @Test func aClassifierDecidesWhatAThrottleCounts() {
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
    @Test func keyedKeepsAThrottleThatHasCountedCalls() {
        let throttle = AdaptiveThrottle(minimumRate: 0, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(.success(1)), count: 9))
        let service = stack(
            .observed(by: log.observer, on: scheduler),
            .keyed(by: { $0.number }, limit: 1, failsOpen: true) { key in
                key == 1 ? .throttle(sharing: throttle) : .passThrough
            }, over: upstream.send)
        _ = (service(1), service(2))
        #expect(log.lines.count { $0.contains("bypassed") } == 1)
        scheduler.advance(by: .seconds(121))
        _ = service(3)
        #expect(log.lines.count { $0.contains("bypassed") } == 1)
    }

    @Test func throttlesWithTheSameSeedRefuseTheSameCalls() {
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

/// A throttle used by several threads.
@Suite(.oneAtATime) struct AdaptiveThrottleSharingTests {
    let scheduler = ManualScheduler()

    /// Each call is counted once: refused ones, those that fail at once, and those that are cancelled.
    @Test func threadsLoseNoCountOfAThrottle() {
        let throttle = AdaptiveThrottle(
            rule: .acceptMultiplier(1), maxProbability: 1, minimumRate: 0, on: scheduler,
            random: .seeded(11))
        let reached = Locked((failed: 0, givenUp: [Promise<Int>]())), refused = Locked(0)
        let service = stack(
            .throttle(sharing: throttle),
            over: { (ask: Ask) -> Future<Int> in
                if ask.number % 5 == 0 {
                    let promise = Promise<Int>()
                    reached.withLock { $0.givenUp.append(promise) }
                    return promise
                }
                reached.withLock { $0.failed += 1 }
                return Future(error: Broken())
            })
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for number in 0..<2_000 {
                let call = service(Ask(number))
                if call.serviceError?.code == .throttled { refused.withLock { $0 += 1 } }
                call.cancel()
            }
        }
        let (ends, refusals) = (reached.withLock { $0 }, refused.withLock { $0 })
        #expect(ends.failed + ends.givenUp.count + refusals == 8_000)
        // Nothing is accepted, so the quotient shows how many calls are counted.
        let counted = Double(ends.failed + refusals)
        let probability = throttle.probability
        #expect(abs(probability - counted / (counted + 1)) < 1e-12)
    }

    /// The stack may be called by an observer and by the source of chance, since no lock is held.
    @Test func aThrottlesObserversAndRandomSourceMayCallItsStack() {
        struct Nesting: RandomNumberGenerator, Sendable {
            let call: @Sendable () -> Void
            func next() -> UInt64 {
                call()
                return 0
            }
        }
        let read = Locked<AdaptiveThrottle?>(nil)
        let seen = Locked<[Double]>([])
        let look: @Sendable () -> Void = {
            let probability = read.withLock { $0 }?.probability ?? -1
            seen.withLock { $0.append(probability) }
        }
        let throttle = AdaptiveThrottle(
            minimumRate: 0, on: scheduler, random: RandomSource(Nesting(call: look)))
        read.withLock { $0 = throttle }
        let service = stack(
            .observed(by: ServiceObserver { _ in look() }, on: scheduler),
            .throttle(sharing: throttle), over: { (_: Ask) in Future<Int>(error: Broken()) })
        _ = (service(1), service(2))
        #expect(seen.withLock { $0.contains(0.5) })
        read.withLock { $0 = nil }
    }
}

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct AdaptiveThrottleMisuseTests {
    @Test func aThrottlesProbabilityAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveThrottle(maxProbability: 1.1) }
        expectTrap("a throttle needs a maxProbability in 0...1, not 1.1", in: result)
    }

    @Test func aThrottlesMinimumRateBelowZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveThrottle(minimumRate: -1) }
        expectTrap("a throttle needs a minimumRate in 0...1000000, not -1", in: result)
    }

    @Test func aThrottlesMultiplierBelowOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.acceptMultiplier(0.9) }
        expectTrap("a throttle needs a multiplier in 1...1000, not 0.9", in: result)
    }

    @Test func aThrottlesMultiplierThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.acceptMultiplier(.nan) }
        expectTrap("a throttle needs a multiplier in 1...1000, not nan", in: result)
    }

    @Test func aThrottlesSuccessRateOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.successRate(0) }
        expectTrap("a throttle needs a success rate in 0.01...1, not 0.0", in: result)
    }

    @Test func aThrottleOfNoAggressionTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.successRate(aggression: 0) }
        expectTrap("a throttle needs an aggression in 1...10, not 0", in: result)
    }

    @Test func aThrottlesEmptyWindowTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.acceptMultiplier(over: .zero) }
        expectTrap("a throttle needs a window from a millisecond to an hour", in: result)
    }
}
#endif

@Suite struct AdaptiveThrottleMachineTests {
    static func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// Ends of calls, all at one instant, and the quotient then.
    private func quotient(
        _ rule: ThrottleRule, accepted: Int, failed: Int, refused: Int = 0
    ) -> Double {
        var machine = AdaptiveThrottleMachine(rule, maxProbability: 0.8, minimumRate: 0)
        for _ in 0..<accepted { machine.endCall(isAccepted: true, at: Self.at(0)) }
        for _ in 0..<failed { machine.endCall(isAccepted: false, at: Self.at(0)) }
        for _ in 0..<refused { machine.refuse(at: Self.at(0)) }
        return machine.odds(at: Self.at(0)).quotient
    }

    @Test func aThrottleByAcceptMultiplierRefusesAsGooglesRuleSays() {
        #expect(quotient(.acceptMultiplier(), accepted: 50, failed: 50) == 0)
        #expect(quotient(.acceptMultiplier(), accepted: 25, failed: 75) == 50.0 / 101)
        #expect(quotient(.acceptMultiplier(), accepted: 0, failed: 99) == 0.99)
        // The refused calls count as calls, and not as accepted.
        #expect(quotient(.acceptMultiplier(), accepted: 25, failed: 25, refused: 50) == 50.0 / 101)
        #expect(quotient(.acceptMultiplier(1), accepted: 50, failed: 50) == 50.0 / 101)
    }

    @Test func aThrottleBySuccessRateRefusesAsEnvoysRuleSays() {
        #expect(quotient(.successRate(0.5), accepted: 50, failed: 50) == 0)
        #expect(quotient(.successRate(0.5), accepted: 25, failed: 75) == 50.0 / 101)
        #expect(quotient(.successRate(), accepted: 95, failed: 5) < 1e-12)
        #expect(abs(quotient(.successRate(), accepted: 76, failed: 24) - 20.0 / 101) < 1e-12)
        // The refused calls do not count.
        #expect(quotient(.successRate(0.5), accepted: 25, failed: 75, refused: 900) == 50.0 / 101)
    }

    @Test func callsLeaveAThrottlesWindow() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(10)), maxProbability: 0.8, minimumRate: 0)
        for _ in 0..<9 { machine.endCall(isAccepted: false, at: Self.at(500)) }
        let (inside, outside) = (
            machine.odds(at: Self.at(9_999)), machine.odds(at: Self.at(10_000))
        )
        #expect(inside.quotient == 0.9)
        #expect(outside.isZero)
        let isIdle = machine.isIdle(at: Self.at(10_000))
        #expect(isIdle)
    }

    /// Ten seconds in Google's rule, 30 in Envoy's; the probability is the quotient itself.
    @Test(arguments: [
        (ThrottleRule.acceptMultiplier(), 10_000), (.successRate(), 30_000),
    ])
    func eachRuleOfAThrottleHasItsDefaultWindow(rule: ThrottleRule, window: Int) {
        var machine = AdaptiveThrottleMachine(rule, maxProbability: 0.8, minimumRate: 0)
        machine.endCall(isAccepted: false, at: Self.at(0))
        let (inside, outside) = (
            machine.odds(at: Self.at(window - 1)), machine.odds(at: Self.at(window))
        )
        #expect(inside.probability == 0.5)
        #expect(outside.isZero)
    }

    /// The window of the ends is longer than that of the rate.
    @Test func aThrottleIsIdleWhenNoEndIsInItsWindow() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(120)), maxProbability: 0.8, minimumRate: 5)
        _ = machine.beginCall(at: Self.at(0))
        machine.endCall(isAccepted: false, at: Self.at(0))
        let (before, after) = (
            machine.isIdle(at: Self.at(119_999)), machine.isIdle(at: Self.at(120_000))
        )
        #expect(!before && after)
    }

    @Test func aThrottlesAggressionIsTheRootThatIsTaken() {
        var machine = AdaptiveThrottleMachine(
            .successRate(aggression: 2), maxProbability: 0.8, minimumRate: 0)
        machine.endCall(isAccepted: false, at: Self.at(0))
        let probability = machine.odds(at: Self.at(0)).probability
        #expect(abs(probability - 0.5.squareRoot()) < 1e-15)
    }

    /// Calls that have begun and not ended are no evidence.
    @Test func aThrottleDoesNotCountCallsInFlight() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(), maxProbability: 0.8, minimumRate: 0)
        for _ in 0..<100 {
            let odds = machine.beginCall(at: Self.at(0))
            #expect(odds.isZero)
        }
        let isIdle = machine.isIdle(at: Self.at(0))
        #expect(!isIdle)
    }

    @Test func aThrottleRefusesNothingBelowItsMinimumRate() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(), maxProbability: 0.8, minimumRate: 5)
        // The sixth call of the first second is the fifth after the first.
        let first = (0..<6).map { _ in
            defer { machine.endCall(isAccepted: false, at: Self.at(0)) }
            return machine.beginCall(at: Self.at(0)).isZero
        }
        #expect(first == [true, true, true, true, true, false])
        let (atOne, after) = (machine.odds(at: Self.at(1_000)), machine.odds(at: Self.at(1_001)))
        #expect(!atOne.isZero && after.isZero)
        // In nine seconds 45 calls after the first.
        let later = (0..<40).map { _ in machine.beginCall(at: Self.at(9_000)).isZero }
        #expect(later.firstIndex(of: false) == 39)
        // The first six have left the window, whose oldest slice begins at the first second.
        let afterwards = machine.odds(at: Self.at(10_000))
        #expect(afterwards.isZero)
    }

    /// Calls at an even rate: below five a second none, above nearly all; also before the clock's origin.
    @Test(arguments: [1, 3, 4.9, 5.2, 7, 100] as [Double], [317, -1_000_683])
    func aThrottleMeasuresAnEvenRate(_ rate: Double, from start: Int) {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(3_600)), maxProbability: 0.8, minimumRate: 5)
        let open = (0..<400).count { number in
            let instant = Self.at(Int(Double(number) * 1_000 / rate) + start)
            defer { machine.endCall(isAccepted: false, at: instant) }
            return !machine.beginCall(at: instant).isZero
        }
        #expect(rate < 5 ? open == 0 : open > 300)
    }

    /// After a pause the rate is that of the calls since.
    @Test func aThrottleMeasuresANewRateAfterAPause() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(120)), maxProbability: 0.8, minimumRate: 5)
        for _ in 0..<9 {
            _ = machine.beginCall(at: Self.at(0))
            machine.endCall(isAccepted: false, at: Self.at(0))
        }
        let after = (0..<6).map { machine.beginCall(at: Self.at(60_000 + $0)).isZero }
        #expect(after == [true, true, true, true, true, false])
    }

    @Test func aThrottlesOddsAreTheRootOfItsQuotient() {
        func odds(_ quotient: Double, _ aggression: Int) -> ThrottleOdds {
            ThrottleOdds(quotient: quotient, aggression: aggression, limit: 0.8)
        }
        #expect(odds(0, 2).probability == 0)
        #expect(abs(odds(0.3, 1).probability - 0.3) < 1e-15)
        #expect(abs(odds(0.25, 1).probability - 0.25) < 1e-15)
        #expect(abs(odds(0.25, 2).probability - 0.5) < 1e-15)
        #expect(abs(odds(0.008, 3).probability - 0.2) < 1e-15)
        #expect(odds(0.81, 1).probability == 0.8)
        #expect(odds(0.99, 3).probability == 0.8)
        #expect(!odds(0.99, 1).refuses(0.8) && odds(0.99, 1).refuses(0.799))
        #expect(odds(0.25, 2).refuses(0.499) && !odds(0.25, 2).refuses(0.5))
        #expect(!odds(0, 1).refuses(0))
    }

    /// The share of refusals is the probability, for random odds.
    @Test func aThrottleRefusesAsManyCallsAsItsProbabilitySays() {
        let random = RandomSource.seeded(5)
        for _ in 0..<20 {
            let odds = ThrottleOdds(
                quotient: random.fraction(), aggression: 1 + Int(random.next() % 4), limit: 0.8)
            let refused = (0..<10_000).count { _ in odds.refuses(random.fraction()) }
            // Four standard deviations at most.
            #expect(abs(Double(refused) / 10_000 - odds.probability) < 0.02)
        }
    }
}

/// The machine compared with lists of all that happened.
@Suite struct AdaptiveThrottleOracleTests {
    /// Everything that a throttle counts, kept as lists of instants in milliseconds.
    private struct Lists {
        let rule: ThrottleRule
        /// In milliseconds, a multiple of ten.
        let window: Int
        let minimumRate: Int
        var requests: [Int] = []
        var accepts: [Int] = []
        var arrivals: [Int] = []
        /// When the calls began that are counted in the rate.
        var firstArrival = 0

        /// What is in a window of ten slices.
        private func count(_ instants: [Int], over window: Int, at now: Int) -> Int {
            let width = window / 10
            return instants.count { now / width - $0 / width < 10 }
        }

        mutating func enter(at now: Int) {
            if count(arrivals, over: 10_000, at: now) == 0 { firstArrival = now }
            arrivals.append(now)
        }

        func quotient(at now: Int) -> Double {
            // The ten slices of a second, of which the last has only begun.
            let time = min(max(now - firstArrival, 1_000), 9_000 + now % 1_000)
            let arrived = count(arrivals, over: 10_000, at: now)
            if minimumRate > 0, (arrived - 1) * 1_000 < minimumRate * time { return 0 }
            let (all, accepted) = (
                Double(count(requests, over: window, at: now)),
                Double(count(accepts, over: window, at: now))
            )
            return max(0, (all - rule.multiplier * accepted) / (all + 1))
        }
    }

    @Test func aThrottleAgreesWithAnOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 29)
        var (refusals, zeros) = (0, 0)
        for _ in 0..<100 {
            let window = Int.random(in: 1...500, using: &generator) * 10
            let minimumRate = Int.random(in: 0...20, using: &generator)
            let rule =
                Bool.random(using: &generator)
                ? ThrottleRule.acceptMultiplier(
                    .random(in: 1...3, using: &generator), over: .milliseconds(window))
                : .successRate(
                    .random(in: 0.2...1, using: &generator), over: .milliseconds(window))
            var lists = Lists(rule: rule, window: window, minimumRate: minimumRate)
            var machine = AdaptiveThrottleMachine(
                rule, maxProbability: 0.8, minimumRate: minimumRate)
            var now = Int.random(in: 0...10_000, using: &generator)
            for _ in 0..<200 {
                now +=
                    Int.random(in: 0..<10, using: &generator) == 0
                    ? .random(in: 0...12_000, using: &generator)
                    : .random(in: 0...60, using: &generator)
                let instant = SchedulerInstant(offset: .milliseconds(now))
                lists.enter(at: now)
                let odds = machine.beginCall(at: instant)
                #expect(odds.quotient == lists.quotient(at: now))
                if odds.refuses(.random(in: 0..<1, using: &generator)) {
                    machine.refuse(at: instant)
                    if rule.countsRefusals { lists.requests.append(now) }
                    refusals += 1
                    continue
                }
                if odds.isZero { zeros += 1 }
                let isAccepted = Int.random(in: 0..<4, using: &generator) == 0
                machine.endCall(isAccepted: isAccepted, at: instant)
                lists.requests.append(now)
                if isAccepted { lists.accepts.append(now) }
            }
        }
        #expect(refusals > 1_000 && zeros > 1_000)
    }
}
