import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

@Suite(.oneAtATime) struct ChangeLabelsTests {
    @Test func namesThatFitStandInOneRow() {
        let labels = ChangeLabels([("a", 100), ("b", 300)], within: 10...890)
        #expect(labels.rowCount == 1 && labels.others.isEmpty)
        #expect(labels.labels.allSatisfy { $0.anchor == .start && $0.textX == $0.x + 3 })
    }

    @Test func anEarlierNameStandsHigher() {
        let labels = ChangeLabels([("a long name", 64), ("another", 84)], within: 10...890)
        #expect(labels.labels.sorted { $0.x < $1.x }.map(\.row) == [1, 0])
    }

    @Test func aNameAtTheRightEdgeStandsToTheLeft() {
        let labels = ChangeLabels([("first", 830), ("a long name", 860)], within: 10...890)
        let sorted = labels.labels.sorted { $0.x < $1.x }
        #expect(sorted.map(\.anchor) == [.end, .end])
        #expect(sorted.map(\.row) == [0, 1])
    }

    /// No name lies over another, or over the line of one that stands higher.
    @Test func namesNeverLieOverOneAnother() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...9, using: &generator)
            let changes = (0..<count).map { _ in
                let length = Int.random(in: 1...60, using: &generator)
                return (
                    name: String(repeating: "m", count: length),
                    x: Double.random(in: 64...868, using: &generator).rounded()
                )
            }.sorted { $0.x < $1.x }
            let labels = ChangeLabels(changes, within: 10...890)
            #expect(labels.labels.count + labels.others.count == count)
            #expect(labels.rowCount <= 5)
            for label in labels.labels {
                let (left, right) = extent(of: label)
                #expect(left >= 10 && right <= 890)
                for other in labels.labels where other.x != label.x || other.row != label.row {
                    let (otherLeft, otherRight) = extent(of: other)
                    if other.row == label.row { #expect(otherRight <= left || right <= otherLeft) }
                    if other.row > label.row { #expect(other.x <= left || other.x >= right) }
                }
            }
        }
    }

    private func extent(of label: ChangeLabels.Label) -> (Double, Double) {
        let width = label.name.width()
        return label.anchor == .start
            ? (label.textX, label.textX + width) : (label.textX - width, label.textX)
    }
}
