import TestSupport
import Testing

@testable import PledgeFutures

@Suite struct BinaryHeapTests {
    private final class Element: HeapElement {
        let key: Int
        var index = -1

        init(_ key: Int) { self.key = key }

        func isBefore(_ other: Element) -> Bool { key < other.key }
        func didMove(to index: Int) { self.index = index }
    }

    /// Compared with an array that is sorted each time.
    @Test(arguments: 0..<100)
    func aHeapAgreesWithASortedArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = BinaryHeap<Element>()
        var model: [Element] = []
        for key in 0..<300 {
            if model.isEmpty || Int.random(in: 0..<5, using: &random) < 3 {
                let element = Element(Int.random(in: 0...1_000, using: &random) * 1_000 + key)
                heap.insert(element)
                model.append(element)
                model.sort { $0.key < $1.key }
            } else {
                // The first element in half of the cases.
                let isFirst = Bool.random(using: &random)
                let place = isFirst ? 0 : Int.random(in: 0..<model.count, using: &random)
                let element = model.remove(at: place)
                #expect(heap.remove(at: element.index) === element)
            }
            #expect(heap.first === model.first)
        }
        #expect(Set(model.map(\.index)) == Set(0..<model.count))
    }
}
