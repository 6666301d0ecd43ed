import Services
import Testing

@testable import Simulation

private final class Numbered: SimulatedEvent {
    let number: Int
    init(_ number: Int) { self.number = number }
}

@Suite struct EventQueueTests {
    /// Against a sorted array.
    @Test func eventsComeInOrderAndThoseOfOneInstantAsTheyWereAdded() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var queue = EventQueue()
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
                queue.add(Numbered(number), at: instant)
                expected.append((instant, number))
            }
            let removed = generator.next() % 3 == 0
            if removed {
                queue.removeAll { ($0 as? Numbered)!.number % 2 == 0 }
                expected.removeAll { $0.number % 2 == 0 }
            }
            #expect(queue.count == expected.count)
            var found: [Int] = []
            while let next = queue.next(until: .max) {
                found.append((next.event as? Numbered)!.number)
            }
            #expect(
                found
                    == expected.sorted { ($0.instant, $0.number) < ($1.instant, $1.number) }.map(
                        \.number))
        }
    }

    @Test func anEventAfterTheEndStays() {
        var queue = EventQueue()
        queue.add(Numbered(1), at: 10)
        #expect(queue.next(until: 9) == nil)
        #expect(queue.firstInstant == 10)
        #expect(queue.next(until: 10)?.instant == 10)
    }

    @Test func aQueueReleasesWhatIsLeft() {
        weak var event: Numbered?
        do {
            var queue = EventQueue()
            let kept = Numbered(1)
            event = kept
            queue.add(kept, at: 1)
        }
        #expect(event == nil)
    }
}
