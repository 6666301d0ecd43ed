import Dispatch
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct HedgeTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func observed(_ policy: Middleware<Ask, Int>, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(.observed(by: log.observer, on: scheduler), policy, over: upstream.send)
    }

    @Test func aFastCallIsNotHedged() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .milliseconds(49))])
        let call = observed(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(upstream.count == 1)
        #expect(scheduler.now.offset == .milliseconds(49))
        #expect(!log.lines.contains { $0.contains("hedge") && !$0.contains("<1 hedge") })
    }

    @Test func aSlowCallIsHedgedAndTheFirstSuccessWins() {
        let upstream = Upstream(
            on: scheduler, [.value(1, after: .milliseconds(200)), .value(2)])
        let call = observed(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.instants == [.zero, .milliseconds(50)])
        #expect(upstream.cancelled == 1)
        #expect(scheduler.now.offset == .milliseconds(60))
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 2<1 hedge began call 1",
                "50 1 hedge hedged(after: 0.05 seconds)",
                "50 3<1 hedge began hedge 2",
                "60 3<1 hedge ended success in 10",
                "60 1 hedge hedgeWon(number: 2)",
                "60 1 hedge hedgeLost(number: 1)",
                "60 2<1 hedge ended ignorable in 60: CancellationError",
                "60 1 observed ended success in 60",
            ])
    }

    @Test func theFirstOfHedgedCallsMayWin() {
        let upstream = Upstream(
            on: scheduler, [.value(1, after: .milliseconds(60)), .value(2, after: .seconds(1))])
        let call = observed(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(upstream.cancelled == 1)
        #expect(log.lines.contains("60 1 hedge hedgeWon(number: 1)"))
        #expect(log.lines.contains("60 1 hedge hedgeLost(number: 2)"))
    }

    @Test func aRetryableFailureStartsTheNextHedgedCallAtOnceAndTheDelayAnew() {
        let upstream = Upstream(on: scheduler, [.broken, .never, .value(3)])
        let call = stack(
            .hedge(
                sharing: Hedge(
                    after: .milliseconds(50), attempts: 3, maxExtraLoad: 1, on: scheduler)),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 3)
        #expect(upstream.instants == [.zero, .milliseconds(10), .milliseconds(60)])
    }

    @Test func aFatalFailureEndsAllHedgedCalls() {
        let fatal = Advised(advisedOutcome: .failure)
        let upstream = Upstream(on: scheduler, [.never, .error(fatal), .value(3)])
        let call = stack(
            .hedge(
                sharing: Hedge(
                    after: .milliseconds(50), attempts: 3, maxExtraLoad: 1, on: scheduler)),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.errorNow is Advised)
        #expect(upstream.count == 2)
        #expect(upstream.cancelled == 1)
        #expect(scheduler.now.offset == .milliseconds(60))
    }

    /// A limiter beneath, an open breaker, or the breaker whose probe is hedged.
    @Test func aHedgeThatIsRefusedBelowWasNotMade() {
        let refusal = ServiceError(.circuitOpen, policy: "circuitBreaker")
        let upstream = Upstream(
            on: scheduler,
            [.value(1, after: .milliseconds(80)), .error(refusal, after: .zero)])
        let budget = RetryBudget()
        let service = observed(
            .hedge(sharing: Hedge(after: .milliseconds(50), budget: budget, on: scheduler)),
            upstream)
        let call = service(1)
        scheduler.advance(by: .milliseconds(50))
        #expect(upstream.count == 2)
        #expect(budget.balance == 10)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(upstream.cancelled == 0)
    }

    @Test func aHedgedCallFailsWithTheErrorOfACallThatWasMadeAndNotWithARefusal() {
        let refusal = ServiceError(.rateLimited, policy: "rateLimit")
        for (first, second) in [(80, 10), (60, 20)] {
            let upstream = Upstream(
                on: scheduler,
                [
                    .error(Broken(number: 1), after: .milliseconds(first)),
                    .error(refusal, after: .milliseconds(second)),
                ])
            let call = stack(
                .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: upstream.send
            )(1)
            scheduler.run()
            #expect(call.errorNow as? Broken == Broken(number: 1))
        }
        let alone = Upstream(on: scheduler, [.error(refusal)])
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: alone.send)(1)
        scheduler.run()
        #expect(call.errorNow is ServiceError)
    }

    /// The second call may send once the first has failed; the third and the fourth may not.
    @Test func aHedgedCallThatMayNotSendDoesNotHideTheFailureOfAnother() {
        let unsent = Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)
        let sent = Locked(0)
        let service = stack(
            .hedge(
                sharing: Hedge(
                    after: .milliseconds(50), attempts: 4, maxExtraLoad: 1, on: scheduler)),
            over: { (ask: Ask) in
                CallContext.current.sending(ask, fate: { _ in .unsent }) {
                    sent.withLock { $0 += 1 }
                    return Future<Int>(error: unsent).delay(.milliseconds(10), on: scheduler)
                }
            })
        let call = service(Ask(2, isReplayable: false))
        scheduler.run()
        #expect(call.errorNow is Advised)
        #expect(sent.withLock { $0 } == 2)
    }

    /// The second call may not send while the first one's request is under way.
    @Test(arguments: [(80, 0), (40, 60)])
    func aHedgedCallFailsWithTheErrorOfTheCallThatSent(sender: Int, other: Int) {
        let unsent = Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)
        let upstream = Upstream(
            on: scheduler,
            [
                .error(unsent, after: .milliseconds(sender)),
                .error(ServiceError.superseded, after: .milliseconds(other)),
            ])
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(30), on: scheduler)), over: upstream.send)(1)
        scheduler.run()
        #expect(call.errorNow is Advised)
        #expect(upstream.count == 2)
    }

    @Test func aBreakersProbeSurvivesItsHedge() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, lasting: .zero, backoff: .constant(.seconds(1)), on: scheduler)
        let upstream = Upstream(
            on: scheduler,
            [.broken] + Array(repeating: .value(1, after: .milliseconds(80)), count: 9))
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler)),
            .circuitBreaker(sharing: breaker), over: upstream.send)
        _ = load(1)
        scheduler.run()
        scheduler.advance(by: .seconds(2))
        let probe = load(2)
        scheduler.run()
        #expect(probe.valueNow == 1)
        #expect(breaker.state == .closed)
    }

    @Test func ifAllHedgedCallsFailTheLastFailureIsTheResult() {
        let upstream = Upstream(
            on: scheduler,
            [
                .error(Broken(number: 1), after: .milliseconds(70)),
                .error(Broken(number: 2), after: .milliseconds(10)),
            ])
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: upstream.send)(1)
        scheduler.advance(by: .milliseconds(69))
        #expect(call.result == nil)
        scheduler.run()
        #expect(call.errorNow as? Broken == Broken(number: 1))
        #expect(upstream.count == 2)
    }

    @Test func aHedgedCallThatItsServiceCancelsDoesNotEndTheOthers() {
        let upstream = Upstream(
            on: scheduler,
            [
                .error(CancellationError(), after: .milliseconds(55)),
                .value(2, after: .milliseconds(20)),
            ])
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.count == 2)
    }

    @Test func aHedgeWaitsAsLongAsTheServiceAsksWhileAnotherCallIsUnderWay() {
        let upstream = Upstream(
            on: scheduler, [.never, .asked(100), .value(3)])
        let call = stack(
            .hedge(
                sharing: Hedge(
                    after: .milliseconds(50), attempts: 3, maxExtraLoad: 1, on: scheduler)),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 3)
        #expect(upstream.instants == [.zero, .milliseconds(50), .milliseconds(160)])
    }

    @Test func aHedgeReturnsAFailureThatAsksForAWaitIfNoOtherCallIsUnderWay() {
        let upstream = Upstream(on: scheduler, [.asked(100), .value(2)])
        let call = stack(
            .retry(on: scheduler), .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        // A tenth of the calls may be added.
        #expect(upstream.count == 2)
        #expect((.milliseconds(110) ... .milliseconds(120)).contains(upstream.instants[1]))
    }

    @Test func cancellingAHedgedCallCancelsAllItsCallsAndItsTimer() {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .hedge(
                sharing: Hedge(
                    after: .milliseconds(50), attempts: 4, maxExtraLoad: 1, on: scheduler)),
            over: upstream.send)(1)
        scheduler.advance(by: .milliseconds(100))
        #expect(upstream.count == 3)
        call.cancel()
        #expect(upstream.cancelled == 3)
        #expect(scheduler.isIdle)
    }

    @Test func hedgedCallsHaveTheAttemptOfTheRetryAround() {
        let upstream = Upstream(on: scheduler, [.broken, .broken, .never, .value(2)])
        let call = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler),
            .hedge(sharing: Hedge(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler)),
            over: upstream.send)(
                1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.arrivals.map(\.attempt) == [1, 1, 2, 2])
    }
}

@Suite(.oneAtATime) struct HedgedCallTests {
    /// One call of a script: its duration in microseconds, and its end.
    struct Turn {
        let time: Int
        let outcome: Outcome

        init(using generator: inout SeededGenerator) {
            time = Int.random(in: 1...200_000, using: &generator)
            outcome =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<3: .success
                case 3: .failure
                case 4: .ignorable
                default: .retryable
                }
        }

        func step(_ number: Int) -> Upstream.Step {
            let time = Duration.microseconds(time)
            return switch outcome {
            case .success: .value(number, after: time)
            case .ignorable: .error(CancellationError(), after: time)
            default: .error(Advised(advisedOutcome: outcome), after: time)
            }
        }
    }

    /// Compared with a loop over the ends and timers in order of time.
    @Test(arguments: 0..<1_000) func aHedgedCallAgreesWithAnOracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let attempts = Int.random(in: 1...5, using: &generator)
        let delay = Int.random(in: 1...100_000, using: &generator)
        let turns = (0..<attempts).map { _ in Turn(using: &generator) }
        let scheduler = ManualScheduler()
        let upstream = Upstream(on: scheduler, turns.indices.map { turns[$0].step($0 + 1) })
        let call = stack(
            .hedge(
                sharing: Hedge(
                    after: .microseconds(delay), attempts: attempts, maxExtraLoad: 1, on: scheduler)
            ),
            over: upstream.send)(1)
        scheduler.run()
        let expected = oracle(turns, delay)
        #expect(upstream.instants == expected.begins.map { .microseconds($0) })
        #expect(scheduler.now.offset == .microseconds(expected.end))
        #expect(call.valueNow == expected.winner)
        #expect(upstream.cancelled == expected.cancelled)
        #expect(upstream.inFlight == 0)
    }

    func oracle(
        _ turns: [Turn], _ delay: Int
    ) -> (begins: [Int], end: Int, winner: Int?, cancelled: Int) {
        var begins = [0]
        var ends = [1: turns[0].time]
        var timer: Int? = turns.count > 1 ? delay : nil
        func begin(at now: Int) {
            begins.append(now)
            ends[begins.count] = now + turns[begins.count - 1].time
            timer = begins.count < turns.count ? now + delay : nil
        }
        while let (number, end) = ends.min(by: { $0.value < $1.value }) {
            if let fired = timer, fired <= end {
                begin(at: fired)
                continue
            }
            ends[number] = nil
            let outcome = turns[number - 1].outcome
            switch outcome {
            case .success, .failure:
                return (begins, end, outcome == .success ? number : nil, ends.count)
            case .retryable where begins.count < turns.count: begin(at: end)
            default: if ends.isEmpty { return (begins, end, nil, 0) }
            }
        }
        return (begins, 0, nil, 0)
    }

    /// Calls end on several threads at once, while others are cancelled: each settles and ends once, and no call
    /// stays under way.
    @Test func threadsMayShareAHedgedStack() {
        let pending = Locked<[Promise<Int>]>([])
        let open = Locked(0)
        let scheduler = ManualScheduler()
        let hedging = Hedge(
            after: .milliseconds(1), attempts: 4, maxExtraLoad: 1, on: scheduler)
        let load = stack(
            .hedge(sharing: hedging),
            over: { (number: Int) in
                let promise = Promise<Int>()
                promise.onCancel { open.withLock { $0 -= 1 } }
                open.withLock { $0 += 1 }
                pending.withLock { $0.append(promise) }
                return promise
            })
        let settled = Locked(0)
        @Sendable func end(_ promise: Promise<Int>, _ choice: Int) {
            let isMine =
                choice == 0 ? promise.resolve(with: 1) : promise.reject(with: Broken())
            if isMine { open.withLock { $0 -= 1 } }
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for number in 0..<1_000 {
                let future = load(number)
                future.observe { _ in settled.withLock { $0 += 1 } }
                if Int.random(in: 0..<4, using: &generator) == 0 { future.cancel() }
                scheduler.advance(by: .microseconds(500))
                for _ in 0..<2 {
                    let choice = Int.random(in: 0..<2, using: &generator)
                    if let promise = pending.withLock({ $0.popLast() }) { end(promise, choice) }
                }
            }
        }
        while let promise = pending.withLock({ $0.popLast() }) { end(promise, 0) }
        #expect(settled.withLock { $0 } == 4_000)
        #expect(open.withLock { $0 } == 0)
        scheduler.run()
        #expect(pending.withLock { $0.isEmpty })
        // Each has ended once: the hedging counts none any more, and none twice.
        #expect(hedging.takeSaved() == 10)
        let others = (0..<100).map { load($0) }
        #expect(hedging.takeSaved() == 101)
        for call in others { call.cancel() }
    }

    /// The first call wins while the second is on its way through the service.
    @Test func aHedgeThatHasLostBeforeItIsKnownIsCancelled() {
        let scheduler = ManualScheduler()
        let calls = Locked<[Promise<Int>]>([])
        let cancelled = Locked<[Int]>([])
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(1), on: scheduler)),
            over: { (_: Ask) -> Future<Int> in
                let promise = Promise<Int>()
                let index = calls.withLock { calls in
                    calls.append(promise)
                    return calls.count
                }
                promise.onCancel { cancelled.withLock { $0.append(index) } }
                if index == 2 { calls.withLock { $0[0] }.resolve(with: 1) }
                return promise
            })
        let call = load(0)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(cancelled.withLock { $0 } == [2])
    }

    /// The observer of an answer, and the handler of a loser's cancellation, call the same stack.
    @Test func aHedgedStackMayBeCalledFromItsCallbacks() {
        let scheduler = ManualScheduler()
        let inner = Locked<[Future<Int>]>([])
        let slot = Locked<Service<Ask, Int>?>(nil)
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(1), on: scheduler)),
            over: { (ask: Ask) -> Future<Int> in
                guard ask.number == 0 else { return Future(value: ask.number) }
                let promise = Promise<Int>()
                promise.onCancel {
                    guard let again = slot.withLock({ $0 }) else { return }
                    inner.withLock { $0.append(again(5)) }
                }
                scheduler.schedule(after: .milliseconds(3)) { promise.resolve(with: 0) }
                return promise
            })
        slot.withLock { $0 = load }
        let call = load(0).flatMap { _ in load(6) }
        scheduler.run()
        #expect(call.valueNow == 6)
        #expect(inner.withLock { $0 }.map(\.valueNow) == [5])
    }
}

/// Calls that are not hedged, and invalid parameters.
@Suite(.oneAtATime) struct HedgeLimitsTests {
    let scheduler = ManualScheduler()

    @Test(arguments: [Upstream.Step.broken, .atOnce(.failure(Broken())), .never])
    func onlyAReplayableInputIsHedged(_ step: Upstream.Step) {
        let upstream = Upstream(on: scheduler, [step, .value(2)])
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: upstream.send)(
                Ask(1, isReplayable: false))
        #expect(scheduler.isIdle || call.result == nil)
        scheduler.run()
        #expect(upstream.count == 1)
    }

    @Test(arguments: [false, true]) func aHedgeOfOneAttemptHedgesNothing(isBroken: Bool) {
        let upstream = Upstream(on: scheduler, isBroken ? [.broken] : [])
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(5), attempts: 1, on: scheduler)),
            over: upstream.send)(1)
        scheduler.run()
        #expect(upstream.count == 1)
        #expect((call.errorNow is Broken) == isBroken)
    }

    @Test func aCallThatFailsAtOnceIsHedgedAtOnce() {
        let upstream = Upstream(
            on: scheduler, [.atOnce(.failure(Broken())), .atOnce(.success(2))])
        #expect(stack(.hedge(sharing: Hedge(on: scheduler)), over: upstream.send)(1).valueNow == 2)
        let fatal = Upstream(
            on: scheduler, [.atOnce(.failure(Advised(advisedOutcome: .failure)))])
        #expect(
            stack(.hedge(sharing: Hedge(on: scheduler)), over: fatal.send)(1).errorNow is Advised)
        #expect(fatal.count == 1)
        #expect(scheduler.isIdle)
    }

    @Test func theBudgetBoundsHedgesOfCallsThatFailAtOnce() {
        let count = Locked(0)
        let scheduler = scheduler
        let load = stack(
            .hedge(sharing: Hedge(attempts: 10_000, maxExtraLoad: 1, on: scheduler)),
            over: { (ask: Ask) in
                count.withLock { $0 += 1 }
                return Future<Int>(error: Broken())
            })
        _ = load(1)
        // The call, and the ten hedges that are saved at most while no other is under way.
        #expect(count.withLock { $0 } == 11)
    }

    @Test func noHedgeIsBegunThatTheDeadlineWouldCut() {
        for (milliseconds, count) in [(50, 1), (51, 2)] {
            let scheduler = ManualScheduler()
            let upstream = Upstream(on: scheduler)
            let call = stack(
                .deadline(.milliseconds(milliseconds), on: scheduler),
                .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: upstream.send
            )(1)
            scheduler.run()
            #expect(call.serviceError?.code == .deadlineExceeded)
            #expect(upstream.count == count)
            #expect(upstream.inFlight == 0)
        }
    }

    @Test func noFailureIsHedgedAfterTheDeadline() {
        let upstream = Upstream(on: scheduler, [.error(Broken(), after: .milliseconds(10))])
        let context = CallContext(deadline: CallDeadline(after: .milliseconds(10), on: scheduler))
        let call = context.run {
            stack(.hedge(sharing: Hedge(on: scheduler)), over: upstream.send)(1)
        }
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(upstream.count == 1)
    }

    #if os(macOS) || os(Linux)
    @Test func aHedgeOfNoAttemptTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.hedge(sharing: Hedge(attempts: 0)) }
        expectTrap("hedge needs at least 1 attempt, not 0", in: result)
    }

    @Test func aHedgesNegativeDelayTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.hedge(sharing: Hedge(after: .milliseconds(-1))) }
        expectTrap("hedge needs a delay of zero or more", in: result)
    }

    @Test func aHedgesShareAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.hedge(sharing: Hedge(maxExtraLoad: 1.1)) }
        expectTrap("hedge needs maxExtraLoad in 0...1, not 1.1", in: result)
    }
    #endif
}

@Suite struct HedgeMachineTests {
    /// A machine with `count` calls under way.
    func machine(_ attempts: Int, underWay count: Int) -> HedgeMachine {
        var machine = HedgeMachine(attempts: attempts)
        while machine.begun < count, let timer = machine.arm() {
            _ = machine.fire(timer)
            _ = machine.grant()
        }
        return machine
    }

    @Test(arguments: [Outcome.success, .failure]) func aSuccessOrAFatalFailureEndsAHedge(
        outcome: Outcome
    ) {
        var machine = machine(3, underWay: 3)
        let step = machine.endCall(2, with: outcome)
        #expect(step == .finish(losers: [1, 3]))
        #expect(machine.isOver)
        let late = machine.endCall(1, with: .success)
        #expect(late == .wait)
    }

    @Test func aHedgeAsksForTheNextCallAtOnceAfterARetryableFailure() {
        var machine = machine(3, underWay: 1)
        let timer = machine.arm()
        let step = machine.endCall(1, with: .retryable)
        #expect(step == .ask)
        let granted = machine.grant()
        #expect(granted == 2)
        // The timer that was set has no effect.
        let fired = timer.map { machine.fire($0) }
        #expect(fired == .wait)
    }

    @Test func onceAllHedgesAreMadeTheLastFailureEndsTheCall() {
        var machine = machine(2, underWay: 2)
        let steps = [1, 2].map { machine.endCall($0, with: .retryable) }
        #expect(steps == [.wait, .finish(losers: [])])
    }

    @Test func aRefusalEndsAHedgeOnlyIfNoCallIsUnderWay() {
        var machine = machine(3, underWay: 2)
        _ = machine.endCall(1, with: .retryable)
        let first = machine.refuse()
        #expect(!first)
        _ = machine.endCall(2, with: .retryable)
        let second = machine.refuse()
        #expect(second)
        #expect(machine.isOver)
    }

    /// A timer requests a call while the only call under way fails, and all attempts are made or requested.
    @Test func aHedgesFailureWaitsForACallThatHasBeenAskedFor() {
        var machine = machine(2, underWay: 1)
        let timer = machine.arm()
        let fired = timer.map { machine.fire($0) }
        #expect(fired == .ask)
        let step = machine.endCall(1, with: .retryable)
        #expect(step == .wait)
        let isOver = machine.refuse()
        #expect(isOver)
    }

    @Test func aHedgeThatHasEndedGrantsNoCallAndSetsNoTimer() {
        var machine = machine(3, underWay: 2)
        _ = machine.endCall(1, with: .retryable)
        _ = machine.endCall(2, with: .success)
        let granted = machine.grant()
        #expect(granted == nil)
        let timer = machine.arm()
        #expect(timer == nil)
    }

    @Test func aHedgeEndsWithAnIgnorableEndOnlyIfNoCallIsLeft() {
        var machine = machine(3, underWay: 2)
        let first = machine.endCall(1, with: .ignorable)
        #expect(first == .wait)
        let second = machine.endCall(2, with: .ignorable)
        #expect(second == .finish(losers: []))
    }

    @Test func aHedgeWaitsForTheServicesDelayOnlyWhileOtherCallsAreUnderWay() {
        var machine = machine(3, underWay: 2)
        let first = machine.endCall(1, with: .retryable(after: .seconds(3)))
        guard case .arm(let timer, .seconds(3)) = first else {
            Issue.record("it is to wait")
            return
        }
        #expect(machine.isValid(timer))
        let second = machine.endCall(2, with: .retryable(after: .seconds(3)))
        #expect(second == .finish(losers: []))
        #expect(!machine.isValid(timer))
    }

    @Test func aCancelledHedgeIsOver() {
        var machine = machine(3, underWay: 2)
        let (first, second) = (machine.cancel(), machine.cancel())
        #expect(first && !second)
        #expect(!machine.isUnderWay(1))
        let step = machine.endCall(1, with: .success)
        #expect(step == .wait)
    }

    @Test func aHedgeMakesAsManyAttemptsAsAllowed() {
        #expect(machine(1, underWay: 9).begun == 1)
        #expect(machine(4, underWay: 9).begun == 4)
    }
}
