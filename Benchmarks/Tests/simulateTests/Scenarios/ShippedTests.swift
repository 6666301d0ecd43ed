import Testing

@testable import simulate

@Suite(.serialized)
struct ShippedTests {
    private let settings = ScenarioSettings.ofTests

    /// While fewer than half of the hosts are bad, the share of calls that are answered well within each time is at most
    /// two points below the share without policies.
    @Test(arguments: ShippedTrial.all.filter { $0.bad <= 2 })
    func theShippedClientIsNoWorseThanNoPolicies(trial: ShippedTrial) {
        if settings.isShort, !trial.isInShortForm { return }
        let shipped = trial.outcome(of: .shipped, settings).within
        let plain = trial.outcome(of: .withoutPolicies, settings).within
        for (limit, (shipped, plain)) in zip(ShippedTrial.limits, zip(shipped, plain)) {
            #expect(shipped >= plain - 0.02, "within \(limit) s: \(shipped) after \(plain)")
        }
    }

    /// The trials find the fault that they were made for: places held by hanging calls.
    @Test func withoutLeasesOneSilentHostIsAnOutage() throws {
        let trial = ShippedTrial(fault: .losesMessages, bad: 1, rate: 220)
        let within = trial.outcome(of: .withoutLeases, settings).within
        #expect(within.last.map { $0 < 0.5 } == true)
    }
}

extension ShippedTrial {
    /// The short form has the trials in which calls take longest.
    fileprivate var isInShortForm: Bool {
        rate == 220 && clients == 1 && [.losesMessages, .asksForWait].contains(fault)
    }
}
