/// Where times stand in a picture, and which have labels.
struct TimeAxis {
    static let left = 64.0
    static let right = 868.0

    private let duration: Double

    init(_ duration: Double) { self.duration = duration > 0 ? duration : 1 }

    /// Where a number of seconds stands.
    func x(of time: Double) -> Double {
        Self.left + (Self.right - Self.left) * min(max(time / duration, 0), 1)
    }

    /// The times that have labels, ten or so.
    var marks: [Double] {
        let steps = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200,
            86_400,
        ]
        let step = steps.first { duration / Double($0) <= 10 } ?? Int(duration / 10)
        return stride(from: 0, through: duration, by: Double(step)).map { $0 }
    }
}
