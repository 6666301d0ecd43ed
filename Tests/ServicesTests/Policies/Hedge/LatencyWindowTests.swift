import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct LatencyWindowTests {
    func at(_ seconds: Int) -> SchedulerInstant { SchedulerInstant(offset: .seconds(seconds)) }

    func expect(
        _ window: inout LatencyWindow, _ delay: Duration?, at instant: SchedulerInstant,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let found = window.delay(at: instant)
        #expect(found == delay, sourceLocation: sourceLocation)
    }

    /// A window with latencies of 1 to n milliseconds.
    func window(_ share: Double, _ count: Int, at instant: SchedulerInstant) -> LatencyWindow {
        var window = LatencyWindow(share: share)
        for milliseconds in (0..<count).map({ $0 + 1 }) {
            window.add(.milliseconds(milliseconds), at: instant)
        }
        return window
    }

    @Test(
        arguments: [
            (0.01, 100, 99), (0.01, 200, 198), (0.1, 10, 9), (0.1, 19, 18), (0.07, 100, 93),
            (0.5, 10, 5), (1, 10, 1), (0.29, 100, 71), (0.01, 5_000, 4_951),
        ] as [(Double, Int, Int)])
    func noMoreThanTheShareIsSlower(share: Double, count: Int, milliseconds: Int) {
        var window = window(share, count, at: at(0))
        expect(&window, .milliseconds(milliseconds), at: at(0))
    }

    @Test(arguments: [(0.01, 100), (0.02, 50), (0.1, 10), (0.5, 10), (1, 10), (0.003, 334)])
    func itKnowsNothingBeforeThereAreEnough(share: Double, enough: Int) {
        var less = window(share, enough - 1, at: at(0))
        expect(&less, nil, at: at(0))
        var just = window(share, enough, at: at(0))
        let delay = just.delay(at: at(0))
        #expect(delay != nil)
        #expect(just.enough == enough)
    }

    @Test func withoutExtraLoadThereAreNeverEnough() {
        var window = window(0, 10_000, at: at(0))
        expect(&window, nil, at: at(0))
    }

    @Test func itIsAtLeastOneMillisecond() {
        var window = LatencyWindow(share: 0.5)
        for _ in 0..<10 { window.add(.zero, at: at(0)) }
        expect(&window, .milliseconds(1), at: at(0))
    }

    @Test func aPercentileBeyondTheHistogramIsNoDelay() {
        var window = LatencyWindow(share: 0.5)
        for _ in 0..<10 { window.add(.seconds(66), at: at(0)) }
        expect(&window, nil, at: at(0))
    }

    @Test func itIsLookedAtAnewAfterThreeSeconds() {
        var window = window(0.1, 10, at: at(0))
        expect(&window, .milliseconds(9), at: at(0))
        for _ in 0..<90 { window.add(.milliseconds(500), at: at(1)) }
        let early = SchedulerInstant(offset: .seconds(3) - .nanoseconds(1))
        expect(&window, .milliseconds(9), at: early)
        expect(&window, .milliseconds(500), at: at(3))
    }

    @Test(arguments: [-1_000, 0, 7]) func aLatencyCountsUntilItsSliceIsThreeOld(origin: Int) {
        let start = origin * 10
        var window = window(0.1, 10, at: at(start + 4))
        expect(&window, .milliseconds(9), at: at(start + 29))
        window = self.window(0.1, 10, at: at(start + 4))
        expect(&window, nil, at: at(start + 30))
    }

    @Test func slicesExpireOneAfterTheOther() {
        var window = LatencyWindow(share: 0.1)
        for slice in 0..<3 {
            for _ in 0..<10 { window.add(.milliseconds(slice + 1), at: at(slice * 10)) }
        }
        expect(&window, .milliseconds(3), at: at(20))
        for _ in 0..<200 { window.add(.milliseconds(1), at: at(30)) }
        expect(&window, .milliseconds(1), at: at(30))
        expect(&window, nil, at: at(1_000))
        for _ in 0..<10 { window.add(.milliseconds(4), at: at(1_000)) }
        expect(&window, .milliseconds(4), at: at(1_003))
    }

    @Test func anInstantThatLiesBackCountsAsTheNewest() {
        var window = window(0.1, 9, at: at(25))
        window.add(.milliseconds(10), at: at(3))
        expect(&window, .milliseconds(9), at: at(49))
    }
}
