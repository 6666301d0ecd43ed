import PledgeFutures
import Testing

@testable import PledgeServices

/// The machine compared with an array that is sorted for each decision.
@Suite struct LoadShedderOracleTests {
    private struct Call: Equatable {
        let number: Int
        let priority: CallPriority
        let patience: Int
    }

    /// Everything that waits, in its order of arrival.
    private struct Queue {
        let limits: LoadShedderLimits
        var inside = 0
        var waiting: [Call] = []
        var lastEmpty = 0

        /// Notes the time if nothing waits.
        mutating func tick(_ now: Int) { if waiting.isEmpty { lastEmpty = now } }

        func isOverloaded(_ now: Int) -> Bool { !waiting.isEmpty && now - lastEmpty >= 20 }

        /// First the one to be served first.
        func inOrder(_ calls: [Call], _ now: Int) -> [Call] {
            let isNewestFirst = limits.order == .newestFirstInOverload && isOverloaded(now)
            return calls.sorted {
                if $0.priority != $1.priority { return $0.priority > $1.priority }
                return isNewestFirst ? $0.number > $1.number : $0.number < $1.number
            }
        }
    }

    @Test func agreesOverRandomScripts() {
        var generator = SeededGenerator(seed: 37)
        var counts = (displaced: 0, refused: 0, served: 0, left: 0, late: 0)
        for _ in 0..<200 {
            let limits = LoadShedderLimits(
                places: .random(in: 1...3, using: &generator),
                queue: .random(in: 0...5, using: &generator),
                target: .milliseconds(3), interval: .milliseconds(20),
                order: Bool.random(using: &generator) ? .oldestFirst : .newestFirstInOverload)
            var machine = LoadShedderMachine<Int>(limits)
            var queue = Queue(limits: limits)
            var tickets: [Int: LoadShedderMachine<Int>.Ticket] = [:]
            var now = 0
            for number in 0..<300 {
                now += Int.random(in: 0...4, using: &generator)
                queue.tick(now)
                let instant = SchedulerInstant(offset: .milliseconds(now))
                #expect(machine.isOverloaded(at: instant) == queue.isOverloaded(now))
                switch Int.random(in: 0..<5, using: &generator) {
                case 0...2:
                    let patience = queue.isOverloaded(now) ? 3 : 20
                    let call = Call(
                        number: number,
                        priority: CallPriority.allCases.randomElement(using: &generator)!,
                        patience: patience)
                    let all = queue.inOrder(queue.waiting + [call], now)
                    switch machine.enter(number, call.priority, at: instant) {
                    case .admitted:
                        #expect(queue.inside < limits.places && queue.waiting.isEmpty)
                        queue.inside += 1
                    case .refused:
                        #expect(queue.inside == limits.places)
                        #expect(queue.waiting.count == limits.queue && all.last == call)
                        counts.refused += 1
                    case .queued(let ticket, let length, let allowed, let displaced):
                        #expect(queue.inside == limits.places)
                        #expect(allowed == .milliseconds(patience))
                        counts.late += patience == 3 ? 1 : 0
                        queue.waiting.append(call)
                        if let displaced {
                            #expect(all.last?.number == displaced)
                            queue.waiting.removeAll { $0.number == displaced }
                            counts.displaced += 1
                        }
                        #expect(length == queue.waiting.count && length <= limits.queue)
                        tickets[number] = ticket
                    }
                case 3 where queue.inside > 0:
                    let next = machine.leave(at: instant)
                    #expect(next == queue.inOrder(queue.waiting, now).first?.number)
                    if let next, let ticket = tickets[next] {
                        queue.waiting.removeAll { $0.number == next }
                        let mayBegin = machine.begin(ticket)
                        #expect(mayBegin)
                        counts.served += 1
                    } else {
                        queue.inside -= 1
                    }
                default:
                    guard let victim = queue.waiting.randomElement(using: &generator),
                        let ticket = tickets[victim.number]
                    else { break }
                    let (next, left) = machine.leave(ticket, at: instant)
                    #expect(next == nil && left == victim.number)
                    queue.waiting.removeAll { $0 == victim }
                    counts.left += 1
                }
                queue.tick(now)
                #expect(machine.inFlight == queue.inside)
                #expect(machine.queued == queue.waiting.count)
            }
        }
        #expect(counts.displaced > 500 && counts.refused > 500 && counts.served > 500)
        #expect(counts.left > 500 && counts.late > 500)
    }
}
