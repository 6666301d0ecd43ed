/// An SVG drawing of one or several runs, with panels that show values over time.
///
/// ```swift
/// let picture = SimulationPicture(
///     title: "A slow host", runs: [("no timeout", first), ("with a timeout", second)])
/// try Data(picture.svg.utf8).write(to: file)
/// ```
///
/// Several runs are drawn on top of one another. The panels show calls per second (offered and succeeded),
/// amplification, latencies on a logarithmic scale, what policies did, the states of breakers, and gauges. Each
/// change of the timeline is a vertical line with its name. The picture is 900 pixels wide and at most 600
/// high. It has colours for light and dark pages, and its lines also differ by dashes. The same seeds give the
/// same bytes, on every machine.
///
/// A name that is wider than the picture appears only in the description. If a run has an ``SimulationRun/error``, the
/// picture says so.
public struct SimulationPicture: Sendable {
    /// The text above the panels.
    public let title: String

    /// The runs and their names.
    public let runs: [(name: String, run: SimulationRun)]

    /// Creates a picture.
    ///
    /// - Parameters:
    ///   - title: The text above the panels.
    ///   - runs: One to six runs with their names; any other number traps. The name of a single run isn't drawn. The
    ///     changes are taken from the first run.
    public init(title: String, runs: [(name: String, run: SimulationRun)]) {
        precondition(
            (1...6).contains(runs.count), "a picture has one to six runs, not \(runs.count)")
        self.title = title
        self.runs = runs
    }

    /// The picture as SVG.
    public var svg: String {
        let panels = runs.count == 1 ? PanelPlan(of: runs[0].run) : PanelPlan(comparing: runs)
        var layout = PictureLayout(
            title: title, duration: runs.map(\.run.duration).max() ?? 0)
        layout.drawHead(
            warning: warning,
            legend: runs.count == 1 ? [] : runs.map(\.name), changes: runs[0].run.changes)
        layout.draw(panels)
        return layout.svg
    }

    private var warning: String? {
        if runs.count == 1 { return runs[0].run.warning }
        let names = runs.filter { $0.run.warning != nil }.map(\.name)
        if names.isEmpty { return nil }
        return "INVALID: work has left the simulation, so these runs say nothing: "
            + "\(names.joined(separator: ", "))."
    }
}

extension SimulationRun {
    /// Returns a drawing of the run as SVG; see ``SimulationPicture``.
    ///
    /// - Parameter title: The text above the panels. By default it gives the number of calls and the seed.
    /// - Returns: The content of an SVG file.
    public func picture(title: String? = nil) -> String {
        let usual =
            "\(callCount.grouped) calls in \(duration.shortText(digits: 3)) s, seed \(seed)"
        return SimulationPicture(title: title ?? usual, runs: [("", self)]).svg
    }
}

struct PictureElements {
    private(set) var elements: [String] = []

    mutating func add(
        text: String, x: Double, y: Double, look: String? = nil, _ anchor: SVG.Anchor = .start
    ) {
        elements.append(SVG.text(text, x: x, y: y, look: look, anchor))
    }

    /// Adds straight lines through points; a single point is a dot.
    mutating func add(path points: [(x: Double, y: Double)], _ look: PictureLook) {
        guard let first = points.first else { return }
        let rest = points.count == 1 ? points : Array(points.dropFirst())
        let path = rest.map { "L\($0.x.pixels),\($0.y.pixels)" }.joined(separator: " ")
        elements.append(
            "<path class=\"\(look.name)\" d=\"M\(first.x.pixels),\(first.y.pixels) \(path)\"/>")
    }

    mutating func add(rect x: Double, _ y: Double, width: Double, height: Double, look: String) {
        elements.append(
            "<rect class=\"\(look)\" x=\"\(x.pixels)\" y=\"\(y.pixels)\" width=\"\(width.pixels)\" "
                + "height=\"\(height.pixels)\"/>")
    }
}

/// The SVG of all pictures, also the documentation's.
package enum SVG {
    /// The point of a text that lies at its x coordinate.
    package enum Anchor: String {
        case start, middle, end
    }

    /// A whole file.
    ///
    /// - Parameters:
    ///   - description: The picture in words, for readers who can't see it.
    ///   - sheet: The style sheet and other definitions, as elements.
    ///   - elements: From back to front.
    package static func file(
        title: String, description: String, width: Double, height: Double, sheet: String,
        elements: [String]
    ) -> String {
        let (width, height) = (width.pixels, height.pixels)
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" \
            width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
            <title id="title">\(title.escaped)</title>
            <desc id="description">\(description.escaped)</desc>
            \(sheet)
            """
        return ([head] + elements + ["</svg>", ""]).joined(separator: "\n")
    }

    /// `look` is the class in the style sheet.
    package static func text(
        _ text: String, x: Double, y: Double, look: String? = nil, _ anchor: Anchor = .start
    ) -> String {
        let look = look.map { " class=\"\($0)\"" } ?? ""
        let end = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        return "<text\(look) x=\"\(x.pixels)\" y=\"\(y.pixels)\"\(end)>\(text.escaped)</text>"
    }
}

extension Double {
    /// In pixels, with at most one decimal.
    package var pixels: String { shortText(digits: 1) }
}

extension String {
    /// Escapes XML's special characters; U+FFFD stands for those that XML 1.0 doesn't allow.
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

    /// An upper estimate of the width in DejaVu Sans, the widest of the common fonts.
    func width(size: Double = 11, isStrong: Bool = false) -> Double {
        let share = isStrong ? 0.72 : 0.67
        // Chinese, Japanese and Korean characters, and emoji, are as wide as they are high.
        return unicodeScalars.reduce(0.0) { $0 + ($1.value < 0x1100 ? share : 1.4) } * size
    }
}

/// A class of the style sheet.
enum PictureLook: Equatable {
    case neutral
    /// One of six lines, which also differ by their dashes.
    case line(Int)
    case grid
    case change

    var name: String {
        switch self {
        case .neutral: "offered"
        case .line(let number): "line\(number + 1)"
        case .grid: "grid"
        case .change: "change"
        }
    }

    /// For light and dark pages.
    static let sheet = """
        <style>
        text{font:11px ui-sans-serif,system-ui,-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;fill:#59636e}
        .page{fill:#ffffff}
        .heading{font-size:14px;font-weight:600;fill:#1f2328}
        .strong{font-weight:600;fill:#1f2328}
        .warning{font-size:12px;font-weight:600;fill:#bc4c00}
        .named{fill:#8250df}
        path{fill:none;stroke-linecap:round;stroke-linejoin:round;stroke-width:1.6}
        .grid{stroke:#d1d9e0;stroke-width:1}
        .offered{stroke:#818b98;stroke-width:3;stroke-opacity:.6}
        .change{stroke:#8250df;stroke-width:1;stroke-dasharray:2 3}
        .line1{stroke:#0969da}
        .line2{stroke:#bc4c00;stroke-dasharray:6 3}
        .line3{stroke:#8250df;stroke-dasharray:1 4}
        .line4{stroke:#1a7f37;stroke-dasharray:9 3 2 3}
        .line5{stroke:#1f2328;stroke-dasharray:3 3}
        .line6{stroke:#bf3989;stroke-dasharray:12 4}
        .closed{fill:#818b98}
        .half-open{fill:#bf8700}
        .open{fill:#bc4c00}
        .other{fill:#59636e}
        @media (prefers-color-scheme:dark){
        text{fill:#9198a1}
        .page{fill:#0d1117}
        .heading,.strong{fill:#f0f6fc}
        .warning{fill:#f0883e}
        .named{fill:#ab7df8}
        .grid{stroke:#3d444d}
        .change{stroke:#ab7df8}
        .line1{stroke:#4493f8}
        .line2{stroke:#f0883e}
        .line3{stroke:#ab7df8}
        .line4{stroke:#3fb950}
        .line5{stroke:#f0f6fc}
        .line6{stroke:#db61a2}
        .closed,.other{fill:#656c76}
        .half-open{fill:#d29922}
        .open{fill:#f0883e}
        }
        </style>
        """
}
