import TestSupport
import Testing

@testable import PledgeServices

@Suite struct WaitQueueTests {
    @Test func aWaitQueueServesInOrderOfArrival() {
        var line = WaitQueue<String>()
        for name in ["a", "b", "c"] { _ = line.append(name) }
        let served = (0..<4).map { _ in line.popFirst() }
        #expect(served == ["a", "b", "c", nil])
        #expect(line.isEmpty)
    }

    @Test func aWaitQueuePassesOverWhoHasLeft() {
        var line = WaitQueue<String>()
        let tickets = ["a", "b", "c", "d"].map { line.append($0) }
        let left = [line.remove(tickets[1]), line.remove(tickets[0]), line.remove(tickets[1])]
        #expect(left == ["b", "a", nil])
        #expect(line.count == 2)
        let served = (0..<3).map { _ in line.popFirst() }
        #expect(served == ["c", "d", nil])
        let late = tickets.map { line.remove($0) }
        #expect(late == [nil, nil, nil, nil])
    }

    /// No ticket is given out twice, however many calls have left.
    @Test func theTicketsOfAWaitQueueAreUnique() {
        var line = WaitQueue<Int>()
        var tickets: Set<Int> = []
        for number in 0..<1_000 {
            let ticket = line.append(number)
            #expect(tickets.insert(ticket).inserted)
            _ = number.isMultiple(of: 3) ? line.popFirst() : line.remove(ticket)
        }
    }

    /// Many calls come and leave while one stays at the head.
    @Test func whoLeavesAWaitQueueTakesNoMemoryAlong() {
        var line = WaitQueue<Int>()
        _ = line.append(-1)
        for number in 0..<100_000 {
            let ticket = line.append(number)
            if line.remove(ticket) != number { Issue.record("it was there") }
        }
        #expect(line.size <= 32)
        let served = line.popFirst()
        #expect(served == -1)
    }

    @Test func aWaitQueueAgreesWithAnArrayOverRandomScripts() {
        var generator = SeededGenerator(seed: 13)
        for _ in 0..<200 {
            var line = WaitQueue<Int>()
            var model: [(ticket: Int, element: Int)] = []
            var tickets: [Int] = []
            for element in 0..<400 {
                switch Int.random(in: 0..<9, using: &generator) {
                case 0..<4:
                    let ticket = line.append(element)
                    model.append((ticket, element))
                    tickets.append(ticket)
                case 4..<6:
                    let expected = model.isEmpty ? nil : model.removeFirst().element
                    let popped = line.popFirst()
                    #expect(popped == expected)
                default:
                    guard let ticket = tickets.randomElement(using: &generator) else { break }
                    let index = model.firstIndex { $0.ticket == ticket }
                    let expected = index.map { model.remove(at: $0).element }
                    let removed = line.remove(ticket)
                    #expect(removed == expected)
                }
                #expect(line.count == model.count)
                #expect(line.isEmpty == model.isEmpty)
            }
        }
    }
}
