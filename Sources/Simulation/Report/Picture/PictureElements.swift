/// The elements of a picture, as SVG.
struct PictureElements {
    private(set) var elements: [String] = []

    /// Which end of a text its place names.
    enum Anchor: String {
        case start, middle, end
    }

    /// Adds a line of text.
    mutating func add(
        text: String, x: Double, y: Double, look: String? = nil, _ anchor: Anchor = .start
    ) {
        let look = look.map { " class=\"\($0)\"" } ?? ""
        let end = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        elements.append(
            "<text\(look) x=\"\(x.pixels)\" y=\"\(y.pixels)\"\(end)>\(text.escaped)</text>")
    }

    /// Adds straight lines through points; an open end of one point is a dot.
    mutating func add(path points: [(x: Double, y: Double)], _ look: PictureLook) {
        guard let first = points.first else { return }
        let rest = points.count == 1 ? points : Array(points.dropFirst())
        let path = rest.map { "L\($0.x.pixels),\($0.y.pixels)" }.joined(separator: " ")
        elements.append(
            "<path class=\"\(look.name)\" d=\"M\(first.x.pixels),\(first.y.pixels) \(path)\"/>")
    }

    /// Adds a full rectangle.
    mutating func add(rect x: Double, _ y: Double, width: Double, height: Double, look: String) {
        elements.append(
            "<rect class=\"\(look)\" x=\"\(x.pixels)\" y=\"\(y.pixels)\" width=\"\(width.pixels)\" "
                + "height=\"\(height.pixels)\"/>")
    }
}

extension Double {
    /// The number of pixels with one digit after the point at most.
    fileprivate var pixels: String { shortText(digits: 1) }
}

extension String {
    /// The text with the special characters of XML escaped, and a mark for those that XML 1.0 does not allow.
    package var escaped: String {
        var text = ""
        for scalar in inOneLine.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// About the width of the text in DejaVu Sans, the widest of the usual fonts, or a little more.
    func width(size: Double = 11, isStrong: Bool = false) -> Double {
        let share = isStrong ? 0.72 : 0.67
        // Letters of China, Japan and Korea, and emoji, are as wide as they are high.
        return unicodeScalars.reduce(0.0) { $0 + ($1.value < 0x1100 ? share : 1.4) } * size
    }
}
