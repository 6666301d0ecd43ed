import PledgeSimulation
import Testing

@Suite struct RandomFaultsTests {
    private let scenario = Scenario(
        hosts: 5, each: HostSettings(serviceTime: .constant(.milliseconds(10))),
        arrivals: .even(rate: 20), duration: .seconds(100))

    @Test func aSeedDrawsTheSameFaults() {
        // The same on every machine.
        #expect(
            RandomFaults().faults(for: 7, in: scenario).map(\.description) == [
                "16.509 s to 26.267 s: host 0 loses 8 % of its messages",
                "50.358 s to 56.642 s: host 3 is paused",
            ])
    }

    @Test func faultsAreWithinTheirBounds() {
        var random = RandomFaults()
        random.count = 2...4
        random.part = 0.2...0.5
        random.length = 0.05...0.1
        for seed in 1...500 {
            let faults = random.faults(for: UInt64(seed), in: scenario)
            #expect((2...4).contains(faults.count))
            for fault in faults {
                let end = fault.end ?? .zero
                #expect(fault.time >= .seconds(20) && end <= .seconds(50))
                let length = end - fault.time
                #expect(length >= .milliseconds(4_999) && length <= .milliseconds(10_001))
                #expect(!fault.hosts.isEmpty && fault.hosts.allSatisfy { 0..<5 ~= $0 })
                #expect(Set(fault.hosts).count == fault.hosts.count && fault.hosts.count <= 2)
            }
        }
    }

    @Test func eachSeedUsesSomeOfTheKinds() {
        let kinds = ["takes", "paused", "down", "fails", "loses", "reached"]
        var seen: Set<Set<String>> = []
        for seed in 1...500 {
            let texts = RandomFaults().faults(for: UInt64(seed), in: scenario).map(\.description)
            seen.insert(Set(kinds.filter { kind in texts.contains { $0.contains(kind) } }))
        }
        #expect(Set(seen.flatMap { $0 }) == Set(kinds))
        #expect(kinds.allSatisfy { seen.contains([$0]) })
        #expect(seen.count > 30)
    }

    @Test func onlyTheWantedKindsAreDrawn() {
        var random = RandomFaults()
        random.kinds = [.pause]
        for seed in 1...50 {
            let texts = random.faults(for: UInt64(seed), in: scenario).map(\.description)
            #expect(!texts.isEmpty && texts.allSatisfy { $0.hasSuffix("is paused") })
        }
        random.kinds = []
        #expect(random.faults(for: 1, in: scenario).isEmpty)
    }
}
