import CAllocations
import Testing

@testable import benchmarks

@Suite(.serialized) struct MeasurementTests {
    private final class Empty {}

    @Test func theWaysTakeTurns() async {
        let turns = Turns()
        let ways = ["A", "B"].map { name in
            Way(measuring: name) { count in
                await turns.add(name)
                return Cost(time: .microseconds(count), allocations: 0, bytes: 0)
            }
        }
        let samples = await Measurement(roundLength: .microseconds(4), rounds: 3)
            .run(Case(name: "turns", counted: 0, ways: ways))
        #expect(await turns.names.suffix(6) == ["A", "B", "A", "B", "A", "B"])
        #expect(samples.map(\.rounds) == [[1_000, 1_000, 1_000], [1_000, 1_000, 1_000]])
    }

    /// Rounds of the first attempts differ, those of a later one do not.
    @Test(arguments: [0, 1, 3, 9]) func anUnsteadyCaseIsMeasuredAgain(unsteadyAttempts: Int) async {
        let turns = Turns()
        // The count is found out, and the rounds are run, in each attempt.
        let way = Way(measuring: "way") { count in
            await turns.add("run")
            let (runs, isRound) = (await turns.names.count, count == 1_000)
            let isUnsteady = runs <= unsteadyAttempts * 10 && isRound && runs % 2 == 0
            return Cost(
                time: .microseconds(isUnsteady ? 3 * count : count), allocations: 0, bytes: 0)
        }
        let measurement = Measurement(roundLength: .milliseconds(1), rounds: 5, attempts: 6)
        let samples = await measurement.samples(of: Case(name: "case", counted: 0, ways: [way]))
        #expect(samples[0].isUnsteady == (unsteadyAttempts == 9))
    }

    @Test func aFirstRunThatIsSlowDoesNotMakeTheRoundsShort() async {
        let turns = Turns()
        let way = Way(measuring: "cold") { count in
            let isFirst = await turns.names.isEmpty
            await turns.add("run")
            let time = Duration.microseconds(isFirst ? 1_000 : count)
            return Cost(time: time, allocations: 0, bytes: 0)
        }
        let measurement = Measurement(roundLength: .microseconds(4_000), rounds: 1)
        #expect(await measurement.count(for: way) == 4_000)
    }

    @Test(.enabled(if: allocations_can_be_counted()))
    func onlyWhatEachOperationAllocatesIsCounted() async {
        let way = Way("objects") { count in
            for _ in 0..<7 { keep(object: Empty()) }
            for _ in 0..<count {
                keep(object: Empty())
                keep(object: Empty())
            }
        }
        let found = await Measurement.quick.allocations(of: way, over: 10_000)
        #expect(found.number.rounded() == 2)
        #expect(found.bytes.rounded() == 32)
    }
}

private actor Turns {
    var names: [String] = []
    func add(_ name: String) { names.append(name) }
}
