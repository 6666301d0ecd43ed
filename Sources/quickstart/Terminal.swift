import Foundation
import Pledge

/// Where the program's output goes.
enum Terminal {
    /// How a waterfall is drawn on standard output.
    static var waterfallStyle: RecordedCall.WaterfallStyle {
        waterfallStyle(isTerminal: isatty(1) != 0, in: ProcessInfo.processInfo.environment)
    }

    /// With colours on a terminal that has them, unless the reader wants none: `NO_COLOR` is set and not
    /// empty (no-color.org).
    static func waterfallStyle(
        isTerminal: Bool, in environment: [String: String]
    ) -> RecordedCall.WaterfallStyle {
        guard isTerminal, environment["NO_COLOR", default: ""].isEmpty,
            environment["TERM"] != "dumb"
        else { return .plain }
        return .ansi
    }
}
