import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct RunTableTests {
    @Test func aTableOfASmallRun() {
        #expect(
            ReportedRuns.small().table() == """
                seed 7, 39 calls in 4 s, 2 hosts
                           offered/s   goodput  amplification      p50      p90      p99    p99.9
                whole run        9.8   79.49 %          1.000  10.0 ms  10.0 ms   1.80 s   1.80 s
                0-2 s            9.5  100.00 %          1.000  10.0 ms  10.0 ms  10.0 ms  10.0 ms
                2-4 s           10.0   60.00 %          1.000  10.0 ms   1.00 s   1.80 s   1.80 s
                changes:
                  2 s  host 1 slow
                failures:
                  8 ServiceError.timedOut
                hosts that differ  received  refused  wasted  mean calls  mean time
                median of 2              19        0       0        0.03    10.0 ms
                host 1                   19        0       1        4.08     458 ms

                """)
    }

    @Test func givenPhasesHaveTheirLines() {
        let lines = ReportedRuns.small().table(phases: [0.5...1.5, 3...4]).split(separator: "\n")
        #expect(lines[3].hasPrefix("0.5-1.5 s       10.0  100.00 %          1.900"))
        #expect(lines[4].hasPrefix("3-4 s"))
        #expect(lines[5] == "changes:")
    }

    @Test func aDescriptionHasNoPoliciesAndHosts() {
        let run = ReportedRuns.busy()
        let (text, table) = ("\(run)", run.table())
        #expect(table.hasPrefix(text))
        #expect(table.dropFirst(text.count).hasPrefix("\npolicies:\n  circuitBreaker fleet: "))
        #expect(table.contains("\nhosts that differ "))
        #expect(text.contains("  8 s  host 2 <slow> & \"stuck\"\n"))
        #expect(text.contains(" ServiceError.circuitOpen"))
    }

    @Test func aRunThatWorkHasLeftSaysSoFirst() {
        let warning =
            "INVALID: 9 actions left the simulation. "
            + "This run says nothing about the stack.\n"
        #expect(ReportedRuns.escaped().table().hasPrefix(warning))
        #expect("\(ReportedRuns.escaped())".hasPrefix(warning))
        #expect(!ReportedRuns.small().table().contains("INVALID"))
    }

    @Test func callsThatHaveNotEndedAreCounted() {
        var scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.seconds(100)))],
            arrivals: .even(rate: 1), duration: .seconds(3))
        scenario.drainTime = .seconds(1)
        let table = scenario.run { $0.fleet.send }.table()
        #expect(table.hasSuffix("failures: none\nnot ended: 2\n"))
        #expect(
            table.contains("whole run        0.7   0.00 %          1.000    -    -    -      -\n"))
    }

    @Test func manyChangesMakeNoPhases() {
        var scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))],
            arrivals: .even(rate: 1), duration: .seconds(30))
        for second in 1...21 { scenario.at(.seconds(second)) { _ in } }
        let table = scenario.run { $0.fleet.send }.table()
        #expect(table.split(separator: "\n").count == 5)
        #expect(table.contains("\nchanges: 21\n"))
    }

    @Test func hostsThatDifferAreShownUpToTen() {
        var scenario = Scenario(
            hosts: 30, each: HostSettings(serviceTime: .constant(.milliseconds(10))),
            arrivals: .even(rate: 300), duration: .seconds(2))
        #expect(!scenario.run { $0.fleet.send }.table().contains("hosts that differ"))
        scenario.at(.zero) { fleet in for host in fleet.hosts.prefix(12) { host.slow(by: 3) } }
        let lines = scenario.run { $0.fleet.send }.table().split(separator: "\n")
        #expect(lines.last == "and 2 more")
        #expect(lines.count { $0.hasPrefix("host ") } == 10)
        #expect(lines.contains { $0.hasPrefix("median of 30") && $0.hasSuffix("10.0 ms") })
        #expect(lines.contains { $0.hasPrefix("host 9 ") && $0.hasSuffix("30.0 ms") })
    }
}
