import PledgeFutures
import Testing

@testable import simulate

@Suite struct CallTallyTests {
    @Test func aCallCountsInItsStretchOfTime() {
        let tally = CallTally(each: .milliseconds(100))
        for time in [0, 99, 100, 350, 399] {
            tally.add(at: SchedulerInstant(offset: .milliseconds(time)))
        }

        #expect(tally.all == [2, 1, 0, 2])
        #expect(tally.sum(in: 1..<10) == 3)
        #expect(tally.peak(from: 1) == 2)
        #expect(tally.peak(from: 4) == 0)
    }
}
