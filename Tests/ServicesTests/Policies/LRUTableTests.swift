import TestSupport
import Testing

@testable import PledgeServices

@Suite struct LRUTableTests {
    /// A slow model: an array in the order of use, and the held entries.
    private struct Model {
        var order: [Int] = []
        var held: Set<Int> = []
    }

    @Test(arguments: 0..<20) func anLRUTableAgreesWithAnArrayInTheOrderOfUse(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = LRUTable<Int, String>()
        var model = Model()
        for _ in 0..<500 {
            let key = Int.random(in: 0..<12, using: &random)
            guard let slot = table.slot(of: key) else {
                let isHeld = Bool.random(using: &random)
                table.insert(key, "\(key)", isHeld: isHeld)
                if isHeld { model.held.insert(key) } else { model.order.append(key) }
                continue
            }
            #expect(table[slot].map { "\($0.key)" == $0.value } == true)
            if model.held.contains(key) {
                table.release(slot)
                model.held.remove(key)
                model.order.append(key)
                continue
            }
            model.order.removeAll { $0 == key }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                table.use(slot)
                model.order.append(key)
            case 1:
                table.hold(slot)
                model.held.insert(key)
            default:
                #expect(table.remove(slot)?.value == "\(key)")
                #expect(table.slot(of: key) == nil && table[slot] == nil)
            }
            #expect(table.oldest.flatMap { table[$0]?.key } == model.order.first)
            #expect(table.count == model.order.count + model.held.count)
            #expect(Set(table.values) == Set((model.order + model.held).map { "\($0)" }))
        }
    }

    @Test func changingAValueInAnLRUTableDoesNotCountAsUse() {
        var table = LRUTable<String, Int>()
        let first = table.insert("first", 1)
        table.insert("second", 2)
        table.update(first) { $0 += 10 }
        #expect(table[first]?.value == 11 && table.oldest == first)
    }
}

@Suite struct SlotOrderTests {
    @Test func theFirstOfAnLRUTableIsTheOldest() {
        var order = SlotOrder()
        #expect(order.first == nil)
        for slot in [3, 0, 7] { order.append(slot) }
        #expect(order.first == 3)
        order.remove(3)
        #expect(order.first == 0)
        order.append(3)
        order.remove(0)
        #expect(order.first == 7)
        order.remove(7)
        order.remove(3)
        #expect(order.first == nil)
    }

    @Test func anOrderedTableAgreesWithAnArray() {
        var generator = SeededGenerator(seed: 3)
        var order = SlotOrder()
        var list: [Int] = []
        for _ in 0..<5_000 {
            let slot = Int.random(in: 0..<20, using: &generator)
            if let index = list.firstIndex(of: slot) {
                list.remove(at: index)
                order.remove(slot)
            } else {
                list.append(slot)
                order.append(slot)
            }
            #expect(order.first == list.first)
        }
    }
}
