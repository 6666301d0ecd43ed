import TestSupport
import Testing

@testable import Services

@Suite struct BulkheadMachineTests {
    @Test func placesAreTakenThenTheQueueThenNothing() {
        var machine = BulkheadMachine<String>(limit: 2, queue: 2)
        let entries = ["a", "b", "c", "d", "e"].map { machine.enter($0) }
        #expect(
            entries == [
                .admitted, .admitted, .queued(ticket: 1, length: 1), .queued(ticket: 2, length: 2),
                .refused,
            ])
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
        #expect(late == .queued(ticket: 3, length: 2))
        let others = (0..<3).map { _ in machine.leave() }
        #expect(others == ["c", "d", nil])
        #expect(machine.inFlight == 0)
    }

    @Test func whoWaitsMayLeave() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        for name in ["a", "b", "c"] { _ = machine.enter(name) }
        let departure = machine.leave(1)
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
        for name in ["a", "b", "c"] { _ = machine.enter(name) }
        _ = machine.leave()
        let departure = machine.leave(1)
        #expect(departure.left == nil)
        #expect(departure.next == "c")
        _ = machine.leave(2)
        #expect(machine.inFlight == 0)
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
            var tickets: [Int: Int] = [:]
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
