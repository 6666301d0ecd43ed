/// The rules of the limit by correlation, computed from the whole history.
///
/// It is for limits from 1 to 200 and windows without drops.
struct CorrelationOracle {
    enum Reason: Hashable, CaseIterable {
        case queue
        case throughput
        case time
        case throughputAndTime
        case inFlight
        case grows
        case stays
    }

    private(set) var limit: Int
    private var percentiles: [Double] = []
    private var medians: [Double] = []
    private var history: [(inFlight: Double, time: Double)] = []

    init(limit: Int) { self.limit = limit }

    mutating func window(_ percentile: Double, _ inFlight: Int, _ isFull: Bool) -> Reason {
        percentiles.append(percentile)
        let last = percentiles.suffix(5).sorted()
        medians.append(last[last.count / 2])
        let averages = averages(of: medians, weight: 1.0 / 3)
        let now = averages.last!
        let baseline = self.averages(of: averages, weight: 2.0 / 11).last!
        history.append((Double(inFlight), now))
        let recent = history.suffix(50)
        let throughput = correlation(recent.map { ($0.inFlight, $0.inFlight / $0.time) })
        let time = correlation(recent.map { ($0.inFlight, $0.time) })
        let step = limit < 100 ? 1 : 2
        let waiting = Int((Double(limit) * (1 - baseline / now)).rounded(.up))
        var reason = Reason.stays
        if waiting < 3 * step { reason = .grows }
        if isFull, throughput < 0.3, time > 0.5 { reason = .time }
        if isFull, throughput < 0 { reason = time > 0.5 ? .throughputAndTime : .throughput }
        if waiting > 6 * step { reason = .queue }
        let change = reason == .grows ? step : reason == .stays ? 0 : -step
        if limit + change > 5 * inFlight { reason = .inFlight }
        limit = min(200, max(1, limit + (reason == .inFlight ? -step : change)))
        return reason
    }

    /// The moving averages of a series: of the first ten the plain means.
    private func averages(of values: [Double], weight: Double) -> [Double] {
        var averages: [Double] = []
        for (index, value) in values.enumerated() {
            if index < 10 {
                averages.append(values[...index].reduce(0, +) / Double(index + 1))
            } else {
                averages.append(weight * value + (1 - weight) * averages[index - 1])
            }
        }
        return averages
    }

    private func correlation(_ pairs: [(Double, Double)]) -> Double {
        guard pairs.count >= 10 else { return 0 }
        let count = Double(pairs.count)
        let (x, y) = (pairs.map(\.0).reduce(0, +), pairs.map(\.1).reduce(0, +))
        let xx = pairs.map { $0.0 * $0.0 }.reduce(0, +) * count - x * x
        let yy = pairs.map { $0.1 * $0.1 }.reduce(0, +) * count - y * y
        let xy = pairs.map { $0.0 * $0.1 }.reduce(0, +) * count - x * y
        guard xx.squareRoot() >= 0.01 * x, yy.squareRoot() >= 0.01 * y else { return 0 }
        return xy / (xx * yy).squareRoot()
    }
}
