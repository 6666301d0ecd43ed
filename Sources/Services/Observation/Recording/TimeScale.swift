import PledgeFutures

/// An interval of time that is drawn in columns.
struct TimeScale {
    private let first: SchedulerInstant
    private let last: SchedulerInstant
    private let columns: Int
    private let unit: Duration.DecimalUnit

    init(from first: SchedulerInstant, to last: SchedulerInstant, columns: Int) {
        self.first = first
        self.last = last
        self.columns = columns
        let total = first.duration(to: last)
        unit =
            total < .milliseconds(1)
            ? .microsecond : total < .seconds(10) ? .millisecond : .second
    }

    /// A bar from one instant to another, or to the end if that is nil: a column at least.
    ///
    /// A column is filled if any part of its time belongs to the bar.
    func bar(
        from start: SchedulerInstant, to end: SchedulerInstant?, of fill: Character
    ) -> String {
        let begin = min(column(of: start).floor, columns - 1)
        let stop = max(begin + 1, column(of: end ?? last).ceiling)
        return String(repeating: " ", count: begin) + String(repeating: fill, count: stop - begin)
            + String(repeating: " ", count: columns - stop)
    }

    /// The first and the last time, at the ends of the columns.
    var heading: String {
        let (left, right) = (text(of: first), text(of: last))
        let space = columns - left.count - right.count
        if space >= 1 { return left + String(repeating: " ", count: space) + right }
        return String(repeating: " ", count: max(0, columns - right.count)) + right
    }

    /// The time from the first instant to another.
    func text(of instant: SchedulerInstant) -> String { text(from: first, to: instant) }

    /// The time between two instants.
    func text(from start: SchedulerInstant, to end: SchedulerInstant) -> String {
        "\(start.duration(to: end).rounded(to: unit)) \(unit.symbol)"
    }

    /// The column of an instant, in whole numbers.
    private func column(of instant: SchedulerInstant) -> (floor: Int, ceiling: Int) {
        let total = UInt64(max(0, first.duration(to: last).nanoseconds))
        let offset = min(total, UInt64(max(0, first.duration(to: instant).nanoseconds)))
        guard total > 0 else { return (0, 0) }
        let (quotient, remainder) = total.dividingFullWidth(
            offset.multipliedFullWidth(by: UInt64(columns)))
        return (Int(quotient), Int(quotient) + (remainder > 0 ? 1 : 0))
    }
}

extension Duration.DecimalUnit {
    /// The unit's symbol.
    fileprivate var symbol: String {
        switch self {
        case .microsecond: "µs"
        case .millisecond: "ms"
        case .second: "s"
        }
    }
}
