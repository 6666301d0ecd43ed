/// The names of changes above the panels, in rows, so that no name lies over another or over another's line.
struct ChangeLabels {
    /// A name and where it stands.
    struct Label {
        let name: String
        /// The place of the change.
        let x: Double
        /// The row, counted from the lowest.
        let row: Int
        let anchor: PictureElements.Anchor
        fileprivate let from: Double
        fileprivate let to: Double
    }

    private static let mostRows = 5
    private static let gap = 3.0

    private(set) var labels: [Label] = []
    /// The names for which there is no room.
    private(set) var others: [String] = []

    /// How many rows are used.
    var rowCount: Int { (labels.map(\.row).max() ?? -1) + 1 }

    /// Places names.
    ///
    /// - Parameters:
    ///   - changes: The names and their places, from left to right.
    ///   - room: Where names may stand.
    init(_ changes: [(name: String, x: Double)], within room: ClosedRange<Double>) {
        let ways = [PictureElements.Anchor.start, .end].map {
            ChangeLabels(changes, within: room, preferring: $0)
        }
        self = ways[1].others.count < ways[0].others.count ? ways[1] : ways[0]
    }

    /// Places names, on one side of their lines where there is room.
    ///
    /// The line of a label goes down through all rows below it. Of names to the right of their lines an earlier
    /// one goes over the places of later ones, so it stands higher: the last is placed first. Of names to the left
    /// it is the first.
    private init(
        _ changes: [(name: String, x: Double)], within room: ClosedRange<Double>,
        preferring side: PictureElements.Anchor
    ) {
        let labels = changes.map {
            Self.candidates($0.name, at: $0.x, within: room).sorted {
                ($0.row, $0.anchor == side ? 0 : 1) < ($1.row, $1.anchor == side ? 0 : 1)
            }
        }
        let isUsual = { (index: Int) in labels[index].contains { $0.anchor == side } }
        let usual = changes.indices.filter(isUsual)
        let others = changes.indices.filter { !isUsual($0) }
        let order = side == .start ? usual.reversed() + others : usual + others.reversed()
        for index in order {
            if let label = labels[index].first(where: fits) {
                self.labels.append(label)
            } else {
                self.others.append(changes[index].name)
            }
        }
    }

    private static func candidates(
        _ name: String, at x: Double, within room: ClosedRange<Double>
    ) -> [Label] {
        let width = name.width()
        var labels: [Label] = []
        for row in 0..<mostRows {
            if x + gap + width <= room.upperBound {
                labels.append(
                    Label(
                        name: name, x: x, row: row, anchor: .start, from: x,
                        to: x + 2 * gap + width))
            }
            if x - gap - width >= room.lowerBound {
                labels.append(
                    Label(
                        name: name, x: x, row: row, anchor: .end, from: x - 2 * gap - width, to: x))
            }
        }
        return labels
    }

    private func fits(_ label: Label) -> Bool {
        labels.allSatisfy { other in
            if other.row == label.row { return other.to <= label.from || label.to <= other.from }
            let (upper, lower) = other.row > label.row ? (other, label) : (label, other)
            return upper.x <= lower.from || upper.x >= lower.to
        }
    }
}

extension ChangeLabels.Label {
    /// Where the text begins, or ends.
    var textX: Double { anchor == .start ? x + 3 : x - 3 }
}
