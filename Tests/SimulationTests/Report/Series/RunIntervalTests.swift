import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct RunIntervalTests {
    @Test func intervalsAddUpToTheRun() {
        let run = ReportedRuns.busy()
        for length in [1, 4, 100] {
            let series = run.series(every: length)
            #expect(series.first?.start == 0 && series.last?.end == 30)
            #expect(zip(series, series.dropFirst()).allSatisfy { $0.end == $1.start })
            #expect(series.reduce(0) { $0 + $1.offered } == run.callCount)
            #expect(series.reduce(0) { $0 + $1.failed } == run.failures.reduce(0) { $0 + $1.count })
            #expect(series.allSatisfy { $0.offered == $0.succeeded + $0.failed })
        }
        #expect(run.series(every: 4).count == 8 && run.series(every: 4).last?.length == 2)
    }

    @Test func itsFiguresAreThoseOfTheRun() throws {
        let run = ReportedRuns.busy()
        let interval = try #require(run.series(every: 10).first)
        #expect(interval.goodput == run.goodput(in: 0...10))
        #expect(interval.amplification == run.amplification(in: 0..<10))
        #expect(interval.p50 == run.latency(50, in: 0...10))
        #expect(interval.p90 == run.latency(90, in: 0...10))
        #expect(interval.p99 == run.latency(99, in: 0...10))
        #expect(interval.p999 == run.latency(99.9, in: 0...10))
    }

    @Test func aTimeIsAnyRangeWithoutItsEnd() {
        let run = ReportedRuns.busy()
        #expect(run.goodput(in: 10..<20) == run.goodput(in: 10...20))
        #expect(run.amplification(in: 10..<20) == run.amplification(in: 10...20))
        #expect(run.amplification(in: 10.4..<19.6) == run.amplification(in: 10..<20))
        #expect(run.latency(99, in: 10..<20) == run.latency(99, in: 10...20))
        #expect(run.meanLatency(in: 10..<20) == run.meanLatency(in: 10...20))
        #expect(run.offered(in: 10..<20) == run.offered(in: 10...20))
        #expect(run.offered(in: ..<10) + run.offered(in: 10...) == run.callCount)
        #expect(run.offered(in: ...10) == run.offered(in: ..<10))
        #expect(run.amplification(in: 0...) == run.amplification(in: 0 ... .infinity))
        #expect(run.latency(99, in: 0...) == run.latency(99))
    }

    @Test func anIntervalWithoutCalls() throws {
        let scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))],
            arrivals: .recorded([.milliseconds(2_200)]), duration: .milliseconds(2_500))
        let series = scenario.run { $0.fleet.send }.series()
        #expect(series.map(\.offered) == [0, 0, 1] && series.map(\.end) == [1, 2, 2.5])
        #expect(series[0].p50 == nil && series[0].goodput == 1 && series[0].amplification == 1)
    }

    @Test func callsThatHaveNotEndedDidNotFail() {
        var scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.seconds(9)))],
            arrivals: .even(rate: 2), duration: .seconds(2))
        scenario.drainTime = .zero
        let series = scenario.run { $0.fleet.send }.series()
        #expect(series.map(\.offered) == [1, 2])
        #expect(series.allSatisfy { $0.failed == 0 && $0.succeeded == 0 })
    }
}
