import Foundation

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
            element: "<rect class=\"\(style)\" x=\"\(box.x.inPicture)\" y=\"\(box.y.inPicture)\" "
                + "width=\"\(box.width.inPicture)\" height=\"\(box.height.inPicture)\" "
                + "rx=\"\(radius.inPicture)\"/>",
            box: box)
    }

    static func circle(_ middle: PicturePoint, radius: Double, _ style: PictureStyle) -> Self {
        PictureShape(
            element: "<circle class=\"\(style)\" cx=\"\(middle.x.inPicture)\" "
                + "cy=\"\(middle.y.inPicture)\" r=\"\(radius.inPicture)\"/>",
            box: PictureBox(
                x: middle.x - radius, y: middle.y - radius, width: 2 * radius, height: 2 * radius))
    }

    /// Straight lines through points, closed or open.
    static func lines(
        _ points: [PicturePoint], _ style: PictureStyle, isClosed: Bool = false
    ) -> Self {
        let path = points.map(\.inPicture).joined(separator: " L")
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
            element: "<path class=\"\(style)\" d=\"M\(from.inPicture) C\(pulls.0.inPicture) "
                + "\(pulls.1.inPicture) \(end.inPicture)\"/>",
            box: .around([from, pulls.0, pulls.1, end]))
    }

    /// A line of text that begins, ends or has its middle at a point of its base line.
    static func text(
        _ text: String, at point: PicturePoint, _ style: PictureTextStyle = .plain,
        _ anchor: PictureAnchor = .start
    ) -> Self {
        let width = style.width(of: text)
        let box = PictureBox(
            x: point.x - width * anchor.share, y: point.y - style.size * 0.8,
            width: width, height: style.size)
        let end = anchor == .start ? "" : " text-anchor=\"\(anchor)\""
        return PictureShape(
            element: "<text class=\"\(style)\" x=\"\(point.x.inPicture)\" "
                + "y=\"\(point.y.inPicture)\"\(end)>\(text.inXML)</text>",
            box: box, text: text)
    }
}

/// Which end of a text a point names.
enum PictureAnchor: String, CustomStringConvertible {
    case start, middle, end

    var description: String { rawValue }

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
    fileprivate var inPicture: String { "\(x.inPicture),\(y.inPicture)" }
}

extension Double {
    /// The number with one digit after the point at most, the same on every system.
    var inPicture: String {
        let tenths = Int((self * 10).rounded())
        let digit = abs(tenths % 10)
        let sign = tenths < 0 ? "-" : ""
        return "\(sign)\(abs(tenths / 10))" + (digit == 0 ? "" : ".\(digit)")
    }
}

extension String {
    /// The text with its special characters escaped.
    var inXML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
