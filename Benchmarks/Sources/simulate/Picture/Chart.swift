import Foundation
import PledgeSimulation

/// A drawing of one figure over another, as lines, 900 by 420 pixels.
struct Chart: Sendable {
    /// The spacing of an axis's values.
    enum Scale: Sendable {
        case linear, logarithmic
    }

    /// An axis: its name, and the values that have a line and a label.
    struct Axis: Sendable {
        var name: String
        var marks: [(value: Double, label: String)]
        var scale = Scale.linear
    }

    /// The points of one line, in the order of their x values.
    struct Line: Sendable {
        var name: String
        var points: [(x: Double, y: Double)]
    }

    let title: String
    /// The picture in words, for readers who can't see it.
    let description: String
    let x: Axis
    let y: Axis
    /// At most six lines, each with its own dashes and colour.
    var lines: [Line] = []
}

extension Chart {
    static let width = 900.0
    static let height = 420.0
    private static let (left, right, bottom) = (64.0, 872.0, 374.0)
    private static let legendRow = 18.0

    /// The top of the plot, below the names of the lines.
    private var top: Double { 64 + Self.legendRow * Double(legendPlaces.map(\.row).max() ?? 0) }

    /// The drawing as SVG, for light and dark pages.
    var svg: String {
        precondition(lines.count <= 6, "a chart has six lines at most")
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" \
            width="900" height="420" viewBox="0 0 900 420">
            <title id="title">\(title.escaped)</title>
            <desc id="description">\(description.escaped)</desc>
            \(Self.sheet)
            <rect class="page" width="900" height="420"/>
            <text class="heading" x="8" y="20">\(title.escaped)</text>
            """
        return ([head] + legend + axes + lines.indices.map(line) + ["</svg>", ""])
            .joined(separator: "\n")
    }

    /// The position of each line's sample, with room for its name in a wide font.
    private var legendPlaces: [(x: Double, row: Int)] {
        var (x, row) = (8.0, 0)
        return lines.map { line in
            let width = 52 + Double(line.name.count) * 7.4
            if x + width > Self.width {
                x = 8
                row += 1
            }
            defer { x += width }
            return (x, row)
        }
    }

    /// A sample of each line with its name, below the title.
    private var legend: [String] {
        zip(lines, legendPlaces).enumerated().map { index, entry in
            let (line, place) = entry
            let y = 38 + Self.legendRow * Double(place.row)
            return "<path class=\"line\(index + 1)\" d=\"M\(place.x.pixels),\(y.pixels) h28\"/>"
                + "<text x=\"\((place.x + 34).pixels)\" y=\"\((y + 4).pixels)\">"
                + "\(line.name.escaped)</text>"
        }
    }

    private var axes: [String] {
        let (left, right, bottom) = (Self.left, Self.right, Self.bottom)
        let columns = x.marks.map { mark in
            let x = place(x: mark.value).pixels
            return "<path class=\"grid\" d=\"M\(x),\(top.pixels) V\(bottom.pixels)\"/>"
                + "<text x=\"\(x)\" y=\"390\" text-anchor=\"middle\">\(mark.label.escaped)</text>"
        }
        let rows = y.marks.map { mark in
            let y = place(y: mark.value)
            return "<path class=\"grid\" d=\"M\(left.pixels),\(y.pixels) H\(right.pixels)\"/>"
                + "<text x=\"\((left - 8).pixels)\" y=\"\((y + 4).pixels)\" text-anchor=\"end\">"
                + "\(mark.label.escaped)</text>"
        }
        return columns + rows + [
            "<text x=\"\(right.pixels)\" y=\"408\" text-anchor=\"end\">\(x.name.escaped)</text>",
            "<text x=\"\(left.pixels)\" y=\"\((top - 5).pixels)\">\(y.name.escaped)</text>",
        ]
    }

    private func line(_ index: Int) -> String {
        let points = lines[index].points.map { "\(place(x: $0.x).pixels),\(place(y: $0.y).pixels)" }
        return "<path class=\"line\(index + 1)\" d=\"M\(points.joined(separator: " L"))\"/>"
    }

    private func place(x value: Double) -> Double {
        Self.left + (Self.right - Self.left) * x.share(of: value)
    }

    private func place(y value: Double) -> Double {
        Self.bottom - (Self.bottom - top) * y.share(of: value)
    }
}

extension Chart.Axis {
    /// Returns the position of a value between the first mark and the last, from 0 to 1.
    fileprivate func share(of value: Double) -> Double {
        let (low, high) = (marks[0].value, marks[marks.count - 1].value)
        let share =
            switch scale {
            case .linear: (value - low) / (high - low)
            case .logarithmic: log(max(value, low) / low) / log(high / low)
            }
        return min(max(share, 0), 1)
    }
}

extension Chart.Axis {
    /// Returns an axis of shares, from 0 % to 100 %.
    static func shares(_ name: String) -> Chart.Axis {
        Chart.Axis(name: name, marks: [0, 20, 40, 60, 80, 100].map { ($0 / 100, "\(Int($0)) %") })
    }
}

extension Double {
    /// The number of pixels with at most one decimal, the same on every system.
    fileprivate var pixels: String {
        let tenths = Int((self * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}

extension String {
    /// The text with XML's special characters escaped.
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
