/// Draws a picture from its top to its bottom.
struct PictureLayout {
    static let width = 900.0
    static let highest = 600.0
    static let margin = 10.0

    let title: String
    let axis: TimeAxis
    var elements = PictureElements()
    /// How far down it is drawn.
    var y = Self.margin
    /// The names of the changes, which stand between the first panel and its title.
    private var labels = ChangeLabels([], within: 0...0)
    /// Where the lines of the changes stand.
    private(set) var changes: [Double] = []
    /// What is in the description alone, or there as well.
    var description: [String] = []
    var notes: [(kind: String, text: String)] = []

    init(title: String, duration: Double) {
        self.title = title
        axis = TimeAxis(duration)
    }

    /// The room for a line of text.
    static let room = width - 2 * margin

    /// The whole picture, after all is drawn.
    var svg: String {
        let (width, height) = (Int(Self.width), Int((y + Self.margin).rounded(.up)))
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" \
            width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
            <title id="title">\(title.escaped)</title>
            <desc id="description">\(description.joined(separator: " ").escaped)</desc>
            \(PictureLook.sheet)
            <rect class="page" width="\(width)" height="\(height)"/>
            """
        return ([head] + elements.elements + ["</svg>", ""]).joined(separator: "\n")
    }

    /// A name, or another text where it is wider than its room and in the description alone.
    func name(_ name: String, or substitute: String, within room: Double) -> String {
        name.inOneLine.width(isStrong: true) <= room
            ? name : "\(substitute), named in the description"
    }
}

// MARK: - Above the panels

extension PictureLayout {
    /// Draws the title, a warning, the names of the runs, and those of the changes.
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

    /// Draws which line belongs to which run.
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

    /// How high the names of the changes are, with room for the uppermost label of the panel's scale.
    var labelHeight: Double {
        labels.rowCount == 0 ? 0 : Double(labels.rowCount) * Self.rowHeight + 6
    }

    private static let rowHeight = 13.0

    /// Draws the names of the changes, and their lines from there to the panel beneath.
    mutating func drawLabels() {
        let bottom = y + labelHeight
        for label in labels.labels {
            let base = bottom - 8 - Double(label.row) * Self.rowHeight
            elements.add(path: [(label.x, base - 9), (label.x, bottom)], .change)
            elements.add(text: label.name, x: label.textX, y: base, look: "named", label.anchor)
        }
        y = bottom
    }
}
