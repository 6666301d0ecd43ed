import PledgeFutures

extension Duration {
    /// A unit of durations.
    package enum DecimalUnit: Int64 {
        case microsecond = 1_000
        case millisecond = 1_000_000
        case second = 1_000_000_000
    }

    /// The duration as a decimal number, exact to the nanosecond, without zeros at the end.
    ///
    /// It is limited to about 292 years.
    package func decimal(in unit: DecimalUnit) -> String {
        let magnitude = nanoseconds.magnitude
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: UInt64(unit.rawValue))
        let sign = nanoseconds < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        let digits = String(String(UInt64(unit.rawValue) + rest).dropFirst())
        return "\(sign)\(whole).\(digits.trimmingZeros)"
    }

    /// The duration, not less than zero, rounded to one digit after the point.
    func rounded(to unit: DecimalUnit) -> String {
        let size = unit.rawValue
        let (whole, rest) = max(0, nanoseconds).quotientAndRemainder(dividingBy: size)
        let tenths = (rest * 10 + size / 2) / size
        return tenths == 10 ? "\(whole + 1).0" : "\(whole).\(tenths)"
    }
}

extension String {
    fileprivate var trimmingZeros: Substring {
        var text = self[...]
        while text.last == "0" { text.removeLast() }
        return text
    }
}
