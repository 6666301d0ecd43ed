import TestSupport
import Testing

@testable import PledgeFutures

@Suite(.oneAtATime) struct RandomSourceTests {
    @Test func aSourceWithTheSameSeedRepeatsItsNumbers() {
        let (first, second) = (
            RandomSource(SeededGenerator(seed: 7)), RandomSource(SeededGenerator(seed: 7))
        )
        let other = RandomSource(SeededGenerator(seed: 8))
        let numbers = (0..<10).map { _ in first.next() }
        #expect(numbers == (0..<10).map { _ in second.next() })
        #expect(numbers != (0..<10).map { _ in other.next() })
        #expect(Set(numbers).count == 10)
    }

    @Test func aSeedGivesTheNumbersOfItsGenerator() {
        var generator = SeededGenerator(seed: 7)
        let source = RandomSource.seeded(7)
        for _ in 0..<10 { #expect(source.next() == generator.next()) }
    }

    @Test(arguments: [(0, 0), (0.5, 1 << 63), (0.25, 1 << 62)] as [(Double, UInt64)])
    func aConstantRandomSourceGivesTheSameFractionOfTheRange(fraction: Double, number: UInt64) {
        let source = RandomSource.constant(fraction)
        #expect((0..<3).map { _ in source.next() } == [number, number, number])
    }

    #if os(macOS) || os(Linux)
    @Test func aConstantRandomSourceTrapsForAFractionOfOne() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RandomSource.constant(1) }
        expectTrap("a fraction from 0 up to 1, not 1.0", in: result)
    }
    #endif

    @Test func copiesOfARandomSourceShareOneGenerator() {
        let source = RandomSource(Counting())
        let copy = source
        #expect(source.next() == 0)
        #expect(copy.next() == 1)
        #expect(source.next() == 2)
    }

    @Test func theSystemsRandomSourceDoesNotRepeat() {
        #expect(Set((0..<100).map { _ in RandomSource.system.next() }).count == 100)
    }

    @Test func anEventOfProbabilityZeroNeverHappensAndOneOfProbabilityOneAlways() {
        let lowest = RandomSource(Constant(0)), highest = RandomSource(Constant(.max))
        #expect(!lowest.happens(withProbability: 0))
        #expect(lowest.happens(withProbability: 0.000001))
        #expect(!highest.happens(withProbability: 0.999999))
        #expect(highest.happens(withProbability: 1))
        let half = RandomSource(Constant(1 << 63))
        #expect(!half.happens(withProbability: 0.5))
        #expect(half.happens(withProbability: 0.51))
    }

    @Test func anEventHappensAboutAsOftenAsItsProbabilitySays() {
        let source = RandomSource(SeededGenerator(seed: 2))
        let count = (0..<10_000).count { _ in source.happens(withProbability: 0.3) }
        #expect((2_850...3_150).contains(count))
    }

    @Test func uniformRandomDurationsReachBothEndsOfTheirRange() {
        let bound = Duration.nanoseconds(9)
        #expect(Duration.uniform(upTo: bound, bits: 0) == .zero)
        #expect(Duration.uniform(upTo: bound, bits: .max) == bound)
        #expect(Duration.uniform(upTo: bound, bits: 1 << 63) == .nanoseconds(5))
        #expect(Duration.uniform(upTo: .zero, bits: .max) == .zero)
        #expect(Duration.uniform(upTo: .seconds(-1), bits: .max) == .zero)
        var seen: [Duration: Int] = [:]
        let source = RandomSource(SeededGenerator(seed: 3))
        for _ in 0..<10_000 { seen[.uniform(upTo: bound, bits: source.next()), default: 0] += 1 }
        #expect(seen.count == 10)
        #expect(seen.values.allSatisfy { (880...1_120).contains($0) })
    }

    @Test func theNanosecondsOfADurationSaturate() {
        #expect(Duration.seconds(2).nanoseconds == 2_000_000_000)
        #expect(
            Duration(secondsComponent: 1, attosecondsComponent: 1_999_999_999).nanoseconds
                == 1_000_000_001)
        #expect(Duration.milliseconds(-1_500).nanoseconds == -1_500_000_000)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
    }
}

@Suite struct SeededGeneratorTests {
    @Test func aSeededGeneratorGivesTheNumbersOfTheReference() {
        // The first numbers of the C reference, splitmix64.c by Sebastiano Vigna, for 1234567.
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }
}
