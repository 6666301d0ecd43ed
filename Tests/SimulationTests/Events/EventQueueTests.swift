import PledgeServices
import Testing

@testable import PledgeSimulation

private final class Numbered: SimulatedEvent {
    let number: Int
    init(_ number: Int) { self.number = number }
}

@Suite struct EventQueueTests {
    /// Against a sorted array.
    @Test func eventsComeInOrderAndThoseOfOneInstantAsTheyWereAdded() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let queue = EventQueue()
            var events: [Numbered] = []
            var expected: [(instant: Nanoseconds, number: Int)] = []
            for number in 0..<Int(generator.next() % 200) {
                if generator.next() % 4 == 0,
                    let first = expected.min(by: {
                        ($0.instant, $0.number) < ($1.instant, $1.number)
                    })
                {
                    let taken = queue.next(until: .max)
                    #expect(taken?.instant == first.instant)
                    #expect((taken?.event as? Numbered)?.number == first.number)
                    expected.removeAll { $0.number == first.number }
                }
                let instant = Nanoseconds(generator.next() % 20)
                events.append(Numbered(number))
                queue.add(events[number], at: instant)
                expected.append((instant, number))
            }
            if generator.next() % 3 == 0 {
                // Those that were taken already are in no queue, and nothing happens.
                for event in events where event.number % 2 == 0 { queue.remove(event) }
                expected.removeAll { $0.number % 2 == 0 }
            }
            var found: [Int] = []
            while let next = queue.next(until: .max) {
                found.append((next.event as? Numbered)!.number)
            }
            #expect(found.count == expected.count)
            #expect(
                found
                    == expected.sorted { ($0.instant, $0.number) < ($1.instant, $1.number) }.map(
                        \.number))
        }
    }

    @Test func anEventAfterTheEndStays() {
        let queue = EventQueue()
        queue.add(Numbered(1), at: 10)
        #expect(queue.next(until: 9) == nil)
        #expect(queue.firstInstant == 10)
        #expect(queue.next(until: 10)?.instant == 10)
    }

    @Test func aQueueReleasesWhatIsLeft() {
        weak var event: Numbered?
        do {
            let queue = EventQueue()
            let kept = Numbered(1)
            event = kept
            queue.add(kept, at: 1)
        }
        #expect(event == nil)
    }
}
