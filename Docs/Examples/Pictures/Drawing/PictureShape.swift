import PledgeSimulation

/// An element of a picture, and the place that it takes.
struct PictureShape {
    let element: String
    let box: PictureBox
    /// What is read there; nil of a shape that is no text.
    var text: String?
}

extension PictureShape {
    static func rect(_ box: PictureBox, _ style: PictureStyle, radius: Double = 3) -> Self {
        PictureShape(
            element: "<rect class=\"\(style)\" x=\"\(box.x.pixels)\" y=\"\(box.y.pixels)\" "
                + "width=\"\(box.width.pixels)\" height=\"\(box.height.pixels)\" "
                + "rx=\"\(radius.pixels)\"/>",
            box: box)
    }

    static func circle(_ middle: PicturePoint, radius: Double, _ style: PictureStyle) -> Self {
        PictureShape(
            element: "<circle class=\"\(style)\" cx=\"\(middle.x.pixels)\" "
                + "cy=\"\(middle.y.pixels)\" r=\"\(radius.pixels)\"/>",
            box: PictureBox(
                x: middle.x - radius, y: middle.y - radius, width: 2 * radius, height: 2 * radius))
    }

    /// Straight lines through points, closed or open.
    static func lines(
        _ points: [PicturePoint], _ style: PictureStyle, isClosed: Bool = false
    ) -> Self {
        let path = points.map(\.pixels).joined(separator: " L")
        return PictureShape(
            element: "<path class=\"\(style)\" d=\"M\(path)\(isClosed ? " Z" : "")\"/>",
            box: .around(points))
    }

    /// A curve from the first point to the last, which two points between pull to themselves.
    static func curve(
        _ from: PicturePoint, _ pulls: (PicturePoint, PicturePoint), _ end: PicturePoint,
        _ style: PictureStyle
    ) -> Self {
        PictureShape(
            element: "<path class=\"\(style)\" d=\"M\(from.pixels) C\(pulls.0.pixels) "
                + "\(pulls.1.pixels) \(end.pixels)\"/>",
            box: .around([from, pulls.0, pulls.1, end]))
    }

    /// A line of text that begins, ends or has its middle at a point of its base line.
    static func text(
        _ text: String, at point: PicturePoint, _ style: PictureTextStyle = .plain,
        _ anchor: SVG.Anchor = .start
    ) -> Self {
        let width = style.width(of: text)
        let box = PictureBox(
            x: point.x - width * anchor.share, y: point.y - style.size * 0.8,
            width: width, height: style.size)
        return PictureShape(
            element: SVG.text(text, x: point.x, y: point.y, look: "\(style)", anchor),
            box: box, text: text)
    }
}

extension SVG.Anchor {
    /// How much of the text lies before the point.
    var share: Double {
        switch self {
        case .start: 0
        case .middle: 0.5
        case .end: 1
        }
    }
}

extension PicturePoint {
    fileprivate var pixels: String { "\(x.pixels),\(y.pixels)" }
}
