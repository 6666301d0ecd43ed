import PledgeSimulation

/// A drawing with a file of its own: Docs/Pictures/NAME.svg.
struct Picture {
    /// The largest size that a page shows without making it smaller.
    static let widest = 900.0
    static let highest = 600.0
    static let margin = 8.0

    let name: String
    let title: String
    /// What is seen, for readers who do not see it.
    let description: String
    private(set) var shapes: [PictureShape] = []

    init(_ name: String, title: String, description: String) {
        self.name = name
        self.title = title
        self.description = description
    }

    mutating func add(_ shape: PictureShape) { shapes.append(shape) }

    /// What all shapes take up, with a margin.
    var size: (width: Double, height: Double) {
        let right = shapes.map(\.box.right).max() ?? 0
        let bottom = shapes.map(\.box.bottom).max() ?? 0
        return ((right + Self.margin).rounded(.up), (bottom + Self.margin).rounded(.up))
    }

    var svg: String {
        SVG.file(
            title: title, description: description, width: size.width, height: size.height,
            sheet: PictureStyle.sheet, elements: shapes.map(\.element))
    }

    /// What cannot be read in it: it is too large, something is cut off, or a text lies over another.
    func problems() -> [String] {
        let size = size
        var problems: [String] = []
        if size.width > Self.widest || size.height > Self.highest {
            problems.append("it is \(size.width.pixels) by \(size.height.pixels) pixels")
        }
        for shape in shapes where shape.box.x < 0 || shape.box.y < 0 {
            problems.append("\(shape.text ?? shape.element) lies outside")
        }
        let texts = shapes.compactMap { shape in shape.text.map { (text: $0, box: shape.box) } }
        for (index, first) in texts.enumerated() {
            for second in texts[(index + 1)...] where first.box.overlaps(second.box) {
                problems.append("'\(second.text)' lies over '\(first.text)'")
            }
        }
        return problems
    }
}
