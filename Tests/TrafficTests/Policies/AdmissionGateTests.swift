import PledgeAdmission
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

/// A hedge whose further calls wait in a gate below.
@Suite struct HedgeOverAGateTests {
    typealias Gate = @Sendable (ManualScheduler) -> Middleware<Ask, Int>

    /// Each kind of gate, with one place.
    static let gates: [Gate] = [
        { .bulkhead(sharing: Bulkhead(limit: 1, queue: 10, leaseTime: nil, on: $0)) },
        { .loadShedding(sharing: LoadShedder(limit: 1, interval: .seconds(1), on: $0)) },
        {
            .adaptiveConcurrency(
                sharing: AdaptiveConcurrency(
                    algorithm: .aimd(initial: 1, minimum: 1, maximum: 1), on: $0))
        },
    ]

    let scheduler = ManualScheduler()

    private func hedge(_ attempts: Int = 2) -> Middleware<Ask, Int> {
        .hedge(
            sharing: Hedge(
                after: .milliseconds(50), attempts: attempts, maxExtraLoad: 1, on: scheduler))
    }

    @Test(arguments: gates.indices)
    func aHedgedCallWithAnAnswerSendsNothingMoreThroughAGate(gate: Int) {
        let upstream = Upstream(
            on: scheduler, Array(repeating: .value(7, after: .milliseconds(200)), count: 300))
        let service = stack(hedge(), Self.gates[gate](scheduler), over: upstream.send)
        for number in 1...100 {
            let call = service(Ask(number))
            scheduler.advance(by: .milliseconds(250))
            #expect(call.valueNow == 7)
            #expect(upstream.count == number)
        }
        #expect(upstream.cancelled == 0)
    }

    /// The first call waits too, and its service answers as soon as it begins.
    @Test(arguments: gates.indices)
    func aHedgedCallMayAnswerAtOnceInAPlaceThatAGateFrees(gate: Int) {
        let upstream = Upstream(
            on: scheduler,
            [.value(0, after: .milliseconds(500)), .atOnce(.success(7)), .atOnce(.success(8))])
        let gate = Self.gates[gate](scheduler)
        _ = stack(gate, over: upstream.send)(0)
        let call = stack(hedge(3), gate, over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(upstream.count == 2)
    }

    @Test(arguments: gates.indices)
    func aCancelledHedgedCallSendsNothingMoreThroughAGate(gate: Int) {
        let upstream = Upstream(on: scheduler)
        let call = stack(hedge(3), Self.gates[gate](scheduler), over: upstream.send)(1)
        scheduler.advance(by: .milliseconds(150))
        call.cancel()
        #expect((upstream.count, upstream.cancelled) == (1, 1))
        #expect(scheduler.isIdle)
    }

    /// The place goes to the next call that is still wanted.
    @Test(arguments: gates.indices) func aGatesPlaceThatALosingHedgeDeclinesIsNotLost(gate: Int) {
        let upstream = Upstream(on: scheduler, [.value(1, after: .milliseconds(200)), .value(2)])
        let gate = Self.gates[gate](scheduler)
        let first = stack(hedge(), gate, over: upstream.send)(1)
        scheduler.advance(by: .milliseconds(100))
        let second = stack(gate, over: upstream.send)(2)
        scheduler.run()
        #expect(first.valueNow == 1)
        #expect(second.valueNow == 2)
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2])
    }

    /// A failed call decides nothing, so the next one starts.
    @Test(arguments: gates.indices)
    func aHedgeThatWaitsAtAGateIsMadeAfterTheFirstCallFails(gate: Int) {
        let upstream = Upstream(
            on: scheduler, [.error(Broken(), after: .milliseconds(200)), .value(2)])
        let call = stack(hedge(), Self.gates[gate](scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.instants == [.zero, .milliseconds(200)])
    }

    /// Every call waits in the queue twice, and its service answers as soon as it begins.
    @Test func aGatesLongQueueOfHedgedCallsNeedsNoDeepStack() {
        let count = 5_000
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: 2 * count, leaseTime: nil, on: scheduler)
        let service = stack(
            hedge(), .bulkhead(sharing: bulkhead),
            over: { (ask: Ask) in
                ask.number == 0 ? upstream.send(ask) : Future(value: ask.number)
            })
        let calls = (0...count).map { service(Ask($0)) }
        scheduler.advance(by: .seconds(1))
        #expect(bulkhead.queued > count)
        upstream.settle(0, .success(0))
        scheduler.run()
        #expect(calls.enumerated().allSatisfy { $1.valueNow == $0 })
        #expect((bulkhead.inFlight, bulkhead.queued) == (0, 0))
    }
}
