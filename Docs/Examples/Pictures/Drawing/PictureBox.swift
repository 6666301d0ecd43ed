/// A rectangle of a picture, in pixels from its upper left corner.
struct PictureBox: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var right: Double { x + width }
    var bottom: Double { y + height }
    var middle: PicturePoint { PicturePoint(x: x + width / 2, y: y + height / 2) }

    /// Whether the other lies in this one, its edges included.
    func contains(_ other: PictureBox) -> Bool {
        other.x >= x && other.y >= y && other.right <= right && other.bottom <= bottom
    }

    /// Whether both have an area in common.
    func overlaps(_ other: PictureBox) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }

    /// The smallest rectangle around points.
    static func around(_ points: [PicturePoint]) -> PictureBox {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        let (x, y) = (xs.min() ?? 0, ys.min() ?? 0)
        return PictureBox(x: x, y: y, width: (xs.max() ?? 0) - x, height: (ys.max() ?? 0) - y)
    }
}

/// A point of a picture.
struct PicturePoint: Hashable {
    var x: Double
    var y: Double
}
