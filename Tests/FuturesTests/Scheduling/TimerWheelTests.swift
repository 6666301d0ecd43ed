import TestSupport
import Testing

@testable import PledgeFutures

/// The wheel compared with a plain list that is searched each time.
@Suite(.oneAtATime)
struct TimerWheelTests {
    @Test func dueEntriesLeaveATimerWheelInOrderOfTheirInstants() {
        var wheel = TimerWheel()
        let log = Locked<[Int]>([])
        for instant: Int64 in [5_000_000_000, 30, 2_000_000, 1_999_999, 30, 70_000_000_000] {
            _ = wheel.insert(
                at: instant, now: 0, { log.withLock { $0.append(Int(instant)) } })
        }
        while let action = wheel.removeDue(at: 5_000_000_000) { action() }
        #expect(log.withLock { $0 } == [30, 30, 1_999_999, 2_000_000, 5_000_000_000])
        #expect(wheel.count == 1)
    }

    @Test func noEntryOfATimerWheelIsDueEarly() {
        for instant: Int64 in [1, 1 << 20, 1 << 26, (1 << 32) + 5, 1 << 50, .max - 1] {
            var wheel = TimerWheel()
            _ = wheel.insert(at: instant, now: 0, {})
            #expect(wheel.removeDue(at: instant - 1) == nil)
            #expect(wheel.removeDue(at: instant) != nil)
            #expect(wheel.nextWakeUp() == nil)
        }
    }

    @Test func theWakeUpsOfATimerWheelLeadToTheInstant() {
        for instant: Int64 in [1, 1 << 20, (1 << 26) + 7, (1 << 32) + 5, (1 << 50) + 1, .max - 1] {
            var wheel = TimerWheel()
            _ = wheel.insert(at: instant, now: 0, {})
            var steps = 0
            while let wakeUp = wheel.nextWakeUp(), steps < 20 {
                #expect(wakeUp <= TimerWheel.endOfTick(of: instant))
                steps += 1
                if wheel.removeDue(at: wakeUp) != nil {
                    #expect(wakeUp == TimerWheel.endOfTick(of: instant))
                    break
                }
            }
            // One step for each wheel that the entry passes, and the last one.
            #expect(steps <= 9, "\(instant)")
            #expect(wheel.count == 0)
        }
    }

    @Test func aTimerWheelWakesOnceForEntriesDueWithinOneTick() {
        var wheel = TimerWheel()
        let start = 1_000 * TimerWheel.tick
        for offset: Int64 in [0, 1, 1_000, TimerWheel.tick / 2, TimerWheel.tick - 1] {
            _ = wheel.insert(at: start + offset, now: start - 5 * TimerWheel.tick) {}
        }
        let end = start + TimerWheel.tick - 1
        #expect(wheel.nextWakeUp() == end)
        for _ in 0..<5 { #expect(wheel.removeDue(at: end) != nil) }
        #expect(wheel.nextWakeUp() == nil)
    }

    @Test func anEntryIsRemovedFromATimerWheelOnce() {
        var wheel = TimerWheel()
        let first = wheel.insert(at: 10, now: 0, {})
        let second = wheel.insert(at: 1 << 40, now: 0, {})
        #expect(wheel.remove(first) != nil)
        #expect(wheel.remove(first) == nil)
        #expect(wheel.remove(second) != nil)
        #expect(wheel.count == 0)
        // The entry is used again; the old name must not refer to it.
        _ = wheel.insert(at: 10, now: 0, {})
        #expect(wheel.remove(first) == nil)
        #expect(wheel.remove(second) == nil)
        #expect(wheel.count == 1)
    }

    @Test func aTimerWheelGivesTheRoomOfABurstBack() {
        var wheel = TimerWheel()
        let ids = (0..<10_000).map { wheel.insert(at: Int64($0) << 22, now: 0, {}) }
        for id in ids { #expect(wheel.remove(id) != nil) }
        for id in ids { #expect(wheel.remove(id) == nil) }
        #expect(wheel.nextWakeUp() == nil)
    }

    @Test func anEmptyTimerWheelNeedNotCatchUp() {
        var wheel = TimerWheel()
        let now = Int64(400 * 24 * 3_600) * 1_000_000_000
        let instant = now + 5 * TimerWheel.tick
        _ = wheel.insert(at: instant, now: now, {})
        // It is on the first wheel, so the next wake-up is the end of its own tick.
        #expect(wheel.nextWakeUp() == TimerWheel.endOfTick(of: instant))
    }

    @Test(arguments: 0..<200)
    func aTimerWheelAgreesWithAPlainList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var wheel = TimerWheel()
        var list: [(instant: Int64, number: Int, id: TimerWheel.ID)] = []
        var now: Int64 = Int64.random(in: 0...(1 << 40), using: &random)
        let reached = Locked<[Int]>([])
        var number = 0
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let shift = Int64.random(in: 0...44, using: &random)
                let instant = now + Int64.random(in: 0...(1 << shift), using: &random)
                let mine = number
                let name = wheel.insert(
                    at: instant, now: now, { reached.withLock { $0.append(mine) } })
                list.append((instant, number, name))
                number += 1
            case 5..<8:
                guard let index = list.indices.randomElement(using: &random) else { continue }
                #expect(wheel.remove(list.remove(at: index).id) != nil)
            default:
                now += Int64.random(
                    in: 0...(1 << Int64.random(in: 0...43, using: &random)), using: &random)
                while let action = wheel.removeDue(at: now) { action() }
                let due = list.filter { $0.instant <= now }
                    .sorted { ($0.instant, $0.number) < ($1.instant, $1.number) }
                #expect(reached.withLock { $0 } == due.map(\.number), "seed \(seed)")
                reached.withLock { $0 = [] }
                list.removeAll { $0.instant <= now }
            }
            #expect(wheel.count == list.count)
            let first = list.map(\.instant).min()
            let wakeUp = wheel.nextWakeUp()
            #expect((wakeUp == nil) == (first == nil))
            if let first, let wakeUp { #expect(wakeUp <= TimerWheel.endOfTick(of: first)) }
        }
    }
}

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

    @Test(arguments: [(1_000_000, 777_777), (10_000, 0), (10_000, 9_999)])
    func timerEntriesGiveTheRoomOfABurstBackWhileOneEntryRemains(size: Int, survivor: Int) {
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

    @Test func timerEntriesUseTheSameRoomForOneTimerAfterAnother() {
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
    func timerEntriesKeepEachEntryUntilItIsRemoved(seed: UInt64) {
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
