import PledgeSimulation
import TestSupport
import Testing

/// The same seed gives the same bytes, in each build and on every machine.
@Suite(.oneAtATime) struct ReportBytesTests {
    @Test func reportsHaveTheBytesThatWereRecorded() {
        let run = ReportedRuns.busy()
        #expect(ReportedRuns.hash(of: run.table()) == 13_577_402_198_435_091_974)
        #expect(ReportedRuns.hash(of: run.json()) == 2_992_967_019_848_345_995)
        #expect(ReportedRuns.hash(of: run.picture()) == 15_008_620_492_556_019_717)
    }

    @Test func anotherSeedGivesOthers() {
        let (first, second) = (ReportedRuns.busy(seed: 4), ReportedRuns.busy(seed: 5))
        #expect(first.table() != second.table())
        #expect(first.json() != second.json())
        #expect(first.picture() != second.picture())
    }
}
