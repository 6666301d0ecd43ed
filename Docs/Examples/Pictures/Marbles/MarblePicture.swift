import PledgeSimulation

/// Draws futures as lines over time, with a marble where each settles.
struct MarblePicture {
    static let row = 27.0
    static let right = 840.0

    private var picture: Picture
    private let runs: [MarbleRun]
    private let scale: PictureScale
    private var y = Picture.margin

    init(_ picture: Picture, _ runs: [MarbleRun]) {
        self.picture = picture
        self.runs = runs
        let lines = runs.flatMap(\.lines)
        let names = lines.map { PictureTextStyle.code.width(of: $0.name) }.max() ?? 0
        let end = lines.compactMap { $0.end?.at }.max() ?? 0
        scale = PictureScale(
            from: Picture.margin + names + 30, to: Self.right, end: Double(end) * 1_000)
    }

    /// The whole picture.
    func drawn() -> Picture {
        var drawing = self
        drawing.drawTicks()
        for run in runs { drawing.draw(run) }
        return drawing.picture
    }

    private mutating func drawTicks() {
        let heights = runs.map { 30 + Self.row * Double($0.lines.count) }
        for tick in scale.ticks {
            let x = scale.x(of: tick)
            let text = scale.label(of: tick)
            picture.add(.text(text, at: PicturePoint(x: x, y: y + 10), .small, .middle))
            let bottom = y + 16 + heights.reduce(0, +)
            picture.add(
                .lines([PicturePoint(x: x, y: y + 16), PicturePoint(x: x, y: bottom)], .grid))
        }
        y += 16
    }

    private mutating func draw(_ run: MarbleRun) {
        picture.add(.text(run.code, at: PicturePoint(x: Picture.margin, y: y + 18), .heading))
        y += 24
        for line in run.lines {
            draw(line)
            y += Self.row
        }
        y += 6
    }

    private mutating func draw(_ line: MarbleRun.Line) {
        let middle = y + Self.row / 2
        picture.add(
            .text(line.name, at: PicturePoint(x: Picture.margin + 14, y: middle + 4), .code))
        let start = scale.x(of: Double(line.start) * 1_000)
        let last = line.end.map { scale.x(of: Double($0.at) * 1_000) } ?? Self.right
        let stop = line.end == nil ? last : max(start, last - 7)
        for (from, to) in [
            (PicturePoint(x: start, y: middle - 5), PicturePoint(x: start, y: middle + 5)),
            (PicturePoint(x: start, y: middle), PicturePoint(x: stop, y: middle)),
        ] {
            picture.add(.lines([from, to], .line))
        }
        if let end = line.end { draw(end.1, at: PicturePoint(x: last, y: middle)) }
    }

    private mutating func draw(_ end: MarbleRun.End, at point: PicturePoint) {
        switch end {
        case .value(let text):
            let width = max(22, PictureTextStyle.inverse.width(of: text) + 12)
            picture.add(
                .rect(
                    PictureBox(x: point.x - width / 2, y: point.y - 10, width: width, height: 20),
                    .success, radius: 10))
            picture.add(
                .text(text, at: PicturePoint(x: point.x, y: point.y + 4), .inverse, .middle))
        case .failure(let text):
            picture.add(
                .rect(
                    PictureBox(x: point.x - 7, y: point.y - 7, width: 14, height: 14), .failed,
                    radius: 0))
            drawNote(text, beside: point)
        case .cancelled:
            picture.add(
                .rect(
                    PictureBox(x: point.x - 7, y: point.y - 7, width: 14, height: 14), .ignored,
                    radius: 7))
            drawNote("cancelled", beside: point)
        }
    }

    private mutating func drawNote(_ text: String, beside point: PicturePoint) {
        picture.add(.text(text, at: PicturePoint(x: point.x + 12, y: point.y + 4), .note))
    }
}
