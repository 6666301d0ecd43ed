import Foundation
import Pledge
import PledgeObservation

/// The terminal that gets the program's output.
enum Terminal {
    /// The style of waterfalls on standard output.
    static var waterfallStyle: RecordedCall.WaterfallStyle {
        waterfallStyle(isTerminal: isatty(1) != 0, in: ProcessInfo.processInfo.environment)
    }

    /// Returns a style with colours if the output is a terminal that has them.
    ///
    /// If `NO_COLOR` is set and not empty, the style has no colours (no-color.org).
    static func waterfallStyle(
        isTerminal: Bool, in environment: [String: String]
    ) -> RecordedCall.WaterfallStyle {
        guard isTerminal, environment["NO_COLOR", default: ""].isEmpty,
            environment["TERM"] != "dumb"
        else { return .plain }
        return .ansi
    }
}

/// Makes foreign text safe for a terminal, so that it can't move the cursor or change colours.
enum Printable {
    private static let byteLimit = 600
    private static let lineLimit = 12

    /// Returns the text on one line, with at most 500 characters.
    static func line(_ text: String) -> String {
        let safe = text.unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : escaped($0) }
        return safe.count > 500 ? safe.prefix(500).joined() + "…" : safe.joined()
    }

    /// Returns the text on one line, in quotation marks.
    static func quoted(_ text: String) -> String { "\"\(line(text))\"" }

    /// Returns the beginning of a body: its first lines if it is text, otherwise its first bytes.
    static func beginning(of body: Data) -> String {
        if body.isEmpty { return "(the body is empty)" }
        let start = body.prefix(byteLimit)
        guard let text = text(of: start, isCut: start.count < body.count) else {
            return bytes(of: body)
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let shown = lines.prefix(lineLimit).map { $0.unicodeScalars.map(escaped).joined() }
        let isWhole = start.count == body.count && lines.count <= lineLimit
        return shown.joined(separator: "\n") + (isWhole ? "" : "\n…")
    }

    /// Returns the bytes as text; nil if they aren't text.
    ///
    /// If the bytes were cut, an incomplete character at their end is dropped.
    private static func text(of bytes: Data, isCut: Bool) -> String? {
        if bytes.contains(0) { return nil }
        for cut in 0...(isCut ? min(3, bytes.count) : 0) {
            if let text = String(data: bytes.dropLast(cut), encoding: .utf8) {
                return text.replacing("\r\n", with: "\n")
            }
        }
        return nil
    }

    /// Returns the first bytes, sixteen per line.
    private static func bytes(of body: Data) -> String {
        let rows = stride(from: 0, to: min(body.count, 64), by: 16).map { start in
            body.dropFirst(start).prefix(16).map { String(format: "%02x", $0) }
                .joined(separator: " ")
        }
        return (["(binary)"] + rows + (body.count > 64 ? ["…"] : [])).joined(separator: "\n")
    }

    /// Returns a scalar unchanged, or as an escape if a terminal might interpret it.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control where scalar != "\t", .format, .lineSeparator, .paragraphSeparator,
            .privateUse, .unassigned:
            "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: String(scalar)
        }
    }
}
