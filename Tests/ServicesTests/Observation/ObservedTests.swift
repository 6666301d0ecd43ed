import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@Suite struct ObservedTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    @Test func anObservedCallIsASpan() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .milliseconds(30))])
        let call = stack(
            .observed(by: log.observer, on: scheduler, named: { "ask \($0.number)" }),
            over: upstream.send)(3)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(
            log.lines == [
                "0 1 observed began ask 3",
                "30 1 observed ended success in 30",
            ])
    }

    @Test func observersHearOfACallThatSettlesAtOnce() {
        let call = stack(
            .observed(by: log.observer, on: scheduler),
            over: { (ask: Ask) in Future<Int>(error: Broken()) })(3)
        #expect(call.errorNow is Broken)
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 1 observed ended retryable in 0: Broken",
            ])
    }

    @Test func theLatencyOfAnObservedCallIncludesTheServicesOwnWork() {
        let scheduler = scheduler
        _ = stack(
            .observed(by: log.observer, on: scheduler),
            over: { (ask: Ask) in
                scheduler.advance(by: .milliseconds(50))
                return Future(value: 1)
            })(3)
        #expect(log.lines.last == "50 1 observed ended success in 50")
    }

    @Test func everyObserverOfAnObservedCallHearsItInOrder() {
        let order = Locked("")
        let observers = ["a", "b"].map { name in
            ServiceObserver { _ in order.withLock { $0 += name } }
        }
        _ = stack(
            .observed(by: observers[0], observers[1], on: scheduler),
            over: { (ask: Ask) in Future(value: 1) })(3)
        #expect(order.withLock { $0 } == "abab")
    }

    @Test func observedCallsHaveNumbersOfTheirOwn() {
        let service = stack(
            .observed(by: log.observer, on: scheduler), over: { (ask: Ask) in Future(value: 1) })
        for number in 0..<100 { _ = service(Ask(number)) }
        #expect(Set(log.elements.map(\.call)).count == 100)
        #expect(log.elements.count == 200)
    }

    @Test func anObservedCallWithinAnotherAddsASpanOnTheOuterClock() {
        let inner = TestLog<PolicyEvent>()
        let upstream = Upstream(on: scheduler, [.value(7)])
        scheduler.advance(by: .milliseconds(500))
        _ = stack(
            .observed(by: log.observer, on: scheduler, named: { _ in "outer" }),
            .observed(by: inner.observer, on: ManualScheduler(), named: { _ in "inner" }),
            over: upstream.send)(3)
        scheduler.run()
        #expect(
            log.lines == [
                "500 1 observed began outer",
                "500 2<1 observed began inner",
                "510 2<1 observed ended success in 10",
                "510 1 observed ended success in 10",
            ])
        #expect(
            inner.lines == [
                "500 2<1 observed began inner",
                "510 2<1 observed ended success in 10",
            ])
    }

    @Test func aCustomMiddlewareCanReportEventsOfAnObservedCall() {
        let noting = Middleware<Ask, Int> { next in
            { input in
                CallContext.current.report(.note("signed"), by: "signing")
                return next(input)
            }
        }
        let upstream = Upstream(on: scheduler, [.value(7), .value(8)])
        _ = stack(noting, over: upstream.send)(1)
        #expect(log.elements.isEmpty)
        _ = stack(.observed(by: log.observer, on: scheduler), noting, over: upstream.send)(1)
        #expect(log.lines == ["0 1 observed began call", "0 1 signing note(\"signed\")"])
    }

    @Test func theOutcomeOfAnObservedCallIsTheClassifiers() {
        let classifier = Classifier<Int> { _ in .failure }
        _ = stack(
            .observed(by: log.observer, on: scheduler, classifier: classifier),
            over: { (ask: Ask) in Future(value: 1) })(3)
        #expect(log.lines.last == "0 1 observed ended failure in 0")
    }

    @Test func aCallThatIsNotObservedEvaluatesNoEvent() {
        var evaluated = false
        func kind() -> PolicyEvent.Kind {
            evaluated = true
            return .hit
        }
        CallContext.current.report(kind(), by: "test")
        #expect(!evaluated)
    }
}
