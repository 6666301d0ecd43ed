import Foundation

/// Measured results beside simulated ones.
struct Comparison {
    /// The largest difference between a simulated percentile and the measured one, as a share of the measured one.
    static let limits = (median: 0.1, tail: 0.2)

    let name: String
    let measured: Outcome
    /// The simulations, one for each seed.
    let simulations: [Outcome]

    var simulated: Outcome { Outcome(meanOf: simulations) }

    var difference: (median: Double, tail: Double) {
        (simulated.median / measured.median - 1, simulated.tail / measured.tail - 1)
    }

    var isWithinLimits: Bool {
        abs(difference.median) <= Self.limits.median && abs(difference.tail) <= Self.limits.tail
    }
}

// MARK: - The table

extension Comparison {
    /// The head of a table in Markdown.
    static let head = [
        row([
            "Load", "p50 measured", "simulated", "difference", "p99 measured", "simulated (seeds)",
            "difference", "goodput", "requests a call", "within the limits",
        ]), "|---|" + String(repeating: "---:|", count: 8) + "---|",
    ]

    /// The row of this comparison, in milliseconds.
    ///
    /// Simulated values are means over the seeds. The tail also shows the lowest and the highest value.
    var row: String {
        let tails = simulations.map(\.tail)
        let range = "\(Self.milliseconds(tails.min()!))–\(Self.milliseconds(tails.max()!))"
        return Self.row([
            name, Self.milliseconds(measured.median), Self.milliseconds(simulated.median),
            Self.percent(difference.median), Self.milliseconds(measured.tail),
            "\(Self.milliseconds(simulated.tail)) (\(range))", Self.percent(difference.tail),
            Self.pair(measured.goodput, simulated.goodput),
            Self.pair(measured.amplification, simulated.amplification),
            isWithinLimits ? "yes" : "no",
        ])
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    private static func milliseconds(_ seconds: Double) -> String { number(seconds * 1_000, 1) }

    private static func percent(_ share: Double) -> String {
        String(format: "%+.1f %%", share * 100)
    }

    /// Formats a measured and a simulated value.
    private static func pair(_ measured: Double, _ simulated: Double) -> String {
        "\(number(measured, 3)), \(number(simulated, 3))"
    }

    private static func number(_ number: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", number)
    }
}
