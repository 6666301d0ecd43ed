import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct AdaptiveConcurrencyMachineTests {
    /// A limit that each sample sets: to its round trip, in milliseconds.
    private struct Dictated: ConcurrencyLimitMachine {
        var limit = 2

        mutating func record(_ sample: ConcurrencySample) {
            limit = Int(sample.roundTrip / 1_000_000)
        }
    }

    private func machine(queue: Int) -> AdaptiveConcurrencyMachine<Int> {
        AdaptiveConcurrencyMachine(Dictated(), queue: queue)
    }

    @Test func placesAreTakenThenTheQueueThenNothing() {
        var machine = machine(queue: 2)
        let entries = (0..<5).map { machine.enter($0) }
        let lengths = entries.map { entry -> Int? in
            switch entry {
            case .admitted(let inFlight): -inFlight
            case .queued(_, let length): length
            case .refused: nil
            }
        }
        #expect(lengths == [-1, -2, 1, 2, nil])
        #expect(machine.inFlight == 2)
        #expect(machine.queued == 2)
        #expect(!machine.hasRoomToWait)
    }

    @Test func aLimitThatHasGrownLetsSeveralIn() {
        var machine = machine(queue: 9)
        for number in 0..<9 { _ = machine.enter(number) }
        let admissions = machine.leave(.made(4))
        #expect(admissions.map(\.waiter) == [2, 3, 4])
        #expect(admissions.map(\.inFlight) == [2, 3, 4])
        #expect(machine.limit == 4)
        #expect(machine.queued == 4)
    }

    @Test func aLimitThatHasShrunkLetsNobodyInUntilEnoughHaveEnded() {
        var machine = machine(queue: 9)
        for number in 0..<9 { _ = machine.enter(number) }
        _ = machine.leave(.made(4))
        #expect(machine.leave(.made(1)).isEmpty)
        #expect(machine.inFlight == 3)
        #expect(machine.enterIfFree() == nil)
        let ends = (0..<3).map { _ in machine.leave(nil).map(\.waiter) }
        #expect(ends == [[], [], [5]])
    }

    @Test func anEndThatSaysNothingLeavesTheLimit() {
        var machine = machine(queue: 0)
        _ = machine.enter(0)
        _ = machine.leave(nil)
        #expect(machine.limit == 2)
        #expect(machine.inFlight == 0)
        #expect(machine.lastSample == nil)
    }

    @Test func whoHasGotAPlaceGivesItToTheNext() {
        var machine = machine(queue: 3)
        let tickets = (0..<5).compactMap { number in
            if case .queued(let ticket, _) = machine.enter(number) { ticket } else { nil }
        }
        _ = machine.leave(nil)
        let departure = machine.leave(tickets[0])
        #expect(departure.left == nil)
        #expect(departure.admissions.map(\.waiter) == [3])
        let other = machine.leave(tickets[2])
        #expect(other.left == 4)
        #expect(other.admissions.isEmpty)
        #expect(machine.inFlight == 2)
    }

    @Test func saysWhetherAllPlacesWereTaken() {
        struct Seen: ConcurrencyLimitMachine {
            var limit = 2
            mutating func record(_ sample: ConcurrencySample) { limit = sample.isFull ? 20 : 10 }
        }
        var machine = AdaptiveConcurrencyMachine<Int>(Seen(), queue: 0)
        for number in 0..<2 { _ = machine.enter(number) }
        _ = machine.leave(.made(1))
        #expect(machine.limit == 20)
        _ = machine.leave(.made(1))
        #expect(machine.limit == 10)
        // One place of the ten is free.
        for number in 0..<9 { _ = machine.enter(number) }
        _ = machine.leave(.made(1))
        #expect(machine.limit == 10)
    }

    @Test func isIdleUnlessItHasLearntOfOverloadInTheLastMinute() {
        var machine = machine(queue: 0)
        let end = SchedulerInstant(offset: .seconds(1_000))
        #expect(machine.isIdle(at: end, initial: 2))
        _ = machine.enter(0)
        #expect(!machine.isIdle(at: end, initial: 2))
        _ = machine.leave(.made(1))
        #expect(machine.isIdle(at: end, initial: 1))
        #expect(!machine.isIdle(at: end.advanced(by: .seconds(60)), initial: 2))
        #expect(machine.isIdle(at: end.advanced(by: .seconds(61)), initial: 2))
    }

    /// Compared with two arrays.
    @Test func agreesWithASequentialOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 29)
        var refusals = 0, departures = 0, several = 0
        for _ in 0..<200 {
            let queue = Int.random(in: 0...5, using: &generator)
            var machine = machine(queue: queue), limit = 2
            var inside: [Int] = [], waiting: [Int] = [],
                tickets: [Int: AdaptiveConcurrencyMachine<Int>.Ticket] = [:]
            for call in 0..<300 {
                if Bool.random(using: &generator) {
                    let entry = machine.enter(call)
                    if inside.count < limit {
                        inside.append(call)
                        #expect(entry == .admitted(inFlight: inside.count))
                    } else if waiting.count < queue {
                        waiting.append(call)
                        guard case .queued(let ticket, waiting.count) = entry else {
                            Issue.record("\(call) is to wait, not \(entry)")
                            return
                        }
                        tickets[call] = ticket
                    } else {
                        #expect(entry == .refused)
                        refusals += 1
                    }
                } else if let call = (inside + waiting).randomElement(using: &generator) {
                    let wasWaiting = waiting.contains(call)
                    let saysNothing = wasWaiting || Bool.random(using: &generator)
                    if !saysNothing { limit = Int.random(in: 1...6, using: &generator) }
                    let admissions: [AdaptiveConcurrencyMachine<Int>.Admission]
                    if wasWaiting, let ticket = tickets[call] {
                        let departure = machine.leave(ticket)
                        #expect(departure.left == call)
                        admissions = departure.admissions
                        departures += 1
                    } else {
                        admissions = machine.leave(saysNothing ? nil : .made(limit))
                    }
                    inside.removeAll { $0 == call }
                    waiting.removeAll { $0 == call }
                    let free = wasWaiting ? 0 : max(0, limit - inside.count)
                    let next = Array(waiting.prefix(free))
                    #expect(admissions.map(\.waiter) == next)
                    if next.count > 1 { several += 1 }
                    inside += next
                    waiting.removeFirst(next.count)
                }
                #expect(machine.inFlight == inside.count)
                #expect(machine.queued == waiting.count)
            }
        }
        #expect(refusals > 1_000 && departures > 1_000 && several > 100)
    }
}
