import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

/// The table of keys compared with a list that is searched.
@Suite struct KeyTableTests {
    typealias Table = KeyTable<Int, Int>

    /// The same as a list: the keys in the order in which they became unused, those in use at the end.
    struct Naive {
        var keys: [(key: Int, value: Int, users: Int)] = []

        func index(of key: Int) -> Int? { keys.firstIndex { $0.key == key } }

        var unused: [Int] { keys.filter { $0.users == 0 }.map(\.key) }
    }

    @Test(arguments: 0..<200) func itDoesWhatTheListDoes(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let limit = Int.random(in: 1...4, using: &generator)
        var table = Table(limit: limit)
        var naive = Naive()
        var slots: [Int: Int] = [:]
        for step in 0..<200 {
            let key = Int.random(in: 0..<6, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let entered = table.enter(key, adding: step)
                if let index = naive.index(of: key) {
                    naive.keys[index].users += 1
                    #expect(entered?.1 == naive.keys[index].value)
                } else if naive.keys.count < limit {
                    naive.keys.append((key, step, 1))
                    #expect(entered?.1 == step)
                } else {
                    #expect(entered == nil)
                }
                slots[key] = entered?.slot
            case 1:
                guard let index = naive.index(of: key), naive.keys[index].users > 0,
                    let slot = slots[key]
                else { break }
                table.leave(slot)
                naive.keys[index].users -= 1
                if naive.keys[index].users == 0 { naive.keys.append(naive.keys.remove(at: index)) }
            case 2:
                guard let oldest = table.oldest else {
                    #expect(naive.unused.isEmpty)
                    break
                }
                let removed = table.remove(oldest)
                #expect(removed?.0 == naive.unused.first)
                naive.keys.removeAll { $0.key == removed?.0 }
            default:
                guard let oldest = table.oldest, let first = naive.unused.first,
                    let index = naive.index(of: first)
                else { break }
                table.postpone(oldest)
                naive.keys.append(naive.keys.remove(at: index))
            }
            #expect(table.count == naive.keys.count)
            #expect(table.idleCount == naive.unused.count)
            #expect(table.isFull == (naive.keys.count >= limit))
        }
    }

    @Test func aKeyThatWasUsedInTheMeantimeIsNotRemoved() throws {
        var table = Table(limit: 2)
        let slot = try #require(table.enter(1, adding: 10)?.slot)
        table.leave(slot)
        let oldest = try #require(table.oldest)
        _ = table.enter(1)
        #expect(table.remove(oldest) == nil)
        table.leave(slot)
        #expect(table.remove(oldest) == nil)
        #expect(table.count == 1)
    }
}
