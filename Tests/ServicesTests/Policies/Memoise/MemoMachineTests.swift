import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct MemoMachineTests {
    typealias Machine = MemoMachine<Int, Int>

    func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// Compared with a list of all kept answers, over random calls, ends, invalidations and times.
    @Test(arguments: 0..<20) func agreesWithASequentialOracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...4, using: &generator)
        var machine = Machine(timeToLive: .milliseconds(20), limit: limit)
        var oracle = Oracle(timeToLive: 20, limit: limit)
        var open: [(call: Int, key: Int)] = []
        var now = Int.random(in: -50...50, using: &generator)
        for step in 0..<1_000 {
            now += Int.random(in: 0...3, using: &generator)
            let key = Int.random(in: 0..<6, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<12:
                switch machine.look(up: key, at: at(now)).answer {
                case .hit(let value): #expect(oracle.look(up: key, at: now) == value)
                case .miss(let call, let since):
                    #expect(oracle.look(up: key, at: now) == nil)
                    #expect(since.number == oracle.invalidated[key])
                    oracle.calls[call] = true
                    open.append((call, key))
                }
            case 12..<18:
                guard let index = open.indices.randomElement(using: &generator) else { continue }
                let (call, key) = open.remove(at: index)
                let value = Bool.random(using: &generator) ? step : nil
                _ = machine.end(call: call, key, value, at: at(now))
                oracle.end(call, key, value, at: now)
            case 18:
                _ = machine.invalidate(key, in: Era(number: step))
                oracle.invalidated[key] = step
                oracle.kept.removeAll { $0.key == key }
                for (call, other) in open where other == key { oracle.calls[call] = false }
            default:
                guard Int.random(in: 0..<5, using: &generator) == 0 else { continue }
                _ = machine.invalidateAll(in: Era(number: step))
                oracle.invalidated = oracle.invalidated.map { _ in step }
                oracle.kept = []
                for (call, _) in open { oracle.calls[call] = false }
            }
            let count = machine.count(at: at(now)).0
            #expect(count == oracle.count(at: now))
            #expect(count <= limit)
        }
    }

    struct Oracle {
        struct Kept {
            var key: Int
            var value: Int
            var call: Int
            var since: Int
        }

        let timeToLive: Int
        let limit: Int
        /// In order of use, the least recently used first.
        var kept: [Kept] = []
        /// Whether the answer of a call under way may be kept.
        var calls: [Int: Bool] = [:]
        /// The step of each key's last invalidation.
        var invalidated = Array(repeating: 0, count: 6)

        mutating func count(at now: Int) -> Int {
            kept.removeAll { now - $0.since >= timeToLive }
            return kept.count
        }

        mutating func look(up key: Int, at now: Int) -> Int? {
            _ = count(at: now)
            guard let index = kept.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = kept.remove(at: index)
            kept.append(entry)
            return entry.value
        }

        mutating func end(_ call: Int, _ key: Int, _ value: Int?, at now: Int) {
            _ = count(at: now)
            guard let value, calls[call] == true else { return }
            if let index = kept.firstIndex(where: { $0.key == key }) {
                if kept[index].call > call { return }
                kept.remove(at: index)
            } else if kept.count == limit {
                kept.removeFirst()
            }
            kept.append(Kept(key: key, value: value, call: call, since: now))
        }
    }

    @Test func whatIsTakenOutIsGivenBack() {
        var machine = Machine(timeToLive: .milliseconds(10), limit: 2)
        for key in 1...2 {
            guard case .miss(let call, _) = machine.look(up: key, at: at(key)).answer else {
                return
            }
            _ = machine.end(call: call, key, key * 100, at: at(key))
        }
        guard case .miss(let call, _) = machine.look(up: 3, at: at(5)).answer else { return }
        let end = machine.end(call: call, 3, 300, at: at(5))
        #expect(end.removed.map(\.value) == [100])
        #expect(end.key == 3)
        let expired = machine.look(up: 9, at: at(12)).removed
        #expect(expired.map(\.value) == [200])
        let all = machine.invalidateAll(in: .first)
        #expect(all.removed.map(\.value) == [300])
    }

    /// A thread that read the clock earlier than another thread does not restore an expired answer.
    @Test func anInstantThatLiesBackCountsAsTheLatest() {
        var machine = Machine(timeToLive: .milliseconds(10), limit: 2)
        guard case .miss(let call, _) = machine.look(up: 1, at: at(5)).answer else { return }
        _ = machine.end(call: call, 1, 100, at: at(0))
        guard case .hit = machine.look(up: 1, at: at(14)).answer else {
            Issue.record("it is kept from 5 on")
            return
        }
        guard case .miss = machine.look(up: 1, at: at(15)).answer else {
            Issue.record("it is kept until 15")
            return
        }
    }
}
