import TestSupport
import Testing

@testable import PledgeFutures

@Suite(.oneAtATime)
struct TimerEntriesTests {
    /// The number of entries that fit.
    private func capacity(of entries: TimerEntries) -> Int {
        entries.slabs.reduce(0) { $0 + $1.entries.count }
    }

    private func add(_ number: UInt64, to entries: inout TimerEntries) -> Int32 {
        let index = entries.nextIndex()
        entries.put(.init(instant: Int64(number), number: number, action: {}), at: index)
        return index
    }

    @Test(
        "F9: a burst leaves no room behind while one entry remains",
        arguments: [(1_000_000, 777_777), (10_000, 0), (10_000, 9_999)])
    func aBurst(size: Int, survivor: Int) {
        var entries = TimerEntries()
        let indices = (1...UInt64(size)).map { add($0, to: &entries) }
        #expect(capacity(of: entries) >= size)
        for (number, index) in indices.enumerated() where number != survivor {
            _ = entries.remove(index)
        }
        #expect(entries.count == 1)
        // The slab of the entry, and the one that became empty last.
        #expect(capacity(of: entries) <= 128)
        #expect(entries.holds(UInt64(survivor + 1), at: indices[survivor]))
        _ = entries.remove(indices[survivor])
        #expect(entries.slabs.isEmpty)
    }

    @Test func oneTimerAfterAnotherNeedsNoNewRoom() {
        var entries = TimerEntries()
        var places: Set<UnsafeRawPointer> = []
        for number in 1...10 as ClosedRange<UInt64> {
            let index = add(number, to: &entries)
            entries.slabs[0].entries.withUnsafeBytes { _ = places.insert($0.baseAddress!) }
            _ = entries.remove(index)
        }
        #expect(places.count == 1)
    }

    /// Compared with a list of the entries.
    @Test(arguments: 0..<20)
    func anEntryStaysUntilItIsRemoved(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var entries = TimerEntries()
        var model: [(index: Int32, number: UInt64)] = []
        var gone: [(index: Int32, number: UInt64)] = []
        for number in 1...3_000 as ClosedRange<UInt64> {
            // Grows for a while, then shrinks, repeatedly.
            if number / 300 % 2 == 0 || model.isEmpty || Int.random(in: 0..<4, using: &random) == 0
            {
                model.append((add(number, to: &entries), number))
            } else {
                model.swapAt(Int.random(in: 0..<model.count, using: &random), model.count - 1)
                gone.append(model.removeLast())
                #expect(entries.remove(gone[gone.count - 1].index) != nil)
            }
        }
        #expect(entries.count == model.count)
        #expect(Set(model.map(\.index)).count == model.count)
        for (index, number) in model {
            #expect(entries.holds(number, at: index) && entries[index].instant == Int64(number))
        }
        #expect(!gone.contains { entries.holds($0.number, at: $0.index) })
    }
}
