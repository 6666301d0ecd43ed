import TestSupport
import Testing

@testable import PledgeServices

@Suite struct SlotOrderTests {
    @Test func theFirstIsTheOldest() {
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

    @Test func agreesWithAnArray() {
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
