import PledgeSimulation

/// Draws parts from outside to inside, those that are passed several times further to the right.
struct StackPicture {
    private static let row = 22.0
    private static let indent = 22.0
    private static let boxWidth = 210.0
    private static let left = 92.0

    private var picture: Picture
    private var level = 0
    private var y = 30.0
    private var frames: [(level: Int, y: Double)] = []

    init(_ picture: Picture) { self.picture = picture }

    /// Begins what is passed more often than the parts above.
    mutating func beginLevel() {
        level += 1
        y += 4
        frames.append((level, y))
    }

    /// Adds the next part.
    mutating func add(_ name: String, _ note: String, passed count: Int?) {
        let x = Self.left + Double(level) * Self.indent
        let box = PictureBox(x: x, y: y + 2, width: Self.boxWidth, height: Self.row - 5)
        picture.add(.rect(box, .box))
        let base = y + Self.row / 2 + 4
        picture.add(.text(name, at: PicturePoint(x: box.middle.x, y: base), .code, .middle))
        let noteX = Self.left + 3 * Self.indent + Self.boxWidth + 56
        picture.add(.text(note, at: PicturePoint(x: noteX, y: base), .plain))
        if let count {
            let text = "passed \(count == 1 ? "once" : "\(count) times")"
            picture.add(.text(text, at: PicturePoint(x: 880, y: base), .heading, .end))
        }
        y += Self.row
    }

    /// The whole picture, with the ways of the request and of the response.
    func drawn() -> Picture {
        var drawn = picture
        let right = Self.left + 3 * Self.indent + Self.boxWidth
        for frame in frames {
            let inset = Double(frame.level) * Self.indent
            let top = frame.y - 2
            drawn.add(
                .rect(
                    PictureBox(
                        x: Self.left + inset - 8, y: top,
                        width: right - Self.left - inset + 28 - Double(frame.level) * 4,
                        height: y - top + 10 - Double(frame.level) * 2),
                    .frame, radius: 5))
        }
        drawn.add(.text("request", at: PicturePoint(x: 46, y: 18), .code, .middle))
        drawn.addArrow(from: PicturePoint(x: 46, y: 26), to: PicturePoint(x: 46, y: y))
        let back = right + 40
        drawn.add(.text("response", at: PicturePoint(x: back, y: 18), .code, .middle))
        drawn.addArrow(from: PicturePoint(x: back, y: y), to: PicturePoint(x: back, y: 26))
        return drawn
    }
}
