extension Arrivals {
    /// A part of the arrivals: lower rates, fewer clients, or the first of the recorded times.
    ///
    /// Rates are lowered to a tenth of a call a second at most.
    ///
    /// - Returns: Nil if it would be the same, or nothing.
    func lowered(to part: Int, of whole: Int) -> Arrivals? {
        let share = Double(part) / Double(whole)
        switch kind {
        case .poisson(let phases):
            let lowered = phases.map { (until: $0.until, rate: ($0.rate * share).rounded) }
            let (highest, before) = (lowered.map(\.rate).max()!, phases.map(\.rate).max()!)
            return 0.1 <= highest && highest < before ? Arrivals(kind: .poisson(lowered)) : nil
        case .even(let rate):
            let lowered = (rate * share).rounded
            return 0.1 <= lowered && lowered < rate ? .even(rate: lowered) : nil
        case .recorded(let times):
            let count = times.count * part / whole
            return count == 0 ? nil : Arrivals(kind: .recorded(Array(times.prefix(count))))
        case .closed(let clients, let thinkTime):
            let count = clients * part / whole
            return count == 0 ? nil : .closed(clients: count, thinkTime: thinkTime)
        }
    }
}

extension Double {
    /// A rate that is easy to read: whole above 10, in tenths above 1.
    fileprivate var rounded: Double {
        if self >= 10 { return rounded() }
        return self >= 1 ? (self * 10).rounded() / 10 : self
    }
}
