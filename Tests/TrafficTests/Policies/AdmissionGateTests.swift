import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

@Suite struct PriorityWaitQueueTests {
    /// Compared with an array, over random scripts.
    @Test func aPriorityWaitQueueAgreesWithAnArray() {
        struct Entry: Equatable {
            let number: Int
            let priority: CallPriority
        }
        var generator = SeededGenerator(seed: 31)
        var called = 0, removed = 0, displaced = 0, raised = 0
        for _ in 0..<100 {
            var line = PriorityWaitQueue<Int>()
            var waiting: [Entry] = []
            var tickets: [PriorityWaitQueue<Int>.Ticket] = []
            var unconfirmed: Set<Int> = []
            for number in 0..<200 {
                switch Int.random(in: 0..<9, using: &generator) {
                case 0...3:
                    let priority = CallPriority.allCases.randomElement(using: &generator)!
                    waiting.append(Entry(number: tickets.count, priority: priority))
                    tickets.append(line.append(tickets.count, priority))
                case 4:
                    let youngest = Bool.random(using: &generator)
                    let top = waiting.map(\.priority).max()
                    let row = waiting.filter { $0.priority == top }
                    let expected = (youngest ? row.last : row.first)?.number
                    let entry = line.call(youngest: youngest)
                    #expect(entry == expected)
                    waiting.removeAll { $0.number == expected }
                    if let expected { unconfirmed.insert(expected) }
                    called += expected == nil ? 0 : 1
                case 5:
                    let oldest = Bool.random(using: &generator)
                    let least = waiting.map(\.priority).min()
                    let row = waiting.filter { $0.priority == least }
                    let expected = (oldest ? row.first : row.last)?.number
                    let entry = line.removeLeast(oldest: oldest)
                    #expect(entry == expected)
                    waiting.removeAll { $0.number == expected }
                    displaced += expected == nil ? 0 : 1
                case 6 where !tickets.isEmpty:
                    let chosen = Int.random(in: tickets.indices, using: &generator)
                    let entry = line.remove(tickets[chosen])
                    #expect((entry != nil) == waiting.contains { $0.number == chosen })
                    waiting.removeAll { $0.number == chosen }
                    removed += entry == nil ? 0 : 1
                case 7 where !tickets.isEmpty:
                    let chosen = Int.random(in: tickets.indices, using: &generator)
                    let isConfirmed = line.confirm(tickets[chosen])
                    #expect(isConfirmed == (unconfirmed.remove(chosen) != nil))
                case 8 where !tickets.isEmpty:
                    let chosen = Int.random(in: tickets.indices, using: &generator)
                    let priority = CallPriority.allCases.randomElement(using: &generator)!
                    line.raise(tickets[chosen], to: priority)
                    let index = waiting.firstIndex { $0.number == chosen }
                    if let index, waiting[index].priority < priority {
                        waiting.remove(at: index)
                        waiting.append(Entry(number: chosen, priority: priority))
                        raised += 1
                    }
                default: break
                }
                #expect(line.count == waiting.count, "\(number)")
                #expect(line.leastPriority == waiting.map(\.priority).min())
            }
        }
        #expect(called > 500 && removed > 500 && displaced > 500 && raised > 100)
    }

    @Test func slotsAreUsedAgain() {
        var line = PriorityWaitQueue<Int>()
        for number in 0..<10_000 {
            let ticket = line.append(number, .critical)
            switch number % 3 {
            case 0: _ = line.remove(ticket)
            case 1: _ = line.removeLeast(oldest: true)
            default:
                _ = line.call(youngest: false)
                _ = line.confirm(ticket)
            }
        }
        #expect(line.isEmpty)
        #expect(line.size == 1)
    }

    /// A ticket of an entry that has gone has no effect on the next one in its slot.
    @Test func anOldTicketMeansNothing() {
        var line = PriorityWaitQueue<Int>()
        let old = line.append(1, .critical)
        _ = line.remove(old)
        _ = line.append(2, .critical)
        let removed = line.remove(old)
        #expect(removed == nil)
        let next = line.call(youngest: false)
        #expect(next == 2)
        let isConfirmed = line.confirm(old)
        #expect(!isConfirmed)
    }

    @Test func anEntryThatHasGoneIsReleased() {
        var line = PriorityWaitQueue<Luggage>()
        weak var kept: Luggage?
        do {
            let luggage = Luggage()
            kept = luggage
            let ticket = line.append(luggage, .critical)
            _ = line.remove(ticket)
        }
        #expect(kept == nil)
        #expect(line.isEmpty)
    }
}

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

    @Test(arguments: gates.indices) func aCallWithAnAnswerSendsNothingMore(gate: Int) {
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
    @Test(arguments: gates.indices) func anAnswerAtOnceInTheFreedPlace(gate: Int) {
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

    @Test(arguments: gates.indices) func aCallThatIsGivenUpSendsNothingMore(gate: Int) {
        let upstream = Upstream(on: scheduler)
        let call = stack(hedge(3), Self.gates[gate](scheduler), over: upstream.send)(1)
        scheduler.advance(by: .milliseconds(150))
        call.cancel()
        #expect((upstream.count, upstream.cancelled) == (1, 1))
        #expect(scheduler.isIdle)
    }

    /// The place goes to the next call that is still wanted.
    @Test(arguments: gates.indices) func aPlaceThatALoserDeclinesIsNotLost(gate: Int) {
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
    @Test(arguments: gates.indices) func afterAFailureTheWaitingCallIsMade(gate: Int) {
        let upstream = Upstream(
            on: scheduler, [.error(Broken(), after: .milliseconds(200)), .value(2)])
        let call = stack(hedge(), Self.gates[gate](scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.instants == [.zero, .milliseconds(200)])
    }

    /// Every call waits in the queue twice, and its service answers as soon as it begins.
    @Test func aLongQueueOfHedgedCallsNeedsNoStack() {
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
