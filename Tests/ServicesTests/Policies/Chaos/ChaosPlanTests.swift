import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct ChaosPlanTests {
    /// A source of the given numbers; it fails the test if more are drawn.
    struct Listed: RandomNumberGenerator, Sendable {
        var numbers: [UInt64]
        let drawn: Locked<Int>

        mutating func next() -> UInt64 {
            drawn.withLock { $0 += 1 }
            guard !numbers.isEmpty else {
                Issue.record("more numbers were drawn than listed")
                return 0
            }
            return numbers.removeFirst()
        }
    }

    func plan(_ faults: [ChaosFault<Int>], _ numbers: [UInt64]) -> ChaosPlan {
        let drawn = Locked(0)
        let plan = ChaosPlan(
            of: faults, random: RandomSource(Listed(numbers: numbers, drawn: drawn)))
        #expect(drawn.withLock { $0 } == numbers.count, "all the listed numbers are drawn")
        return plan
    }

    static let half: UInt64 = 1 << 63

    @Test func aFaultHappensBelowItsProbability() {
        let fault = ChaosFault<Int>.failure(probability: 0.5)
        #expect(plan([fault], [Self.half - 2048]).failure == 0)
        #expect(plan([fault], [Self.half]).failure == nil)
    }

    @Test func neverAndAlways() {
        #expect(plan([.failure(probability: 0)], [0]).failure == nil)
        #expect(plan([.failure(probability: 1)], [.max]).failure == 0)
    }

    @Test func aLatencyDrawsItsLengthFromTheRange() {
        let fault = ChaosFault<Int>.latency(
            .milliseconds(10) ... .milliseconds(30), probability: 0.5)
        #expect(plan([fault], [0, 0]).latency == .milliseconds(10))
        #expect(plan([fault], [0, .max]).latency == .milliseconds(30))
        #expect(plan([fault], [0, Self.half]).latency == .milliseconds(20))
        #expect(plan([fault], [Self.half]).latency == .zero)
    }

    @Test func latenciesAddUpAndTheFirstFailureCounts() {
        let faults: [ChaosFault<Int>] = [
            .latency(.milliseconds(5), probability: 1), .failure(probability: 0.5),
            .outcome(probability: 1) { try $0.get() }, .failure(probability: 0.5),
            .latency(.milliseconds(6), probability: 1), .outcome(probability: 0) { try $0.get() },
            .failure(probability: 1),
        ]
        let some = plan(faults, [0, 0, .max, 0, 0, 0, 0, 0, 0])
        #expect(some.latency == .milliseconds(11))
        #expect(some.failure == 3)
        #expect(some.alterations == [2])
        #expect(plan(faults, [0, 0, .max, 0, .max, 0, 0, 0, 0]).failure == 6)
    }

    @Test func ofNothingItIsNothing() {
        #expect(plan([], []) == plan([.failure(probability: 0)], [7]))
        #expect(plan([], []).latency == .zero)
    }

    /// A plan made as the documentation describes it: draw by draw, from the same numbers.
    @Test func oracle() {
        for seed in 0..<300 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            var expectedLatency = Duration.zero
            var expectedFailure: Int?
            var expectedAlterations: [Int] = []
            var draws = SeededGenerator(seed: seed &+ 1_000)
            var faults: [ChaosFault<Int>] = []
            for index in 0..<Int.random(in: 0...6, using: &chance) {
                let percent = Int.random(in: 0...100, using: &chance)
                let kind = Int.random(in: 0..<3, using: &chance)
                let least = Int.random(in: 0...50, using: &chance)
                let span = Int.random(in: 0...50, using: &chance)
                let happens = Double(draws.next()) / 0x1p64 < Double(percent) / 100
                let probability = Double(percent) / 100
                switch kind {
                case 0:
                    faults.append(
                        .latency(
                            .nanoseconds(least) ... .nanoseconds(least + span),
                            probability: probability))
                    if happens {
                        let share = draws.next().multipliedFullWidth(by: UInt64(span + 1)).high
                        expectedLatency += .nanoseconds(least + Int(share))
                    }
                case 1:
                    faults.append(.failure(probability: probability))
                    if happens, expectedFailure == nil { expectedFailure = index }
                default:
                    faults.append(.outcome(probability: probability) { try $0.get() })
                    if happens { expectedAlterations.append(index) }
                }
            }
            let plan = ChaosPlan(
                of: faults, random: RandomSource(SeededGenerator(seed: seed &+ 1_000)))
            #expect(plan.latency == expectedLatency)
            #expect(plan.failure == expectedFailure)
            #expect(plan.alterations == expectedAlterations)
        }
    }
}
