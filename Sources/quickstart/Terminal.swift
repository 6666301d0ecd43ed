import Foundation
import Pledge

/// The destination of the program's output.
enum Terminal {
    /// The style of waterfalls on standard output.
    static var waterfallStyle: RecordedCall.WaterfallStyle {
        waterfallStyle(isTerminal: isatty(1) != 0, in: ProcessInfo.processInfo.environment)
    }

    /// Uses colours on a terminal that has them, unless `NO_COLOR` is set and not empty (no-color.org).
    static func waterfallStyle(
        isTerminal: Bool, in environment: [String: String]
    ) -> RecordedCall.WaterfallStyle {
        guard isTerminal, environment["NO_COLOR", default: ""].isEmpty,
            environment["TERM"] != "dumb"
        else { return .plain }
        return .ansi
    }
}
