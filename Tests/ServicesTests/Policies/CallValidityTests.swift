import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct CallValidityTests {
    private let one = "one"
    private let other = "other"

    @Test func aCallIsValidUntilItsKeyIsInvalidated() {
        var calls = CallValidity<String>()
        let (first, second) = (calls.start(one), calls.start(other))
        #expect(calls.isValid(first, one) && calls.isValid(second, other))
        calls.invalidate(one)
        #expect(!calls.isValid(first, one) && calls.isValid(second, other))
        let third = calls.start(one)
        #expect(calls.isValid(third, one) && !calls.isValid(first, one))
        calls.invalidateAll()
        #expect(!calls.isValid(third, one) && !calls.isValid(second, other))
        #expect(calls.isValid(calls.start(one), one))
    }

    @Test func theValidityOfAKeyIsForgottenWithItsLastCall() {
        var calls = CallValidity<String>()
        _ = (calls.start(one), calls.start(one))
        calls.endCall(one)
        #expect(calls.count == 1)
        calls.endCall(one)
        calls.endCall(one)
        calls.invalidate(other)
        #expect(calls.count == 0)
    }

    @Test func theNumbersThatCallValidityGivesRise() {
        var calls = CallValidity<String>()
        let numbers = [
            calls.start(one), calls.number(), calls.start(other), calls.number(),
        ]
        #expect(numbers == numbers.sorted() && Set(numbers).count == 4)
    }
}

@Suite struct InvalidationsTests {
    private func era(_ number: Int) -> Era { Era(number: number) }

    /// Compared with a list of all invalidations: those of the last keys are known exactly, and no key counts
    /// as invalidated earlier than it was.
    @Test(arguments: 0..<20) func theValidityOfCallsAgreesWithAnOracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...5, using: &generator)
        var invalidations = Invalidations<Int>(limit: limit)
        var known: [Int] = []
        var last = Array(repeating: 0, count: 9)
        var all = 0
        for number in 1...1_000 {
            let key = Int.random(in: last.indices, using: &generator)
            if Int.random(in: 0..<40, using: &generator) == 0 {
                let forgotten = invalidations.invalidateAll(in: era(number))
                #expect(forgotten.count == known.count)
                (known, all) = ([], number)
                last = last.map { _ in number }
            } else {
                known.removeAll { $0 == key }
                known.append(key)
                last[key] = number
                let forgotten = known.count > limit ? known.removeFirst() : nil
                if let forgotten { all = last[forgotten] }
                let returned = invalidations.invalidate(key, in: era(number))
                #expect(returned == forgotten)
            }
            for key in last.indices {
                let found = invalidations.last(of: key).number
                #expect(found == (known.contains(key) ? last[key] : all))
                #expect(found >= last[key])
            }
        }
    }

    @Test func invalidatingInAnEarlierEraChangesNothing() {
        var invalidations = Invalidations<Int>(limit: 2)
        #expect(invalidations.isEmpty)
        _ = invalidations.invalidate(1, in: era(5))
        _ = invalidations.invalidate(1, in: era(4))
        #expect(invalidations.last(of: 1) == era(5))
        #expect(invalidations.last(of: 2) == .first)
        #expect(!invalidations.isEmpty)
    }

    @Test func invalidationErasFollowEachOther() {
        let (one, two) = (Era.begin(), Era.begin())
        #expect(one < two && two <= .current)
    }

    @Test func aJoinedCallIsOutdatedWithWhatItWaitsFor() throws {
        JoinedCall.expectMemos()
        let isInvalidated = Locked(false)
        let one = try #require(JoinedCall.make()), two = try #require(JoinedCall.make())
        one.add(two)
        // Calls that wait for each other wait forever, and are asked nevertheless.
        two.add(one)
        two.add { isInvalidated.withLock { $0 } }
        #expect(!one.isOutdated)
        isInvalidated.withLock { $0 = true }
        #expect(one.isOutdated && two.isOutdated)
    }
}
