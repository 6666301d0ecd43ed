import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeAdmission

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

    @Test func aPriorityWaitQueueUsesItsSlotsAgain() {
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
    @Test func anOldTicketOfAPriorityWaitQueueRemovesNobody() {
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

    @Test func aPriorityWaitQueueReleasesAnEntryThatHasGone() {
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
