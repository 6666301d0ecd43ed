struct ValueScale {
    enum Kind {
        /// From 0, or from the smallest value if that is negative.
        case linear
        /// Seconds, marked at powers of ten.
        case logarithmic
    }

    private let kind: Kind
    private let low: Double
    private let high: Double
    /// The values with a line and a label.
    private(set) var marks: [(value: Double, label: String)] = []

    /// `most` is the number of marks that fit, at least two.
    init(_ kind: Kind, for values: [Double], marks most: Int) {
        self.kind = kind
        switch kind {
        case .linear:
            high = Self.round(above: values.max() ?? 1)
            low = min(values.min() ?? 0, 0) < 0 ? -Self.round(above: -(values.min() ?? 0)) : 0
            let middle = most > 2 ? [(low + high) / 2] : []
            marks = ([low] + middle + [high]).map { ($0, Self.label(of: $0)) }
        case .logarithmic:
            let positive = values.filter { $0 > 0 }
            low = Self.power(of: positive.min() ?? 0.001).rounded(.down)
            let top = max(Self.power(of: positive.max() ?? 1).rounded(.up), low + 1)
            let step = ((top - low) / Double(most - 1)).rounded(.up)
            high = low + step * ((top - low) / step).rounded(.up)
            marks = stride(from: low, through: high, by: step).map {
                let value = PortableMath.exp($0 * Self.logOfTen)
                return (value, Self.label(ofPower: Int($0)))
            }
        }
    }

    /// 0 at the bottom, 1 at the top.
    func place(of value: Double) -> Double {
        let number = kind == .linear ? value : value > 0 ? Self.power(of: value) : low
        return min(max((number - low) / (high - low), 0), 1)
    }

    private static let logOfTen = 2.302585092994046

    /// The base-10 logarithm, rounded if it's very near a whole number.
    private static func power(of value: Double) -> Double {
        let power = PortableMath.log(value) / logOfTen
        let whole = power.rounded()
        return (power - whole).magnitude < 1e-9 ? whole : power
    }

    /// The next round number: 1, 2, 2.5, 4, 5, 6, 8 or 10 times a power of ten.
    private static func round(above value: Double) -> Double {
        guard value > 0 else { return 1 }
        var unit = 1.0
        while unit * 10 < value { unit *= 10 }
        while unit >= value { unit /= 10 }
        return [1, 2, 2.5, 4, 5, 6, 8].map { $0 * unit }.first { $0 >= value } ?? 10 * unit
    }

    private static func label(of value: Double) -> String {
        value.magnitude >= 1_000 && value.magnitude < 1e15
            ? Int(value).grouped : value.shortText(digits: 3)
    }

    private static func label(ofPower power: Int) -> String {
        let units = [(0, "s"), (-3, "ms"), (-6, "µs")]
        let (base, unit) = units.first { power >= $0.0 } ?? (-9, "ns")
        let zeros = String(repeating: "0", count: max(power - base, 0))
        return "1\(zeros) \(unit)"
    }
}

struct TimeAxis {
    static let left = 64.0
    static let right = 868.0

    private let duration: Double

    init(_ duration: Double) { self.duration = duration > 0 ? duration : 1 }

    func x(of time: Double) -> Double {
        Self.left + (Self.right - Self.left) * min(max(time / duration, 0), 1)
    }

    /// The labelled times, about ten.
    var marks: [Double] {
        let steps = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200,
            86_400,
        ]
        let step = steps.first { duration / Double($0) <= 10 } ?? Int(duration / 10)
        return stride(from: 0, through: duration, by: Double(step)).map { $0 }
    }
}
