import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct LoadShedderMachineTests {
    typealias Machine = LoadShedderMachine<String>

    static func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// What an entry says, in words.
    private func text(_ entry: Machine.Entry) -> String {
        switch entry {
        case .admitted: return "admitted"
        case .refused: return "refused"
        case .queued(_, let length, let patience, let displaced):
            let milliseconds = Int(patience / .milliseconds(1))
            return "\(length), \(milliseconds) ms" + (displaced.map { ", not \($0)" } ?? "")
        }
    }

    @Test func placesAreTakenThenTheQueueThenNothing() {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 2))
        let entries = ["a", "b", "c", "d"].map {
            text(machine.enter($0, .critical, at: Self.at(0)))
        }
        #expect(entries == ["admitted", "1, 100 ms", "2, 100 ms", "refused"])
        #expect(machine.inFlight == 1 && machine.queued == 2)
    }

    @Test func theMostImportantIsServedFirst() {
        var machine = Machine(LoadShedderLimits(places: 1))
        for (name, priority) in [
            ("now", .critical), ("a", .sheddable), ("b", .critical), ("c", .criticalPlus),
            ("d", .critical), ("e", .sheddablePlus),
        ] as [(String, CallPriority)] {
            _ = machine.enter(name, priority, at: Self.at(0))
        }
        let order = (0..<6).map { _ in machine.leave(at: Self.at(1)) }
        #expect(order == ["c", "b", "d", "e", "a", nil])
        #expect(machine.inFlight == 0)
    }

    @Test func ofAFullQueueTheLeastImportantIsRefused() {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 2))
        func enter(_ name: String, _ priority: CallPriority) -> String {
            text(machine.enter(name, priority, at: Self.at(0)))
        }
        _ = enter("now", .sheddable)
        _ = (enter("a", .sheddablePlus), enter("b", .sheddablePlus))
        #expect(enter("c", .sheddable) == "refused")
        #expect(enter("d", .sheddablePlus) == "refused")
        // The youngest of the least important ones.
        #expect(enter("e", .critical) == "2, 100 ms, not b")
        #expect(enter("f", .criticalPlus) == "2, 100 ms, not a")
        #expect(enter("g", .critical) == "refused")
        #expect(enter("h", .criticalPlus) == "2, 100 ms, not e")
        // A call in flight is never displaced.
        #expect(machine.inFlight == 1)
    }

    @Test func inOverloadACallWaitsForTheTarget() {
        var machine = Machine(LoadShedderLimits(places: 1))
        func enter(_ name: String, _ milliseconds: Int) -> String {
            text(machine.enter(name, .critical, at: Self.at(milliseconds)))
        }
        _ = enter("now", 0)
        #expect(enter("a", 50) == "1, 100 ms")
        #expect(enter("b", 149) == "2, 100 ms")
        _ = machine.leave(at: Self.at(149))
        #expect(!machine.isOverloaded(at: Self.at(149)) && machine.isOverloaded(at: Self.at(150)))
        #expect(enter("c", 150) == "2, 5 ms")
        // As soon as nothing waits, the time begins anew.
        _ = (machine.leave(at: Self.at(160)), machine.leave(at: Self.at(160)))
        #expect(!machine.isOverloaded(at: Self.at(160)))
        #expect(enter("d", 300) == "1, 100 ms")
        #expect(enter("e", 399) == "2, 100 ms")
        #expect(enter("f", 400) == "3, 5 ms")
    }

    @Test func aQueueThatEmptiesByTimeoutsIsEmpty() throws {
        var machine = Machine(LoadShedderLimits(places: 1))
        _ = machine.enter("now", .critical, at: Self.at(0))
        guard case .queued(let ticket, _, _, _) = machine.enter("a", .critical, at: Self.at(0))
        else { throw Broken() }
        let (next, left) = machine.leave(ticket, at: Self.at(100))
        #expect(next == nil && left == "a")
        #expect(text(machine.enter("b", .critical, at: Self.at(200))) == "1, 100 ms")
    }

    @Test func inOverloadTheNewestMayComeFirst() {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 3, order: .newestFirstInOverload))
        func enter(_ name: String, _ milliseconds: Int) -> String {
            text(machine.enter(name, .critical, at: Self.at(milliseconds)))
        }
        for name in ["now", "a", "b", "c"] { _ = enter(name, 0) }
        #expect(enter("d", 50) == "refused")
        let first = machine.leave(at: Self.at(60))
        #expect(first == "a")
        _ = enter("e", 60)
        // In overload the oldest would be served last.
        #expect(enter("f", 100) == "3, 5 ms, not b")
        let rest = (0..<4).map { _ in machine.leave(at: Self.at(101)) }
        #expect(rest == ["f", "e", "c", nil])
    }

    /// A waiting call is given up just when it gets its place, and after it has begun.
    @Test func eachTicketHasOneEnd() throws {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 3))
        var tickets: [Machine.Ticket] = []
        for name in ["now", "a", "b"] {
            if case .queued(let ticket, _, _, _) = machine.enter(name, .critical, at: Self.at(0)) {
                tickets.append(ticket)
            }
        }
        _ = machine.leave(at: Self.at(1))
        let (next, left) = machine.leave(tickets[0], at: Self.at(1))
        #expect(next == "b" && left == nil)
        let again = machine.leave(tickets[0], at: Self.at(1))
        #expect(again.next == nil && again.left == nil && machine.inFlight == 1)
        let mayBegin = tickets.map { machine.begin($0) }
        #expect(mayBegin == [false, true])
        _ = machine.leave(tickets[1], at: Self.at(1))
        #expect(machine.inFlight == 1)
        _ = machine.leave(at: Self.at(2))
        #expect(machine.inFlight == 0)
    }
}
