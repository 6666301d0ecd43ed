import Foundation

extension Chart {
    /// Where a factor lies on the picture.
    struct Scale {
        /// The factors that have a line of their own; one of them is 1.
        let marks: [Double]
        private let from: Double
        private let to: Double

        /// A scale that shows all factors from a 32nd to the 128-fold; what lies beyond is cut.
        init(of factors: [Double], from: Double, to: Double) {
            let low = max(-5, min(-1, (log2(factors.min() ?? 1)).rounded(.down)))
            let high = min(7, max(1, (log2(factors.max() ?? 1)).rounded(.up)))
            marks = stride(from: low, through: high, by: 1).map { exp2($0) }
            (self.from, self.to) = (from, to)
        }

        func x(_ factor: Double) -> Double {
            let (low, high) = (log2(marks[0]), log2(marks[marks.count - 1]))
            let place = (min(max(log2(factor), low), high) - low) / (high - low)
            return from + place * (to - from)
        }
    }

    static let stylesheet = """
        <style>
        .page { fill: #ffffff }
        text { fill: #1f2328; font-size: 11px }
        .title { font-size: 17px; font-weight: 600 }
        .note, .time, .mark-name { fill: #59636e; font-size: 10.5px }
        .name { font-weight: 600; font-size: 12px }
        .name, .time { text-anchor: end }
        .mark-name, .pledge-name { text-anchor: middle }
        .pledge-name { font-weight: 700; fill: #0969da }
        .mark { stroke: #d1d9e0; stroke-width: 1 }
        .pledge { stroke: #0969da; stroke-width: 2 }
        .nio { fill: #e8710a } .combine { fill: #9a5fd0 } .http { fill: #2f9e62 }
        .floor { fill: #a3acb6 }
        @media (prefers-color-scheme: dark) {
        .page { fill: #0d1117 }
        text { fill: #e6edf3 }
        .note, .time, .mark-name { fill: #9198a1 }
        .pledge-name { fill: #58a6ff }
        .mark { stroke: #2b323b } .pledge { stroke: #58a6ff }
        .floor { fill: #6b7580 }
        }
        </style>
        """

    /// Which colour a way has: one of its own where it is another library's.
    static func style(of way: String) -> String {
        switch way {
        case "SwiftNIO": "nio"
        case "OpenCombine": "combine"
        case "AsyncHTTPClient": "http"
        default: "floor"
        }
    }

    static func text(_ words: String, x: Double, y: Double, _ style: String) -> String {
        let escaped = words.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
        return "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped)</text>"
    }

    static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    /// How many times as long something takes.
    static func factor(_ value: Double) -> String {
        switch value {
        case 9.5...: String(format: "%.0f×", value)
        case 1.95...: String(format: "%.1f×", value)
        case 0.095...: String(format: "%.2f×", value)
        default: String(format: "1/%.0f", 1 / value)
        }
    }

    /// A power of two.
    static func mark(_ value: Double) -> String {
        value < 1 ? String(format: "1/%.0f", 1 / value) : String(format: "%.0f×", value)
    }

    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: String(format: "%.3g ns", nanoseconds)
        case ..<1_000_000: String(format: "%.3g µs", nanoseconds / 1_000)
        default: String(format: "%.3g ms", nanoseconds / 1_000_000)
        }
    }
}
