import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeSimulation

@Suite struct MinimalFailureTests {
    @Test func aSubsetHasOnlyWhatMakesItFail() {
        for needed in [[], [0], [9], [4, 5], [0, 3, 9], Set(0..<10)] as [Set<Int>] {
            let found = MinimalFailure.subset(of: Array(0..<10)) { needed.isSubset(of: $0) }
            #expect(Set(found) == needed && found == found.sorted())
        }
    }

    @Test func nothingIsTriedForAnEmptySet() {
        #expect(MinimalFailure.subset(of: [Int]()) { _ in false }.isEmpty)
    }

    @Test func noSingleElementOfTheLeastSubsetCanBeRemoved() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            // Fails with an odd number of elements of a random set, which is not monotone.
            let odd = Set((0..<12).filter { _ in generator.next() % 2 == 0 })
            let fails: ([Int]) -> Bool = { odd.intersection($0).count % 2 == 1 }
            var tries = 0
            let found = MinimalFailure.subset(of: Array(0..<12)) {
                tries += 1
                return fails($0)
            }
            guard fails(Array(0..<12)) else { continue }
            #expect(fails(found))
            for index in found.indices {
                #expect(!fails(found.enumerated().filter { $0.offset != index }.map(\.element)))
            }
            #expect(tries <= 12 * 12 + 3 * 12)
        }
    }

    @Test func oneOfManyElementsIsFoundInFewTries() {
        var tries = 0
        let found = MinimalFailure.subset(of: Array(0..<1_000)) {
            tries += 1
            return $0.contains(700)
        }
        #expect(found == [700] && tries <= 30)
    }

    @Test func theLeastNumberIsFoundByHalving() {
        for least in [1, 2, 7, 99, 100] {
            var tries = 0
            let found = MinimalFailure.number(upTo: 100, from: 1) {
                tries += 1
                return $0 >= least
            }
            #expect(found == least && tries <= 8)
        }
        #expect(MinimalFailure.number(upTo: 5, from: 5) { _ in false } == 5)
    }
}
