/// Draws a picture from top to bottom.
struct PictureLayout {
    static let width = 900.0
    static let highest = 600.0
    static let margin = 10.0

    let title: String
    let axis: TimeAxis
    var elements = PictureElements()
    /// The lower edge of what is drawn so far.
    var y = Self.margin
    /// The names of the changes, between the first panel and its title.
    private var labels = ChangeLabels([], within: 0...0)
    /// The horizontal positions of the changes' lines.
    private(set) var changes: [Double] = []
    var description: [String] = []
    var notes: [(kind: String, text: String)] = []

    init(title: String, duration: Double) {
        self.title = title
        axis = TimeAxis(duration)
    }

    /// The width available to a line of text.
    static let room = width - 2 * margin

    var svg: String {
        let height = (y + Self.margin).rounded(.up)
        let page =
            "<rect class=\"page\" width=\"\(Self.width.pixels)\" height=\"\(height.pixels)\"/>"
        return SVG.file(
            title: title, description: description.joined(separator: " "), width: Self.width,
            height: height, sheet: PictureLook.sheet, elements: [page] + elements.elements)
    }

    /// The name if it fits, or else a substitute; then only the description has the full name.
    func name(_ name: String, or substitute: String, within room: Double) -> String {
        name.inOneLine.width(isStrong: true) <= room
            ? name : "\(substitute), named in the description"
    }
}

extension PictureLayout {
    mutating func drawHead(
        warning: String?, legend: [String], changes: [SimulationRun.Change]
    ) {
        let isWide = title.width(size: 14, isStrong: true) > Self.room
        elements.add(
            text: isWide ? "A simulation, with its title in the description" : title,
            x: Self.margin, y: y + 12, look: "heading")
        description.append(isWide ? "\(title)." : "")
        y += 22
        if let warning {
            let isWide = warning.width(size: 12, isStrong: true) > Self.room
            elements.add(
                text: isWide ? "INVALID: work has left the simulation." : warning,
                x: Self.margin, y: y + 10, look: "warning")
            description.append(warning)
            y += 16
        }
        drawLegend(legend)
        place(changes)
    }

    /// A line and a name for each run.
    private mutating func drawLegend(_ names: [String]) {
        if names.isEmpty { return }
        var x = Self.margin
        for (index, full) in names.enumerated() {
            let name = name(full, or: "run \(index + 1)", within: Self.room - 40)
            let width = 30 + name.width() + 16
            if x > Self.margin, x + width > Self.width - Self.margin {
                x = Self.margin
                y += 14
            }
            elements.add(path: [(x, y + 6), (x + 24, y + 6)], .line(index))
            elements.add(text: name, x: x + 30, y: y + 10)
            x += width
        }
        description.append("Runs: \(names.joined(separator: ", ")).")
        y += 18
    }

    private mutating func place(_ changes: [SimulationRun.Change]) {
        if changes.isEmpty { return }
        labels = ChangeLabels(
            changes.map { ($0.name.inOneLine, axis.x(of: $0.time)) },
            within: Self.margin...(Self.width - Self.margin))
        self.changes = Set(changes.map { axis.x(of: $0.time) }).sorted()
        let all = changes.map { "\($0.time.shortText(digits: 3)) s \($0.name)" }
        description.append("Changes: \(all.joined(separator: ", ")).")
        let count = labels.others.count
        if count > 0 {
            let text = "\(count) more \(count == 1 ? "change" : "changes")"
            notes.append(("More changes", "\(text), named in the description."))
        }
    }

    /// The height of the changes' names, with room for the topmost label of the panel's scale.
    var labelHeight: Double {
        labels.rowCount == 0 ? 0 : Double(labels.rowCount) * Self.labelRowHeight + 6
    }

    private static let labelRowHeight = 13.0

    /// Draws the changes' names, and lines from them down to the panel.
    mutating func drawLabels() {
        let bottom = y + labelHeight
        for label in labels.labels {
            let base = bottom - 8 - Double(label.row) * Self.labelRowHeight
            elements.add(path: [(label.x, base - 9), (label.x, bottom)], .change)
            elements.add(text: label.name, x: label.textX, y: base, look: "named", label.anchor)
        }
        y = bottom
    }
}

extension PictureLayout {
    private static let titleHeight = 17.0
    private static let gap = 8.0
    private static let rowHeight = 26.0
    private static let footHeight = 20.0

    /// Draws the panels, the rows of states, and the time axis below.
    mutating func draw(_ plan: PanelPlan) {
        notes += plan.notes
        let panels = Double(plan.panels.count) * (Self.titleHeight + Self.gap)
        let rows = Double(plan.stateRows.count) * Self.rowHeight
        let legend = plan.stateRows.isEmpty ? 0.0 : Self.titleHeight
        let others =
            labelHeight + panels + rows + legend + Self.footHeight + Double(notes.count) * 14
            + Self.margin
        let weights = plan.panels.map(\.weight).reduce(0, +)
        let unit = min(36, (Self.highest - y - others - 1) / weights)
        for (index, panel) in plan.panels.enumerated() {
            draw(panel, height: (unit * panel.weight).rounded(.down), isFirst: index == 0)
        }
        if !plan.stateRows.isEmpty { drawStateLegend() }
        for (index, row) in plan.stateRows.enumerated() { draw(row, number: index + 1) }
        drawFoot()
    }

    private mutating func draw(_ panel: PanelPlan.Panel, height: Double, isFirst: Bool) {
        drawTitle(of: panel)
        if isFirst { drawLabels() }
        let top = y
        let bottom = top + height
        let values = panel.lines.flatMap { $0.points.compactMap(\.value) }
        let scale = ValueScale(panel.scale, for: values, marks: max(2, Int(height / 14)))
        // In a low panel, the bottom label would cover the top one, so only the top one is drawn.
        for mark in height < 14 ? scale.marks.suffix(1) : scale.marks[...] {
            let y = bottom - height * scale.place(of: mark.value)
            elements.add(path: [(TimeAxis.left, y), (TimeAxis.right, y)], .grid)
            elements.add(text: mark.label, x: TimeAxis.left - 6, y: y + 4, .end)
        }
        for time in axis.marks {
            elements.add(path: [(axis.x(of: time), top), (axis.x(of: time), bottom)], .grid)
        }
        drawChanges(from: top, to: bottom)
        for line in panel.lines {
            for part in line.points.split(whereSeparator: { $0.value == nil }) {
                let points = part.map {
                    (axis.x(of: $0.time), bottom - height * scale.place(of: $0.value ?? 0))
                }
                elements.add(path: points, line.look)
            }
        }
        y = bottom + Self.gap
    }

    private mutating func drawTitle(of panel: PanelPlan.Panel) {
        let name = name(panel.title, or: "a gauge", within: 420)
        elements.add(text: name, x: TimeAxis.left, y: y + 11, look: "strong")
        var x = TimeAxis.left + name.width(isStrong: true) + 18
        for line in panel.lines {
            guard let name = line.name else { continue }
            elements.add(path: [(x, y + 7), (x + 24, y + 7)], line.look)
            elements.add(text: name, x: x + 30, y: y + 11)
            x += 30 + name.width() + 16
        }
        let names = panel.lines.compactMap(\.name)
        y += Self.titleHeight
        description.append(
            panel.title + (names.isEmpty ? "." : ": \(names.joined(separator: ", "))."))
    }

    private mutating func drawChanges(from top: Double, to bottom: Double) {
        for x in changes { elements.add(path: [(x, top), (x, bottom)], .change) }
    }
}

extension PictureLayout {
    /// The style sheet's class for a state, and its height; states differ by colour and height.
    private static func look(of state: String) -> (name: String, height: Double) {
        switch state {
        case "closed": ("closed", 2)
        case "half-open": ("half-open", 6)
        case "open", "isolated": ("open", 10)
        default: ("other", 4)
        }
    }

    private mutating func drawStateLegend() {
        elements.add(text: "states", x: TimeAxis.left, y: y + 11, look: "strong")
        var x = TimeAxis.left + 56
        for state in ["closed", "half-open", "open"] {
            let look = Self.look(of: state)
            elements.add(
                rect: x, y + 12 - look.height, width: 24, height: look.height, look: look.name)
            elements.add(text: state, x: x + 30, y: y + 11)
            x += 30 + state.width() + 16
        }
        y += Self.titleHeight
    }

    private mutating func draw(_ row: PanelPlan.StateRow, number: Int) {
        let title = name(row.title, or: "policy \(number)", within: TimeAxis.right - TimeAxis.left)
        elements.add(text: title, x: TimeAxis.left, y: y + 9)
        let bottom = y + 23
        let ends = row.states.dropFirst().map(\.time) + [row.end]
        for (state, end) in zip(row.states, ends) {
            let (left, right) = (axis.x(of: state.time), axis.x(of: end))
            let look = Self.look(of: state.state)
            elements.add(
                rect: left, bottom - look.height, width: max(right - left, 0.5),
                height: look.height, look: look.name)
        }
        drawChanges(from: bottom - 11, to: bottom)
        let states = row.states.map { "\($0.state) at \($0.time.shortText(digits: 3)) s" }
        description.append("\(row.title): \(states.prefix(20).joined(separator: ", ")).")
        y += Self.rowHeight
    }
}

extension PictureLayout {
    private mutating func drawFoot() {
        for time in axis.marks {
            elements.add(
                text: "\(Int(time).grouped) s", x: axis.x(of: time), y: y + 7, .middle)
        }
        y += Self.footHeight - Self.gap
        for (index, note) in notes.enumerated() {
            let text = name(note.text, or: note.kind, within: Self.room)
            elements.add(text: text, x: Self.margin, y: y + 11 + Double(index) * 14)
            description.append(note.text)
        }
        y += Double(notes.count) * 14
    }
}

/// The changes' names above the panels, in rows that keep them clear of each other and of the lines.
struct ChangeLabels {
    struct Label {
        let name: String
        let x: Double
        /// Counted from the bottom.
        let row: Int
        let anchor: SVG.Anchor
        fileprivate let from: Double
        fileprivate let to: Double
    }

    private static let mostRows = 5
    private static let gap = 3.0

    private(set) var labels: [Label] = []
    private(set) var others: [String] = []

    var rowCount: Int { (labels.map(\.row).max() ?? -1) + 1 }

    /// `changes` are the names and their positions, from left to right; `room` is the range available to them.
    init(_ changes: [(name: String, x: Double)], within room: ClosedRange<Double>) {
        let ways = [SVG.Anchor.start, .end].map {
            ChangeLabels(changes, within: room, preferring: $0)
        }
        self = ways[1].others.count < ways[0].others.count ? ways[1] : ways[0]
    }

    /// Places each name in the lowest row where it fits, on the preferred side of its line if it can.
    ///
    /// The line runs down from there and must not cross another name. A name to the right of its line may extend over
    /// later changes, whose names must be lower, and are placed first; on the left, the other way round.
    private init(
        _ changes: [(name: String, x: Double)], within room: ClosedRange<Double>,
        preferring side: SVG.Anchor
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
    /// Where the text begins or ends.
    var textX: Double { anchor == .start ? x + 3 : x - 3 }
}
