import PledgeSimulation

/// Draws calls as bars over time, in panels that share one scale.
struct WaterfallPicture {
    /// Some calls under a heading.
    struct Panel {
        var heading: String?
        var trace: CallTrace
    }

    static let highestRow = 23.0
    static let indent = 14.0
    static let gap = 10.0

    private var picture: Picture
    private let panels: [Panel]
    private let scale: PictureScale
    private let names: Double
    /// The height of a row.
    private let row: Double
    private var y = Picture.margin

    init(_ picture: Picture, panels: [Panel]) {
        self.picture = picture
        self.panels = panels
        let rows = panels.flatMap { $0.trace.rows }.map(WaterfallRow.init)
        names = Picture.margin + (rows.map(\.nameWidth).max() ?? 0) + Self.gap
        let notes = rows.map { PictureTextStyle.note.width(of: $0.note) }.max() ?? 0
        let right = Picture.widest - Picture.margin - notes - Self.gap
        let overhead = panels.map { $0.heading == nil ? 24.0 : 48 }.reduce(30, +)
        row = min(
            Self.highestRow, ((Picture.highest - overhead) / Double(rows.count)).rounded(.down))
        scale = PictureScale(
            from: names, to: right, end: panels.map(\.trace.end).max() ?? 0)
    }

    /// The whole picture.
    func drawn() -> Picture {
        var drawing = self
        for panel in panels { drawing.draw(panel) }
        drawing.drawLegend()
        return drawing.picture
    }

    private mutating func draw(_ panel: Panel) {
        if let heading = panel.heading {
            y += 14
            picture.add(.text(heading, at: PicturePoint(x: Picture.margin, y: y), .heading))
            y += 10
        }
        let rows = panel.trace.rows.map(WaterfallRow.init)
        let bottom = y + 18 + row * Double(rows.count)
        for tick in scale.ticks {
            let x = scale.x(of: tick)
            picture.add(
                .text(scale.label(of: tick), at: PicturePoint(x: x, y: y + 11), .small, .middle))
            picture.add(
                .lines([PicturePoint(x: x, y: y + 16), PicturePoint(x: x, y: bottom)], .grid))
        }
        y += 18
        for content in rows {
            draw(content)
            y += row
        }
        y += 6
    }

    private mutating func draw(_ content: WaterfallRow) {
        let base = y + row / 2 + 4
        picture.add(
            .text(
                content.name, at: PicturePoint(x: Picture.margin + content.indent, y: base),
                content.style == .mark ? .note : .code))
        picture.add(
            .text(
                content.note, at: PicturePoint(x: scale.right + Self.gap, y: base), .note))
        let start = scale.x(of: content.start)
        let middle = y + row / 2
        if content.style == .mark {
            picture.add(.diamond(PicturePoint(x: start, y: middle)))
        } else {
            let end = max(scale.x(of: content.start + content.took), start + 2)
            picture.add(
                .rect(
                    PictureBox(x: start, y: y + 4, width: end - start, height: row - 8),
                    content.style))
        }
    }

    /// The meaning of each style that is in the picture.
    private mutating func drawLegend() {
        let used = Set(panels.flatMap { $0.trace.rows }.map { WaterfallRow($0).style })
        let meanings: [(PictureStyle, String)] = [
            (.success, "success"), (.failed, "failure"), (.ignored, "given up, no evidence"),
            (.unfinished, "not ended"), (.mark, "event"),
        ]
        var x = Picture.margin
        for (style, meaning) in meanings where used.contains(style) {
            if style == .mark {
                picture.add(.diamond(PicturePoint(x: x + 6, y: y + 8)))
            } else {
                let box = PictureBox(x: x, y: y + 2, width: 24, height: 12)
                picture.add(.rect(box, style))
            }
            x += style == .mark ? 18 : 30
            picture.add(.text(meaning, at: PicturePoint(x: x, y: y + 12), .small))
            x += PictureTextStyle.small.width(of: meaning) + 20
        }
    }
}

extension PictureShape {
    /// The sign of an event.
    static func diamond(_ middle: PicturePoint) -> PictureShape {
        .lines(
            [(-6, 0), (0, -6), (6, 0), (0, 6)].map {
                PicturePoint(x: middle.x + $0.0, y: middle.y + $0.1)
            },
            .mark, isClosed: true)
    }
}
