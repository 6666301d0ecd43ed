import PledgeServices
import PledgeSimulation
import Testing

@testable import simulate

/// The figures of "The Tail at Scale" (Dean and Barroso 2013), in runs that are short where PLEDGE_SIMULATIONS does not
/// ask for whole ones.
@Suite(.serialized)
struct TailAtScaleTests {
    private let settings = ScenarioSettings.ofTests

    @Test(arguments: [(0.01, 100, 0.63), (0.0001, 2_000, 0.18)])
    func asManyRequestsWaitAsPublished(slowShare: Double, servers: Int, published: Double) {
        let requests = settings.choose(servers == 100 ? 10_000 : 2_000, short: 20_000 / servers)
        let fanOut = FanOut(servers: servers, slowShare: slowShare, requests: requests)
        let found = fanOut.slowRequests(settings)
        // Three standard deviations of the share.
        let tolerance = 3 * (published * (1 - published) / Double(requests)).squareRoot()
        #expect(abs(found - published) < tolerance + 0.005, "\(found)")
        #expect(abs(fanOut.expected - published) < 0.005)
    }

    @Test func halfOfTheTailIsTheSlowestTwentieth() {
        let figures = LeafTree(hasSharedDelays: true, requests: settings.choose(5_000, short: 12))
            .figures(settings)
        for (part, (found, published)) in zip(figures, LeafTree.published).enumerated() {
            // The published median of 95 % of the leaves contradicts the first row: see the page.
            for index in found.indices where (part, index) != (1, 0) {
                if settings.isShort && (index > 0 || part == 0) { continue }
                #expect(abs(found[index] / published[index] - 1) < 0.15, "\(part) \(found)")
            }
        }
        #expect(figures[1][0] < 0.006)
        if settings.isShort { return }
        #expect(abs(figures[1][2] / figures[2][2] - 0.5) < 0.05)
    }

    @Test func leavesAloneHaveNoSlowTwentieth() {
        let figures = LeafTree(hasSharedDelays: false, requests: settings.choose(5_000, short: 12))
            .figures(settings)
        #expect(figures[1][2] < 0.008)
    }

    @Test func aHedgeAfterTenMillisecondsAddsTwoPercent() throws {
        let reads = HedgedReads(
            requests: settings.choose(10_000, short: 200), reads: settings.choose(1_000, short: 100)
        )
        let hedged = reads.run(settings) {
            .hedge(sharing: Hedge(after: .milliseconds(10), maxExtraLoad: 0.05, on: $0.scheduler))
        }
        let added = hedged.amplification / Double(reads.reads) - 1
        #expect(abs(added - 0.02) < settings.choose(0.0005, short: 0.004), "\(added)")
        let slow = try #require(hedged.latency(99.9))
        #expect(slow < 0.074, "\(slow)")
        let alone = reads.run(settings) { _ in .passThrough }
        let slowAlone = try #require(alone.latency(99.9))
        #expect(slowAlone > 5 * slow, "\(slowAlone)")
        if settings.isShort { return }
        #expect(slow > 0.035, "\(slow)")
        #expect(abs(slowAlone / 1.8 - 1) < 0.5, "\(slowAlone)")
    }

    @Test func aHedgeAtThe95thPercentileAddsFivePercentAtMost() {
        let reads = HedgedReads(
            requests: settings.choose(2_000, short: 200), reads: settings.choose(1_000, short: 100))
        let run = reads.run(settings) {
            .hedge(sharing: Hedge(maxExtraLoad: 0.05, on: $0.scheduler))
        }
        let added =
            run.amplification(in: 10..<run.duration.rounded(.down)) / Double(reads.reads) - 1
        #expect(added > 0.03 && added < 0.055, "\(added)")
    }
}
