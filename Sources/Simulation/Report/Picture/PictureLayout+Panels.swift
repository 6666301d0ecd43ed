// MARK: - The panels

extension PictureLayout {
    private static let titleHeight = 17.0
    private static let gap = 8.0
    private static let rowHeight = 26.0
    private static let footHeight = 20.0

    /// Draws the panels, the rows of states, and the axis of time beneath.
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
        // In a low panel the label of 0 would lie over the other.
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

// MARK: - States

extension PictureLayout {
    /// How a state is drawn: states differ by their heights as well.
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

// MARK: - Beneath the panels

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
