import Simulation
import TestSupport
import Testing

/// The same seed gives the same bytes, in each build and on every machine.
@Suite(.oneAtATime) struct ReportBytesTests {
    @Test func reportsHaveTheBytesThatWereRecorded() {
        let run = ReportedRuns.busy()
        #expect(ReportedRuns.hash(of: run.table()) == 1_134_156_542_381_812_554)
        #expect(ReportedRuns.hash(of: run.json()) == 13_069_709_790_698_313_217)
        #expect(ReportedRuns.hash(of: run.picture()) == 5_645_774_934_819_736_424)
    }

    @Test func anotherSeedGivesOthers() {
        let (first, second) = (ReportedRuns.busy(seed: 4), ReportedRuns.busy(seed: 5))
        #expect(first.table() != second.table())
        #expect(first.json() != second.json())
        #expect(first.picture() != second.picture())
    }
}
