import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct ChaosTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func observed(_ policy: Middleware<Ask, Int>, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(.observed(by: log.observer, on: scheduler), policy, over: upstream.send)
    }

    @Test func chaosHoldsACallBackForItsLatency() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let call = observed(
            .chaos(.latency(.milliseconds(200), probability: 1), on: scheduler), upstream)(1)
        #expect(upstream.count == 0)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(upstream.instants == [.milliseconds(200)])
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 1 chaos injected latency of 200",
                "210 1 observed ended success in 210",
            ])
    }

    @Test(arguments: [1_000, 200, 199])
    func chaosEndsALatencyAtTheCallsDeadline(_ latency: Int) {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let service = observed(
            .chaos(.latency(.milliseconds(latency), probability: 1), on: scheduler), upstream)
        let deadline = CallDeadline(after: .milliseconds(200), on: scheduler)
        let call = CallContext(deadline: deadline).run { service(1) }
        scheduler.advance(by: .milliseconds(199))
        #expect(call.result == nil)
        scheduler.run()
        #expect(upstream.count == (latency < 200 ? 1 : 0))
        guard latency >= 200 else { return }
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(call.serviceError?.policy == "chaos")
        #expect(scheduler.now.offset == .milliseconds(200))
        #expect(log.lines.contains("200 1 chaos timed out after 200"))
    }

    @Test func aPassedDeadlineLeavesNoTimeForALatency() {
        let upstream = Upstream(on: scheduler)
        let service = observed(
            .chaos(.latency(.milliseconds(5), probability: 1), on: scheduler), upstream)
        let deadline = CallDeadline(after: .milliseconds(-1), on: scheduler)
        let call = CallContext(deadline: deadline).run { service(1) }
        scheduler.run()
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(scheduler.now.offset == .zero && upstream.count == 0)
    }

    @Test func chaosFailsACallWithoutCallingTheService() {
        let upstream = Upstream(on: scheduler)
        let call = observed(.chaos(.failure(probability: 1), on: scheduler), upstream)(1)
        #expect(call.serviceError?.code == .injected)
        #expect(call.serviceError?.policy == "chaos")
        #expect(upstream.count == 0)
        #expect(
            log.lines == [
                "0 1 observed began call", "0 1 chaos injectedOutcome",
                "0 1 observed ended retryable in 0: injected",
            ])
    }

    @Test func chaosFailsACallWithAnErrorOfYourOwnAfterTheLatency() {
        let upstream = Upstream(on: scheduler)
        let call = observed(
            .chaos(
                .failure(Broken(number: 3), probability: 1),
                .latency(.milliseconds(50), probability: 1), on: scheduler), upstream)(1)
        #expect(call.result == nil)
        scheduler.run()
        #expect(call.errorNow as? Broken == Broken(number: 3))
        #expect(scheduler.now.offset == .milliseconds(50))
        #expect(upstream.count == 0)
    }

    @Test(arguments: [false, true])
    func chaosAltersOutcomesOneAfterTheOther(isImmediate: Bool) {
        let upstream = Upstream(
            on: scheduler, [isImmediate ? .atOnce(.success(7)) : .value(7)])
        let call = observed(
            .chaos(
                .outcome(probability: 1) { try $0.get() + 1 },
                .outcome(probability: 0) { _ in 0 },
                .outcome(probability: 1) { try $0.get() * 10 }, on: scheduler), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 80)
        #expect(log.lines.count { $0.hasSuffix("chaos injectedOutcome") } == 2)
    }

    @Test func chaosMayTurnAValueIntoAnErrorAndAnErrorIntoAValue() {
        let upstream = Upstream(on: scheduler, [.value(7), .broken])
        let service = observed(
            .chaos(
                .outcome(probability: 1) { result in
                    guard case .failure = result else { throw Broken(number: 5) }
                    return 4
                }, on: scheduler), upstream)
        let calls = [service(1), service(2)]
        scheduler.run()
        #expect(calls[0].errorNow as? Broken == Broken(number: 5))
        #expect(calls[1].valueNow == 4)
    }

    @Test func aChaosSwitchTurnsFaultsOffAndOn() {
        let chaos = ChaosSwitch(isOn: false)
        let upstream = Upstream(on: scheduler, (1...3).map { .atOnce(.success($0)) })
        let random = RandomSource(Counting())
        let service = observed(
            .chaos(.failure(probability: 1), sharing: chaos, on: scheduler, random: random),
            upstream)
        #expect(service(1).valueNow == 1)
        #expect(random.next() == 0, "no number was drawn")
        chaos.isOn = true
        #expect(service(1).serviceError?.code == .injected)
        chaos.isOn = false
        #expect(service(1).valueNow == 2)
        #expect(random.next() == 2)
    }

    @Test func aCallThatHasBegunKeepsItsFaults() {
        let chaos = ChaosSwitch(isOn: true)
        let upstream = Upstream(on: scheduler)
        let call = observed(
            .chaos(
                .latency(.milliseconds(10), probability: 1), .failure(probability: 1),
                sharing: chaos, on: scheduler), upstream)(1)
        chaos.isOn = false
        scheduler.run()
        #expect(call.serviceError?.code == .injected)
    }

    @Test func chaosWithTheSameSeedMakesTheSameFaults() {
        func ends(_ seed: UInt64) -> [String] {
            let scheduler = ManualScheduler()
            let upstream = Upstream(
                on: scheduler, Array(repeating: .atOnce(.success(1)), count: 100))
            let service = stack(
                .chaos(
                    .latency(.zero ... .seconds(1), probability: 0.3),
                    .failure(probability: 0.3), on: scheduler,
                    random: RandomSource(SeededGenerator(seed: seed))),
                over: upstream.send)
            return (0..<100).map { number in
                let call = service(Ask(number))
                scheduler.run()
                return "\(scheduler.now.offset) \(call.valueNow ?? 0)"
            }
        }
        #expect(ends(1) == ends(1))
        #expect(ends(1) != ends(2))
        #expect((15...45).contains(ends(1).count { $0.hasSuffix(" 0") }))
    }

    @Test func chaosDrawsNewFaultsForEachRetry() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        // The first attempt fails, the second does not.
        let random = RandomSource(ListOfBits([0, .max]))
        let call = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler),
            .chaos(.failure(probability: 0.5), on: scheduler, random: random),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(upstream.arrivals.map(\.attempt) == [2])
    }

    @Test func aServiceSeesTheTimeLeftAfterTheLatencyOfChaos() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let call = stack(
            .deadline(.seconds(10), on: scheduler),
            .chaos(.latency(.seconds(4), probability: 1), on: scheduler), over: upstream.send)(1)
        CallContext(attempt: 9).run { scheduler.run() }
        #expect(call.valueNow == 7)
        #expect(upstream.arrivals.first?.remaining == .seconds(6))
        #expect(upstream.arrivals.first?.attempt == 1)
    }

    @Test func aTimeoutAroundChaosCutsItsLatency() {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .timeout(.seconds(1), on: scheduler),
            .chaos(.latency(.seconds(4), probability: 1), on: scheduler), over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        #expect(call.serviceError?.code == .timedOut)
        #expect(scheduler.isIdle)
        #expect(upstream.count == 0)
    }

    @Test func cancellingACallEndsTheLatencyOfAFault() {
        let upstream = Upstream(on: scheduler)
        let call = observed(
            .chaos(.latency(.seconds(1), probability: 1), on: scheduler), upstream)(1)
        scheduler.advance(by: .milliseconds(500))
        call.cancel()
        #expect(call.isCancelled)
        #expect(scheduler.isIdle)
        #expect(upstream.count == 0)
    }

    @Test func cancellingACallUnderChaosAltersNoOutcome() {
        let upstream = Upstream(on: scheduler)
        let altered = Locked(false)
        let call = observed(
            .chaos(
                .outcome(probability: 1) { result in
                    altered.withLock { $0 = true }
                    return try result.get()
                }, on: scheduler), upstream)(1)
        call.cancel()
        #expect(call.isCancelled)
        #expect(upstream.cancelled == 1)
        #expect(!altered.withLock { $0 })
    }

    @Test func threadsMayShareAChaosSwitchAndARandomSource() async {
        let chaos = ChaosSwitch(isOn: true)
        let service = stack(
            Middleware<Ask, Int>.chaos(
                .failure(probability: 0.5), .outcome(probability: 0.5) { try $0.get() + 1 },
                sharing: chaos, random: RandomSource(SeededGenerator(seed: 3))),
            over: { ask in Future(value: ask.number) })
        let failures = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<1_000).count { number in
                        if number == 500 { chaos.isOn = true }
                        return service(Ask(number)).valueNow == nil
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect((1_800...2_200).contains(failures))
    }

    #if os(macOS) || os(Linux)
    @Test func aFaultsProbabilityOutsideItsBoundsTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ChaosFault<Int>.failure(probability: 1.01) }
        expectTrap("chaos needs a probability in 0...1, not 1.01", in: result)
    }

    @Test func aFaultsProbabilityThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ChaosFault<Int>.outcome(probability: .nan) { _ in 1 } }
        expectTrap("chaos needs a probability in 0...1, not nan", in: result)
    }

    @Test func aFaultsNegativeLatencyTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChaosFault<Int>.latency(.seconds(-1) ... .seconds(1), probability: 1)
        }
        expectTrap("chaos needs a latency of zero or more", in: result)
    }
    #endif
}

/// The given numbers, and then the last one again and again.
private struct ListOfBits: RandomNumberGenerator, Sendable {
    private var bits: [UInt64]

    init(_ bits: [UInt64]) { self.bits = bits }

    mutating func next() -> UInt64 {
        bits.count > 1 ? bits.removeFirst() : bits[0]
    }
}

@Suite struct ChaosPlanTests {
    /// A source of the given numbers; it fails the test if more are drawn.
    struct Listed: RandomNumberGenerator, Sendable {
        var numbers: [UInt64]
        let drawn: Locked<Int>

        mutating func next() -> UInt64 {
            drawn.withLock { $0 += 1 }
            guard !numbers.isEmpty else {
                Issue.record("more numbers were drawn than listed")
                return 0
            }
            return numbers.removeFirst()
        }
    }

    func plan(_ faults: [ChaosFault<Int>], _ numbers: [UInt64]) -> ChaosPlan {
        let drawn = Locked(0)
        let plan = ChaosPlan(
            of: faults, random: RandomSource(Listed(numbers: numbers, drawn: drawn)))
        #expect(drawn.withLock { $0 } == numbers.count, "all the listed numbers are drawn")
        return plan
    }

    static let half: UInt64 = 1 << 63

    @Test func aFaultHappensBelowItsProbability() {
        let fault = ChaosFault<Int>.failure(probability: 0.5)
        #expect(plan([fault], [Self.half - 2048]).failure == 0)
        #expect(plan([fault], [Self.half]).failure == nil)
    }

    @Test func aFaultOfProbabilityZeroNeverHappensAndOfOneAlways() {
        #expect(plan([.failure(probability: 0)], [0]).failure == nil)
        #expect(plan([.failure(probability: 1)], [.max]).failure == 0)
    }

    @Test func aLatencyDrawsItsLengthFromTheRange() {
        let fault = ChaosFault<Int>.latency(
            .milliseconds(10) ... .milliseconds(30), probability: 0.5)
        #expect(plan([fault], [0, 0]).latency == .milliseconds(10))
        #expect(plan([fault], [0, .max]).latency == .milliseconds(30))
        #expect(plan([fault], [0, Self.half]).latency == .milliseconds(20))
        #expect(plan([fault], [Self.half]).latency == .zero)
    }

    @Test func aPlanOfFaultsAddsLatenciesUpAndTakesTheFirstFailure() {
        let faults: [ChaosFault<Int>] = [
            .latency(.milliseconds(5), probability: 1), .failure(probability: 0.5),
            .outcome(probability: 1) { try $0.get() }, .failure(probability: 0.5),
            .latency(.milliseconds(6), probability: 1), .outcome(probability: 0) { try $0.get() },
            .failure(probability: 1),
        ]
        let some = plan(faults, [0, 0, .max, 0, 0, 0, 0, 0, 0])
        #expect(some.latency == .milliseconds(11))
        #expect(some.failure == 3)
        #expect(some.alterations == [2])
        #expect(plan(faults, [0, 0, .max, 0, .max, 0, 0, 0, 0]).failure == 6)
    }

    @Test func aPlanOfNoFaultDoesNothing() {
        #expect(plan([], []) == plan([.failure(probability: 0)], [7]))
        #expect(plan([], []).latency == .zero)
    }

    /// A plan made as the documentation describes it: draw by draw, from the same numbers.
    @Test func aPlanOfFaultsAgreesWithAnOracle() {
        for seed in 0..<300 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            var expectedLatency = Duration.zero
            var expectedFailure: Int?
            var expectedAlterations: [Int] = []
            var draws = SeededGenerator(seed: seed &+ 1_000)
            var faults: [ChaosFault<Int>] = []
            for index in 0..<Int.random(in: 0...6, using: &chance) {
                let percent = Int.random(in: 0...100, using: &chance)
                let kind = Int.random(in: 0..<3, using: &chance)
                let least = Int.random(in: 0...50, using: &chance)
                let span = Int.random(in: 0...50, using: &chance)
                let happens = Double(draws.next()) / 0x1p64 < Double(percent) / 100
                let probability = Double(percent) / 100
                switch kind {
                case 0:
                    faults.append(
                        .latency(
                            .nanoseconds(least) ... .nanoseconds(least + span),
                            probability: probability))
                    if happens {
                        let share = draws.next().multipliedFullWidth(by: UInt64(span + 1)).high
                        expectedLatency += .nanoseconds(least + Int(share))
                    }
                case 1:
                    faults.append(.failure(probability: probability))
                    if happens, expectedFailure == nil { expectedFailure = index }
                default:
                    faults.append(.outcome(probability: probability) { try $0.get() })
                    if happens { expectedAlterations.append(index) }
                }
            }
            let plan = ChaosPlan(
                of: faults, random: RandomSource(SeededGenerator(seed: seed &+ 1_000)))
            #expect(plan.latency == expectedLatency)
            #expect(plan.failure == expectedFailure)
            #expect(plan.alterations == expectedAlterations)
        }
    }
}
