import Testing

@testable import PledgeServices

@Suite struct VegasLimitTests {
    /// A limit whose shortest round trip is 100 milliseconds.
    private func machine(_ initial: Int, max: Int = 1_000, seed: UInt64 = 1) -> VegasLimit {
        var machine = VegasLimit(
            initial: initial, bounds: 1...max, SeededGenerator(seed: seed))
        machine.record(.made(100, inFlight: initial))
        return machine
    }

    @Test func theFirstAnswerOnlyMeasures() {
        #expect(machine(20).limit == 20)
    }

    /// Of 20 calls, 20·(1 − 100 ÷ round trip) wait.
    @Test(arguments: [
        (100, 26), (105, 26), (106, 21), (111, 21), (112, 20), (142, 20), (143, 19), (900, 19),
    ])
    func followsTheEstimateOfTheQueue(milliseconds: Int, limit: Int) {
        #expect(machine(20).limit(after: .made(milliseconds, inFlight: 20)) == limit)
    }

    /// Its steps are those of the decimal logarithm: 2 from 100 on.
    @Test(arguments: [(101, 212), (102, 202), (103, 200), (106, 200), (107, 198)])
    func stepsGrowWithTheLimit(milliseconds: Int, limit: Int) {
        #expect(machine(200).limit(after: .made(milliseconds, inFlight: 200)) == limit)
    }

    @Test func aLimitThatIsNotUsedStays() {
        #expect(machine(20).limit(after: .made(100, inFlight: 9)) == 20)
        #expect(machine(20).limit(after: .made(100, inFlight: 10)) == 26)
        #expect(machine(20).limit(after: .made(900, inFlight: 9)) == 20)
    }

    @Test func aDropShrinksTheLimitHoweverMuchIsUsed() {
        #expect(machine(20).limit(after: .made(100, inFlight: 1, isDrop: true)) == 19)
        #expect(machine(200).limit(after: .made(100, inFlight: 1, isDrop: true)) == 198)
    }

    @Test func theTimeOfADropIsNotTheShortest() {
        var machine = machine(20)
        machine.record(.made(1, inFlight: 20, isDrop: true))
        #expect(machine.limit(after: .made(100, inFlight: 20)) == 25)
    }

    @Test func aShorterRoundTripIsTheShortest() {
        var machine = machine(20)
        machine.record(.made(50, inFlight: 20))
        #expect(machine.limit == 20)
        #expect(machine.limit(after: .made(100, inFlight: 20)) == 19)
    }

    @Test func staysWithinItsBounds() {
        #expect(machine(20, max: 24).limit(after: .made(100, inFlight: 20)) == 24)
        #expect(machine(1).limit(after: .made(900, isDrop: true)) == 1)
    }

    /// How many answers of a longer time come until it is taken for the shortest.
    private func answersUntilMeasured(
        _ milliseconds: Int, by machine: inout VegasLimit
    ) -> Int {
        var count = 0
        while count < 1_000, machine.limit(after: .made(milliseconds, inFlight: 20)) != 26 {
            machine.record(.made(milliseconds, inFlight: 1))
            count += 1
        }
        return count
    }

    /// The shortest round trip is measured anew after 15 to 30 samples for each place, at random.
    @Test func measuresAnewNowAndThen() {
        let counts = (1...50).map { seed -> Int in
            var machine = machine(20, seed: UInt64(seed))
            // The first answer of the machine counts too.
            return 1 + answersUntilMeasured(200, by: &machine)
        }
        #expect(counts.allSatisfy { (300...600).contains($0) })
        #expect(counts.min()! < 330 && counts.max()! > 570)
    }

    @Test func theTimeToTheNextMeasurementDiffersEachTime() {
        let counts = (1...10).map { seed -> (Int, Int) in
            var machine = machine(20, seed: UInt64(seed))
            return (
                answersUntilMeasured(200, by: &machine), answersUntilMeasured(400, by: &machine)
            )
        }
        #expect(counts.count { abs($0 - $1) > 9 } > 5)
    }

    @Test func measuresAnewAgainAfterwards() {
        var machine = machine(20)
        for milliseconds in [200, 400, 800] {
            for _ in 0..<600 { machine.record(.made(milliseconds, inFlight: 1)) }
            #expect(machine.limit(after: .made(milliseconds, inFlight: 20)) == 26)
        }
    }
}
