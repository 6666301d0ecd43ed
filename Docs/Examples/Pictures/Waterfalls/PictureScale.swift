import PledgeSimulation

/// Where the instants of a run stand in a picture.
struct PictureScale {
    let left: Double
    let right: Double
    /// The last instant, in microseconds from the first.
    let end: Double

    init(from left: Double, to right: Double, end: Double) {
        self.left = left
        self.right = right
        self.end = max(end, 1)
    }

    /// The place of an instant.
    func x(of time: Double) -> Double { left + (right - left) * time / end }

    /// Round instants, from the first to the last at most.
    var ticks: [Double] {
        let steps = [1.0, 2, 5].flatMap { digit in
            (0...8).map { power in
                (0..<power).reduce(digit) { step, _ in step * 10 }
            }
        }
        let step = steps.sorted().first { end / $0 <= 6 } ?? end
        return (0...Int(end / step)).map { Double($0) * step }
    }

    /// What a tick is called.
    func label(of tick: Double) -> String { tick == 0 ? "0" : Self.text(of: tick) }

    /// A time in words, in the greatest unit in which it has three digits before the point at most.
    static func text(of microseconds: Double) -> String {
        switch abs(microseconds) {
        case 0: "0 ms"
        case ..<1_000: "\(microseconds.pixels) µs"
        case ..<1_000_000: "\((microseconds / 1_000).pixels) ms"
        case ..<120_000_000: "\((microseconds / 1_000_000).pixels) s"
        default: "\((microseconds / 60_000_000).pixels) min"
        }
    }
}
