/// When the calls of a scenario are made.
public struct Arrivals {
    enum Kind {
        case poisson([(until: Nanoseconds, rate: Double)])
        case even(rate: Double)
        case recorded([Nanoseconds])
        case closed(clients: Int, thinkTime: Distribution)
    }

    let kind: Kind

    /// Calls that do not know of each other, at a rate: a Poisson process.
    ///
    /// - Parameter rate: Calls a second; 0 or less traps.
    public static func poisson(rate: Double) -> Arrivals {
        .poisson([(.seconds(Int64.max / 1_000_000_000), rate)])
    }

    /// A Poisson process whose rate changes: bursts, or the curve of a day.
    ///
    /// - Parameter phases: Until when which rate holds, in calls a second, in ascending order. After the last one no
    ///   call is made. No rate may be below 0.
    public static func poisson(_ phases: [(until: Duration, rate: Double)]) -> Arrivals {
        for phase in phases {
            precondition(phase.rate >= 0, "a rate is 0 or more, not \(phase.rate)")
        }
        precondition(
            zip(phases, phases.dropFirst()).allSatisfy { $0.until < $1.until } && !phases.isEmpty,
            "the phases of arrivals are in ascending order")
        return Arrivals(kind: .poisson(phases.map { (Nanoseconds($0.until), $0.rate) }))
    }

    /// Calls at equal distances.
    ///
    /// - Parameter rate: Calls a second; 0 or less traps.
    public static func even(rate: Double) -> Arrivals {
        precondition(rate > 0, "a rate is above 0, not \(rate)")
        return Arrivals(kind: .even(rate: rate))
    }

    /// Calls at given times from the beginning, in ascending order.
    public static func recorded(_ times: [Duration]) -> Arrivals {
        precondition(
            zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
                && (times.first ?? .zero) >= .zero,
            "recorded arrivals are in ascending order")
        return Arrivals(kind: .recorded(times.map { Nanoseconds($0) }))
    }

    /// Clients that each make one call after the other: a slow fleet gets fewer calls.
    ///
    /// - Parameters:
    ///   - clients: How many; less than 1 traps.
    ///   - thinkTime: How long each waits from the end of a call to its next one, and before its first.
    public static func closed(clients: Int, thinkTime: Distribution) -> Arrivals {
        precondition(clients >= 1, "a closed loop needs a client, not \(clients)")
        return Arrivals(kind: .closed(clients: clients, thinkTime: thinkTime))
    }
}

extension Arrivals: Sendable {}
extension Arrivals.Kind: Sendable {}
