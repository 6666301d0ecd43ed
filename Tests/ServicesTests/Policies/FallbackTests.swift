import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@Suite struct FallbackTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func observed(_ policy: Middleware<Ask, Int>, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(.observed(by: log.observer, on: scheduler), policy, over: upstream.send)
    }

    @Test func aFallbackCallsAnotherServiceForWhatFailed() {
        let upstream = Upstream(on: scheduler, [.error(Broken(), after: .milliseconds(30))])
        let other = Upstream(on: scheduler, [.value(8, after: .milliseconds(20))])
        let call = observed(.fallback(to: other.send), upstream)(3)
        scheduler.run()
        #expect(call.valueNow == 8)
        #expect(other.arrivals.map(\.ask) == [3])
        #expect(other.instants == [.milliseconds(30)])
        #expect(
            log.lines == [
                "0 1 observed began call",
                "30 1 fallback fell back: Broken",
                "30 2<1 fallback began fallback",
                "50 2<1 fallback ended success in 20",
                "50 1 observed ended success in 50",
            ])
    }

    @Test(arguments: [false, true])
    func aFallbackOutsideOfAnObservedCallTellsItsObservers(isImmediate: Bool) {
        let upstream = Upstream(
            on: scheduler, [isImmediate ? .atOnce(.failure(Broken())) : .error(Broken())])
        let client = stack(
            .observed(by: log.observer, on: scheduler), over: upstream.send)
        let call = stack(
            .fallback(to: { _ in Future(value: 8) }), .fallback(from: { throw $0! }), over: client)(
                3)
        scheduler.run()
        #expect(call.valueNow == 8)
        let end = isImmediate ? 0 : 10
        #expect(
            log.lines == [
                "0 1 observed began call",
                "\(end) 1 observed ended retryable in \(end): Broken",
                "\(end) 1 fallback fell back: Broken",
                "\(end) 1 fallback fell back: Broken",
            ])
    }

    @Test func aFallbackReturnsTheFutureOfASuccessItself() {
        let promise = Promise<Int>(value: 7)
        let other = Upstream(on: scheduler)
        let service = stack(.fallback(to: other.send), over: { (_: Ask) in promise })
        #expect(service(1) === promise)
        #expect(other.count == 0)
    }

    @Test(
        arguments: [
            Broken(), ServiceError(.circuitOpen, policy: "b"), FutureError(.abandoned),
            Advised(advisedOutcome: .failure), Advised(advisedOutcome: .retryable),
        ] as [any Error & Sendable], [false, true])
    func aFallbackReplacesAnyFailure(error: any Error & Sendable, isImmediate: Bool) {
        let step = isImmediate ? Upstream.Step.atOnce(.failure(error)) : .error(error)
        let upstream = Upstream(on: scheduler, [step])
        let call = observed(.fallback(9), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 9)
    }

    @Test(
        arguments: [CancellationError(), Advised(advisedOutcome: .ignorable)]
            as [any Error & Sendable], [false, true])
    func aFallbackLeavesAnIgnorableResult(error: any Error & Sendable, isImmediate: Bool) {
        let step = isImmediate ? Upstream.Step.atOnce(.failure(error)) : .error(error)
        let upstream = Upstream(on: scheduler, [step])
        let call = observed(.fallback(9), upstream)(1)
        scheduler.run()
        #expect(call.errorNow.map { type(of: $0) == type(of: error) } == true)
        #expect(log.elements.count == 2)
    }

    @Test func aFallbacksClosureMakesAValueOfTheError() {
        let upstream = Upstream(on: scheduler, [.error(Broken(number: 40))])
        let call = observed(
            .fallback { error in ((error as? Broken)?.number ?? 0) + 2 }, upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 42)
    }

    @Test func anErrorOfAFallbacksClosureIsTheError() {
        let upstream = Upstream(on: scheduler, [.broken])
        let call = observed(.fallback { _ in throw Broken(number: 2) }, upstream)(1)
        scheduler.run()
        #expect(call.errorNow as? Broken == Broken(number: 2))
    }

    @Test func aFallbackReplacesAValueThatIsNoSuccessAndSeesNoError() {
        let classifier = Classifier<Int> { result in
            if case .success(let value) = result, value < 0 { return .failure }
            return Classifier.standard(result)
        }
        let upstream = Upstream(on: scheduler, [.value(-1)])
        let call = observed(
            .fallback(classifier: classifier) { error in error == nil ? 5 : 6 }, upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 5)
        #expect(log.lines.contains("10 1 fallback fell back"))
    }

    @Test func aFallbacksOwnFailureIsTheResult() {
        let upstream = Upstream(on: scheduler, [.broken])
        let other = Upstream(on: scheduler, [.error(Broken(number: 2))])
        let call = observed(.fallback(to: other.send), upstream)(1)
        scheduler.run()
        #expect(call.errorNow as? Broken == Broken(number: 2))
        #expect(other.count == 1)
    }

    @Test func aFallbackSeesTheTimeLeftAndTheAttemptOfItsCall() {
        let upstream = Upstream(on: scheduler, [.error(Broken(), after: .seconds(3))])
        let other = Upstream(on: scheduler, [.value(8)])
        let context = CallContext(
            deadline: CallDeadline(after: .seconds(10), on: scheduler), attempt: 4)
        let call = context.run { observed(.fallback(to: other.send), upstream)(1) }
        // The thread that moves the clock is inside another call.
        CallContext(attempt: 9).run { scheduler.run() }
        #expect(call.valueNow == 8)
        #expect(other.arrivals.first?.remaining == .seconds(7))
        #expect(other.arrivals.first?.attempt == 4)
    }

    @Test func cancellingDuringTheFirstCallCallsNoFallback() {
        let upstream = Upstream(on: scheduler)
        let other = Upstream(on: scheduler)
        let call = observed(.fallback(to: other.send), upstream)(1)
        call.cancel()
        #expect(call.isCancelled)
        #expect(upstream.cancelled == 1)
        #expect(other.count == 0)
    }

    @Test func cancellingDuringAFallbacksCallCancelsIt() {
        let upstream = Upstream(on: scheduler, [.broken])
        let other = Upstream(on: scheduler)
        let call = observed(.fallback(to: other.send), upstream)(1)
        scheduler.run()
        #expect(other.count == 1)
        call.cancel()
        #expect(call.isCancelled)
        #expect(other.cancelled == 1)
        #expect(other.living == 0)
    }

    @Test func theFirstOfSeveralFallbacksThatSucceedsIsTheResult() {
        let upstream = Upstream(on: scheduler, [.broken])
        let second = Upstream(on: scheduler, [.broken])
        let third = Upstream(on: scheduler, [.value(3)])
        let call = stack(
            .fallback(to: third.send), .fallback(to: second.send), over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 3)
        #expect([upstream.count, second.count, third.count] == [1, 1, 1])
    }

    /// The observer of one answer makes the next call.
    @Test func callsOfAFallbackFromEachOthersObserversNeedNoDeepStack() {
        let service = stack(
            Middleware<Ask, Int>.fallback(to: { ask in Future(value: ask.number) }),
            over: { _ in Future(error: Broken()) })
        let count = Locked(0)
        @Sendable func ask(_ number: Int) {
            service(Ask(number)).observe { _ in
                count.withLock { $0 += 1 }
                if number > 0 { ask(number - 1) }
            }
        }
        ask(100_000)
        #expect(count.withLock { $0 } == 100_001)
    }

    /// The expected result according to the documentation, outcome by outcome.
    @Test func aFallbackAgreesWithAnOracle() {
        for seed in 0..<500 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            func step(_ value: Int) -> (Upstream.Step, Int?) {
                let error = CancellationError()
                switch Int.random(in: 0..<5, using: &chance) {
                case 0: return (.value(value), value)
                case 1: return (.atOnce(.success(value)), value)
                case 2: return (.atOnce(.failure(Broken(number: value))), -1)
                case 3: return (.error(error), nil)
                default: return (.broken, -1)
                }
            }
            let (first, second) = (step(1), step(2))
            let upstream = Upstream(on: scheduler, [first.0])
            let other = Upstream(on: scheduler, [second.0])
            let call = stack(.fallback(to: other.send), over: upstream.send)(1)
            scheduler.run()
            let expected = first.1 == -1 ? second.1 : first.1
            #expect(other.count == (first.1 == -1 ? 1 : 0))
            #expect(call.valueNow == (expected == -1 ? nil : expected))
            #expect(call.isCancelled == (expected == nil))
        }
    }
}
