import TestSupport
import Testing

@testable import PledgeServices

@Suite struct BulkheadMachineTests {
    private typealias Machine = BulkheadMachine<String>

    /// The call's place in the queue; zero if it is admitted, and nil if it is refused.
    private func length(_ entry: Machine.Entry) -> Int? {
        switch entry {
        case .admitted: 0
        case .queued(_, let length): length
        case .refused: nil
        }
    }

    /// Three calls enter, of which two wait.
    private func ticketsOfTwo(_ machine: inout Machine) -> [Machine.Ticket] {
        ["a", "b", "c"].compactMap { name in
            if case .queued(let ticket, _) = machine.enter(name) { ticket } else { nil }
        }
    }

    @Test func placesAreTakenThenTheQueueThenNothing() {
        var machine = BulkheadMachine<String>(limit: 2, queue: 2)
        let entries = ["a", "b", "c", "d", "e"].map { machine.enter($0) }
        #expect(entries.map(length) == [0, 0, 1, 2, nil])
        #expect(machine.inFlight == 2)
        #expect(machine.queued == 2)
        #expect(!machine.hasRoomToWait)
    }

    @Test func aPlaceGoesToTheFirstInLine() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        for name in ["a", "b", "c"] { _ = machine.enter(name) }
        let first = machine.leave()
        #expect(first == "b")
        // The place is taken again, so a new caller must wait behind the others.
        let isFree = machine.enterIfFree()
        #expect(!isFree)
        let late = machine.enter("d")
        #expect(length(late) == 2)
        let others = (0..<3).map { _ in machine.leave() }
        #expect(others == ["c", "d", nil])
        #expect(machine.inFlight == 0)
    }

    @Test func whoWaitsMayLeave() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        let tickets = ticketsOfTwo(&machine)
        let departure = machine.leave(tickets[0])
        #expect(departure.left == "b")
        #expect(departure.next == nil)
        #expect(machine.inFlight == 1)
        #expect(machine.hasRoomToWait)
        let next = machine.leave()
        #expect(next == "c")
    }

    /// A waiting call is given up just when it gets its place.
    @Test func whoHasGotAPlaceGivesItToTheNext() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        let tickets = ticketsOfTwo(&machine)
        _ = machine.leave()
        let departure = machine.leave(tickets[0])
        #expect(departure.left == nil)
        #expect(departure.next == "c")
        _ = machine.leave(tickets[1])
        #expect(machine.inFlight == 0)
    }

    @Test func aTicketHasOneEnd() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        let tickets = ticketsOfTwo(&machine)
        let early = machine.begin(tickets[0])
        _ = machine.leave()
        let (first, second) = (machine.begin(tickets[0]), machine.begin(tickets[0]))
        #expect(!early && first && !second)
        // It has begun, so its future frees the place.
        let departure = machine.leave(tickets[0])
        #expect(departure.next == nil && departure.left == nil)
        #expect(machine.inFlight == 1 && machine.queued == 1)
    }

    /// Compared with two arrays.
    @Test func agreesWithASequentialOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 17)
        var refusals = 0, departures = 0
        for _ in 0..<300 {
            let limit = Int.random(in: 1...4, using: &generator)
            let queue = Int.random(in: 0...5, using: &generator)
            var machine = BulkheadMachine<Int>(limit: limit, queue: queue)
            var inside: [Int] = [], waiting: [Int] = []
            var tickets: [Int: BulkheadMachine<Int>.Ticket] = [:]
            for call in 0..<300 {
                let wasWaiting = waiting
                if Bool.random(using: &generator) {
                    let entry = machine.enter(call)
                    if inside.count < limit {
                        #expect(entry == .admitted)
                        inside.append(call)
                    } else if waiting.count < queue {
                        waiting.append(call)
                        guard case .queued(let ticket, let length) = entry else {
                            Issue.record("\(call) is to wait, not \(entry)")
                            return
                        }
                        #expect(length == waiting.count)
                        tickets[call] = ticket
                    } else {
                        #expect(entry == .refused)
                        refusals += 1
                    }
                } else if let call = (inside + waiting).randomElement(using: &generator) {
                    let departure =
                        tickets[call].map { machine.leave($0) }
                        ?? .init(next: machine.leave())
                    if waiting.contains(call) {
                        waiting.removeAll { $0 == call }
                        #expect(departure.left == call)
                        #expect(departure.next == nil)
                        departures += 1
                    } else {
                        inside.removeAll { $0 == call }
                        #expect(departure.left == nil)
                        #expect(departure.next == wasWaiting.first)
                        if !waiting.isEmpty { inside.append(waiting.removeFirst()) }
                    }
                }
                #expect(machine.inFlight == inside.count)
                #expect(machine.queued == waiting.count)
            }
        }
        #expect(refusals > 1_000 && departures > 1_000)
    }
}
