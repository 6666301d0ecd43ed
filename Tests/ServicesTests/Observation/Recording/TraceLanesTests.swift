import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct TraceLanesTests {
    func call(_ spans: [(number: Int, parent: Int?, start: Int, end: Int?)]) -> RecordedCall {
        var call = RecordedCall(number: 1)
        for span in spans {
            call.add(
                RecordedEvent(
                    .made(.began(name: ""), at: span.start, span: span.number, in: span.parent)),
                limit: .max)
            guard let end = span.end else { continue }
            call.add(RecordedEvent(.made(.ended(), at: end, span: span.number)), limit: .max)
        }
        return call
    }

    func lanes(_ spans: [(number: Int, parent: Int?, start: Int, end: Int?)]) -> [Int?] {
        let lanes = TraceLanes(of: call(spans))
        return spans.map { lanes.lane[$0.number] }
    }

    @Test func whatIsOneAfterTheOtherSharesALane() {
        #expect(
            lanes([(1, nil, 0, 50), (2, 1, 0, 10), (3, 1, 20, 50), (4, 3, 25, 50)])
                == [1, 1, 1, 1])
    }

    @Test func whatOverlapsDoesNot() {
        #expect(
            lanes([(1, nil, 0, 50), (2, 1, 0, 40), (3, 1, 20, 50), (4, 3, 25, 45), (5, 1, 45, 50)])
                == [1, 1, 2, 2, 1])
    }

    /// A hedge within the time of the first call is not nested in that call.
    @Test func whatLiesWithinASiblingIsBesideIt() {
        #expect(lanes([(1, nil, 0, 50), (2, 1, 0, 50), (3, 1, 20, 30)]) == [1, 1, 2])
    }

    @Test func whatOutlivesItsParentIsElsewhere() {
        #expect(lanes([(1, nil, 0, 50), (2, 1, 10, 60), (3, 1, 55, 58)]) == [1, 2, 3])
    }

    @Test func momentsAndUnfinishedSpans() {
        #expect(lanes([(1, nil, 5, 5), (2, 1, 5, 5), (3, 2, 5, 5)]) == [1, 1, 1])
        #expect(lanes([(1, nil, 0, nil), (2, 1, 1, nil), (3, 1, 2, 4)]) == [1, 1, 2])
    }

    /// However spans overlap, two spans in one lane are nested or disjoint.
    @Test func inALaneNoTwoCross() throws {
        for seed in 0..<300 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            var spans: [(number: Int, parent: Int?, start: Int, end: Int?)] = [(1, nil, 0, 100)]
            for number in 2...Int.random(in: 2...20, using: &chance) {
                let parent = spans.randomElement(using: &chance)!
                let start = Int.random(in: parent.start...100, using: &chance)
                let end = Int.random(in: start...100, using: &chance)
                spans.append(
                    (number, parent.number, start, Bool.random(using: &chance) ? end : nil))
            }
            let lanes = try lanes(spans).map { try #require($0) }
            for first in spans.indices {
                for second in spans.indices where first < second && lanes[first] == lanes[second] {
                    let (a, b) = (spans[first], spans[second])
                    let (aEnd, bEnd) = (a.end ?? 100, b.end ?? 100)
                    let areApart = aEnd <= b.start || bEnd <= a.start
                    let areNested =
                        (a.start <= b.start && bEnd <= aEnd) || (b.start <= a.start && aEnd <= bEnd)
                    #expect(areApart || areNested, "seed \(seed): \(a) and \(b)")
                }
            }
        }
    }
}
