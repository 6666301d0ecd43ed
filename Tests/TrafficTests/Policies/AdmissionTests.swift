import PledgeAdmission
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

/// A policy that admits so many calls at once, and lets others wait for a place.
struct Admission: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let middleware: Middleware<Ask, Int>
    let inFlight: @Sendable () -> Int
    let queued: @Sendable () -> Int
    /// The code of a refusal for want of room.
    let refusal: ServiceError.Code
}

/// A kind of such policies.
struct AdmissionKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Makes a policy with these many places, this queue, and half a second as the longest wait.
    let make: @Sendable (_ limit: Int, _ queue: Int, _ scheduler: ManualScheduler) -> Admission

    static let all = [bulkhead, loadShedder, adaptiveConcurrency]

    static let bulkhead = AdmissionKind(testDescription: "a bulkhead") { limit, queue, scheduler in
        let bulkhead = Bulkhead(
            named: "shop", limit: limit, queue: queue, queueTimeout: .milliseconds(500),
            leaseTime: nil, on: scheduler)
        return Admission(
            testDescription: "a bulkhead", middleware: .bulkhead(sharing: bulkhead),
            inFlight: { bulkhead.inFlight }, queued: { bulkhead.queued }, refusal: .bulkheadFull)
    }

    static let loadShedder = AdmissionKind(testDescription: "a load shedder") {
        limit, queue, scheduler in
        let shedder = LoadShedder(
            named: "shop", limit: limit, queue: queue, interval: .milliseconds(500), on: scheduler)
        return Admission(
            testDescription: "a load shedder", middleware: .loadShedding(sharing: shedder),
            inFlight: { shedder.inFlight }, queued: { shedder.queued }, refusal: .shed)
    }

    static let adaptiveConcurrency = AdmissionKind(testDescription: "an adaptive limit") {
        size, queue, scheduler in
        let limit = AdaptiveConcurrency(
            named: "shop", algorithm: .aimd(initial: size, minimum: size, maximum: size),
            queue: queue, queueTimeout: .milliseconds(500), on: scheduler)
        return Admission(
            testDescription: "an adaptive limit", middleware: .adaptiveConcurrency(sharing: limit),
            inFlight: { limit.inFlight }, queued: { limit.queued }, refusal: .concurrencyLimited)
    }
}

/// What every policy with places and a queue does; the suites of each have the rest.
@Suite struct AdmissionTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    private func service(_ admission: Admission, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(.observed(by: log.observer, on: scheduler), admission.middleware, over: upstream.send)
    }

    private func words(_ first: String) -> [String] {
        log.elements.filter { $0.policy != "observed" }.map(\.kind.word).filter { $0 == first }
    }

    @Test(arguments: AdmissionKind.all)
    func aCallThatFindsNoPlaceAndNoQueueIsRefusedUnsent(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(2, 0, scheduler)
        let service = service(admission, upstream)
        let calls = (1...3).map { service(Ask($0)) }
        let error = calls[2].serviceError
        #expect(error?.code == admission.refusal && error?.policyName == "shop")
        #expect(error?.isRefusal == true && error?.isCertainlyUnsent == true)
        #expect(error?.retryAfter == nil)
        #expect(upstream.count == 2 && admission.inFlight() == 2 && admission.queued() == 0)
        upstream.settle(0, .success(1))
        #expect(admission.inFlight() == 1)
        #expect(service(4).result == nil && upstream.count == 3)
        #expect(words("refused").count == 1)
    }

    @Test(arguments: AdmissionKind.all)
    func callsInAnAdmissionQueueAreServedInOrderAndTheNextIsRefused(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 9))
        let admission = kind.make(2, 3, scheduler)
        let service = service(admission, upstream)
        let calls = (1...6).map { service(Ask($0)) }
        #expect(admission.queued() == 3)
        #expect(calls[5].serviceError?.code == admission.refusal)
        scheduler.run()
        #expect(calls.prefix(5).allSatisfy { $0.valueNow == 1 })
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 3, 4, 5])
        #expect(upstream.instants == [0, 0, 10, 10, 20].map { .milliseconds($0) })
        #expect(admission.inFlight() == 0 && admission.queued() == 0 && scheduler.isIdle)
        #expect(words("queued").count == 3)
        let waits = log.elements.compactMap { event -> Duration? in
            if case .dequeued(let time) = event.kind { time } else { nil }
        }
        #expect(waits == [10, 10, 20].map { .milliseconds($0) })
    }

    @Test(arguments: AdmissionKind.all)
    func aRefusalForWantOfAPlaceIsNotRetried(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(1, 0, scheduler)
        let service = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), admission.middleware,
            over: upstream.send)
        _ = service(1)
        #expect(service(2).serviceError?.code == admission.refusal)
        #expect(upstream.count == 1)
    }

    @Test(arguments: AdmissionKind.all)
    func aCallThatWaitsTooLongForAPlaceIsRefusedAndLeavesTheQueue(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(1, 1, scheduler)
        let service = service(admission, upstream)
        _ = service(1)
        let call = service(2)
        scheduler.advance(by: .milliseconds(499))
        #expect(call.result == nil && admission.queued() == 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(call.serviceError?.code == .queueTimedOut)
        #expect(call.serviceError?.limit == .milliseconds(500))
        #expect(admission.queued() == 0 && scheduler.isIdle)
        upstream.settle(0, .success(1))
        #expect(upstream.count == 1 && admission.inFlight() == 0)
    }

    /// The limit is for the wait, not for the call.
    @Test(arguments: AdmissionKind.all)
    func aCallThatGetsAPlaceInTimeTakesItsQueueTimerBack(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let service = service(kind.make(1, 1, scheduler), upstream)
        _ = service(1)
        let call = service(2)
        scheduler.advance(by: .milliseconds(499))
        upstream.settle(0, .success(1))
        #expect(scheduler.isIdle)
        scheduler.advance(by: .seconds(60))
        upstream.settle(1, .success(2))
        #expect(call.valueNow == 2)
    }

    @Test(arguments: AdmissionKind.all)
    func aDeadlineThatPassesInAnAdmissionQueueEndsTheWait(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(1, 1, scheduler)
        let service = stack(
            .deadline(.milliseconds(200), on: scheduler), admission.middleware, over: upstream.send)
        let first = stack(admission.middleware, over: upstream.send)(1), call = service(2)
        scheduler.advance(by: .milliseconds(200))
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(admission.queued() == 0 && first.result == nil)
        upstream.settle(0, .success(1))
        #expect(upstream.count == 1 && admission.inFlight() == 0 && scheduler.isIdle)
    }

    @Test(arguments: AdmissionKind.all)
    func cancellingACallGivesItsPlaceOrItsTurnToTheNext(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(1, 2, scheduler)
        let service = service(admission, upstream)
        weak var held: Luggage?
        let calls: [Future<Int>]
        do {
            let luggage = Luggage()
            held = luggage
            calls = [service(1), service(Ask(2, luggage: luggage)), service(3)]
        }
        calls[1].cancel()
        #expect(held == nil && admission.queued() == 1)
        calls[0].cancel()
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
        #expect(admission.inFlight() == 1 && admission.queued() == 0)
        calls[2].cancel()
        #expect(admission.inFlight() == 0 && upstream.cancelled == 2 && scheduler.isIdle)
        #expect(words("refused").isEmpty)
    }

    @Test(arguments: AdmissionKind.all)
    func everyEndOfACallGivesItsPlaceBack(kind: AdmissionKind) {
        let upstream = Upstream(
            on: scheduler,
            [.broken, .atOnce(.success(1)), .atOnce(.failure(Broken())), .value(1), .never])
        let admission = kind.make(1, 0, scheduler)
        let service = service(admission, upstream)
        for number in 1...4 {
            _ = service(Ask(number))
            scheduler.run()
            #expect(admission.inFlight() == 0)
            #expect(upstream.count == number)
        }
        let abandoned = stack(admission.middleware, over: { (_: Ask) in Promise<Int>() })
        #expect(abandoned(5).errorNow is FutureError)
        #expect(admission.inFlight() == 0)
    }

    @Test(arguments: AdmissionKind.all)
    func aCallThatWaitsForAPlaceKeepsItsOwnContext(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let service = service(kind.make(1, 2, scheduler), upstream)
        let contexts = [
            CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler), attempt: 2),
            CallContext(deadline: CallDeadline(after: .seconds(7), on: scheduler), attempt: 3),
            CallContext(),
        ]
        let calls = contexts.enumerated().map { number, context in
            context.run { service(Ask(number)) }
        }
        scheduler.advance(by: .milliseconds(400))
        contexts[0].run { upstream.settle(0, .success(0)) }
        contexts[1].run { upstream.settle(1, .success(1)) }
        #expect(upstream.arrivals.map(\.remaining) == [.seconds(5), .milliseconds(6_600), nil])
        #expect(upstream.arrivals.map(\.attempt) == [2, 3, 1])
        withExtendedLifetime(calls) {}
    }

    @Test(arguments: AdmissionKind.all)
    func anObserverOfAnAdmittedCallMayCallAgainAtOnce(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let service = service(kind.make(1, 0, scheduler), upstream)
        let next = Locked<Future<Int>?>(nil)
        service(1).observe { _ in
            let call = service(2)
            next.withLock { $0 = call }
        }
        scheduler.run()
        #expect(next.withLock { $0 }?.valueNow == 2)
    }
}

/// A bulkhead and a load shedder serve what matters first; an adaptive limit knows no priorities.
@Suite struct AdmissionPriorityTests {
    let scheduler = ManualScheduler()

    static let kinds = [AdmissionKind.bulkhead, .loadShedder]

    private func call(
        _ service: Service<Ask, Int>, _ number: Int, _ priority: CallPriority?
    ) -> Future<Int> {
        CallContext.current.with(priority: priority).run { service(Ask(number)) }
    }

    @Test(arguments: kinds)
    func theMostImportantWaitingCallIsServedFirstInItsOwnContext(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 9))
        let admission = kind.make(1, 9, scheduler)
        let seen = Locked<[CallPriority]>([])
        let service = stack(
            admission.middleware,
            over: { (ask: Ask) in
                seen.withLock { $0.append(CallContext.current.priority) }
                return upstream.send(ask)
            })
        let priorities: [CallPriority?] = [
            .sheddable, .sheddable, .criticalPlus, nil, .sheddablePlus, .criticalPlus, .critical,
        ]
        let calls = priorities.enumerated().map { call(service, $0, $1) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 1 })
        #expect(upstream.arrivals.map(\.ask.number) == [0, 2, 5, 3, 6, 4, 1])
        #expect(
            seen.withLock { $0 } == [
                .sheddable, .criticalPlus, .criticalPlus, .critical, .critical, .sheddablePlus,
                .sheddable,
            ])
    }

    @Test(arguments: kinds)
    func inAFullAdmissionQueueTheYoungestLeastImportantCallMakesRoom(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let log = TestLog<PolicyEvent>()
        let admission = kind.make(1, 3, scheduler)
        let service = stack(
            .observed(by: log.observer, on: scheduler), admission.middleware, over: upstream.send)
        let inPlace = call(service, 0, .sheddable)
        let waiting = [CallPriority.sheddablePlus, .sheddable, .sheddable].enumerated()
            .map { call(service, $0 + 1, $1) }
        let refused = call(service, 4, .sheddable)
        #expect(refused.serviceError?.code == admission.refusal)
        let payment = call(service, 5, .criticalPlus)
        #expect(waiting.map { $0.result == nil } == [true, true, false])
        #expect(waiting[2].serviceError?.code == admission.refusal)
        #expect(waiting[2].serviceError?.policyName == "shop")
        #expect(admission.queued() == 3)
        for index in 0..<4 { upstream.settle(index, .success(index)) }
        #expect(inPlace.valueNow == 0 && payment.valueNow == 1)
        #expect(upstream.arrivals.map(\.ask.number) == [0, 5, 1, 2])
        #expect(admission.inFlight() == 0 && admission.queued() == 0 && scheduler.isIdle)
        #expect(log.lines.count { $0.contains("refused(") } == 2)
    }

    @Test(arguments: kinds)
    func withoutAnAdmissionQueueACallIsRefusedHoweverImportant(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(1, 0, scheduler)
        let service = stack(admission.middleware, over: upstream.send)
        let first = call(service, 1, .sheddable), second = call(service, 2, .criticalPlus)
        #expect(first.result == nil)
        #expect(second.serviceError?.code == admission.refusal)
    }
}

/// Such a policy with a queue of thousands.
@Suite(.oneAtATime) struct AdmissionQueueTests {
    let scheduler = ManualScheduler()
    let count = 20_000

    @Test(arguments: AdmissionKind.all)
    func aLongAdmissionQueueNeedsNoDeepStack(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(1, count, scheduler)
        let service = stack(
            admission.middleware,
            over: { (ask: Ask) in
                ask.number == 0 ? upstream.send(ask) : Future(value: ask.number)
            })
        let calls = (0...count).map { service(Ask($0)) }
        #expect(admission.queued() == count)
        upstream.settle(0, .success(0))
        #expect(calls.enumerated().allSatisfy { $1.valueNow == $0 })
        #expect(admission.inFlight() == 0 && admission.queued() == 0 && scheduler.isIdle)
    }

    @Test(arguments: AdmissionKind.all)
    func cancellingALongAdmissionQueueNeedsNoDeepStack(kind: AdmissionKind) {
        let upstream = Upstream(on: scheduler)
        let admission = kind.make(1, count, scheduler)
        let service = stack(admission.middleware, over: upstream.send)
        let calls = (0...count).map { service(Ask($0)) }
        for call in calls.reversed() { call.cancel() }
        #expect(upstream.count == 1)
        #expect(admission.inFlight() == 0 && admission.queued() == 0)
    }
}
