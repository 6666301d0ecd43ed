import PledgeFutures
import PledgeServices

extension RecordedCall {
    /// Draws the call as text along a time axis, with a line for each span and each mark.
    ///
    /// ```text
    ///               0.0 ms     30.0 ms     start     took
    /// load product |==================|   0.0 ms  30.0 ms  success
    ///   attempt 1  |xxxxxx            |   0.0 ms  10.0 ms  retryable error=Busy
    ///   * retrying |      *           |  10.0 ms           after_ms=10 error=Busy
    ///   attempt 2  |            ======|  20.0 ms  10.0 ms  success
    /// ```
    ///
    /// A span is drawn with `=` if it succeeded, `x` if it failed, `-` if its end is ignorable (for example, if a hedge
    /// was cancelled), and `>` if it hasn't ended. It takes at least one column. A span's children are below it and
    /// indented. Spans that overlap in time overlap in the drawing. Times are counted from the first event.
    ///
    /// Columns are aligned as if each character were one column wide. An invisible character is drawn as `?`. A name
    /// of more than 32 characters is cut, and so is a text of more than 100 characters at the end of a line.
    ///
    /// - Parameter width: The number of columns for the whole time, 10…1000. Anything else is a programming error and
    ///   traps.
    /// - Returns: Lines with a newline after each, without spaces at their ends.
    public func waterfall(width: Int = 40) -> String { waterfall(width: width, style: .plain) }

    /// Draws the call as ``waterfall(width:)`` does, in a style.
    ///
    /// - Parameters:
    ///   - width: The number of columns for the whole time, 10…1000. Anything else is a programming error and traps.
    ///   - style: The style: plain, or with a terminal's colours for bars, outcomes and facts.
    /// - Returns: Lines with a newline after each, without spaces at their ends.
    public func waterfall(width: Int = 40, style: WaterfallStyle) -> String {
        precondition(
            (10...1_000).contains(width), "a waterfall needs a width in 10...1000, not \(width)")
        guard let extent else { return "" }
        return Waterfall(of: self, from: extent.first, to: extent.last, width: width)
            .text(in: style)
    }
}

private struct Waterfall {
    static let longestLabel = 32
    static let longestNote = 100
    static let deepest = 10

    struct Line {
        var label = ""
        var bar = ""
        var start = ""
        var took = ""
        var note = ""
        let kind: WaterfallColour
    }

    let scale: TimeScale
    private var lines: [Line] = []
    private let dropped: Int

    init(
        of call: RecordedCall, from first: SchedulerInstant, to last: SchedulerInstant, width: Int
    ) {
        scale = TimeScale(from: first, to: last, columns: width)
        dropped = call.eventsDropped
        for row in call.rows {
            let indent = String(repeating: "  ", count: min(row.depth, Self.deepest))
            var line =
                switch row.content {
                case .span(let span): line(for: span)
                case .mark(let mark): line(for: mark)
                }
            line.label = (indent + line.label.inOneLine).clipped(to: Self.longestLabel)
            line.note = line.note.inOneLine.clipped(to: Self.longestNote)
            lines.append(line)
        }
    }

    private func line(for span: RecordedCall.Span) -> Line {
        let fill: Character =
            switch span.outcome {
            case "success": "="
            case "ignorable": "-"
            case "": ">"
            default: "x"
            }
        return Line(
            label: span.name, bar: scale.bar(from: span.start, to: span.end, of: fill),
            start: scale.text(of: span.start),
            took: span.end.map { scale.text(from: span.start, to: $0) } ?? "",
            note: ([span.end == nil ? "unfinished" : span.outcome] + span.facts.map(\.text))
                .joined(separator: " "),
            kind: WaterfallColour(ofOutcome: span.outcome))
    }

    private func line(for mark: RecordedCall.Mark) -> Line {
        Line(
            label: "* \(mark.word)", bar: scale.bar(from: mark.instant, to: mark.instant, of: "*"),
            start: scale.text(of: mark.instant),
            note: mark.facts.map(\.text).joined(separator: " "), kind: .mark)
    }

    func text(in style: RecordedCall.WaterfallStyle) -> String {
        let label = lines.map(\.label.count).max() ?? 0
        let start = max(5, lines.map(\.start.count).max() ?? 0)
        let took = max(4, lines.map(\.took.count).max() ?? 0)
        var text = [
            "".padded(to: label) + "  \(scale.heading) ",
            "start".padded(to: start, isRight: true), "took".padded(to: took, isRight: true),
        ].joined(separator: "  ").withoutSpacesAtEnd
        for line in lines {
            text +=
                [
                    "\(line.label.padded(to: label)) |\(line.kind.paint(line.bar, in: style))|",
                    line.start.padded(to: start, isRight: true),
                    line.took.padded(to: took, isRight: true),
                    line.kind.paint(line.note, in: style),
                ].joined(separator: "  ").withoutSpacesAtEnd
        }
        if dropped > 0 { text += "and \(dropped) more events that were not kept\n" }
        return text
    }
}

extension String {
    fileprivate func clipped(to count: Int) -> String {
        self.count > count ? prefix(count - 1) + "…" : self
    }

    fileprivate func padded(to count: Int, isRight: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, count - self.count))
        return isRight ? spaces + self : self + spaces
    }

    fileprivate var withoutSpacesAtEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return text + "\n"
    }
}

extension RecordedCall {
    /// The style of a waterfall.
    ///
    /// Every colour repeats the meaning of a character or a word, so a drawing without colours says the same.
    public enum WaterfallStyle: Sendable {
        /// Plain text, for files, logs and comparisons.
        case plain
        /// Text with a terminal's colours around bars, outcomes and facts.
        ///
        /// The colours are escape sequences (ECMA-48, "Select Graphic Rendition"). Without them, the text is the same
        /// as ``plain``.
        case ansi
    }
}

/// The colours of a waterfall, by their numbers in a terminal's escape sequences.
enum WaterfallColour: Int {
    case success = 32
    case failure = 31
    case retryable = 33
    case ignorable = 90
    case unfinished = 36
    case mark = 35

    /// Creates the colour for a span's outcome, which is empty while the span is in progress.
    init(ofOutcome outcome: String) {
        switch outcome {
        case "success": self = .success
        case "retryable": self = .retryable
        case "ignorable": self = .ignorable
        case "": self = .unfinished
        default: self = .failure
        }
    }

    /// Returns a text in this colour, if the style has colours and the text isn't empty.
    func paint(_ text: String, in style: RecordedCall.WaterfallStyle) -> String {
        switch style {
        case .ansi where !text.isEmpty: "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
        case .ansi, .plain: text
        }
    }
}

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

    /// Returns a bar from one instant to another, or to the last instant if `end` is nil.
    ///
    /// The bar takes at least one column. A column is filled if any part of its time belongs to the bar.
    func bar(
        from start: SchedulerInstant, to end: SchedulerInstant?, of fill: Character
    ) -> String {
        let begin = min(column(of: start).floor, columns - 1)
        let stop = max(begin + 1, column(of: end ?? last).ceiling)
        return String(repeating: " ", count: begin) + String(repeating: fill, count: stop - begin)
            + String(repeating: " ", count: columns - stop)
    }

    /// The heading of the columns, with the first time at the left end and the last time at the right end.
    var heading: String {
        let (left, right) = (text(of: first), text(of: last))
        let space = columns - left.count - right.count
        if space >= 1 { return left + String(repeating: " ", count: space) + right }
        return String(repeating: " ", count: max(0, columns - right.count)) + right
    }

    /// Returns the time from the first instant to another one, as text.
    func text(of instant: SchedulerInstant) -> String { text(from: first, to: instant) }

    func text(from start: SchedulerInstant, to end: SchedulerInstant) -> String {
        "\(start.duration(to: end).rounded(to: unit)) \(unit.symbol)"
    }

    /// Returns the column of an instant, rounded down and rounded up.
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
    fileprivate var symbol: String {
        switch self {
        case .microsecond: "µs"
        case .millisecond: "ms"
        case .second: "s"
        }
    }
}

extension Duration {
    /// Returns the duration, rounded to one digit after the point; zero if it is negative.
    func rounded(to unit: DecimalUnit) -> String {
        let size = unit.rawValue
        let (whole, rest) = max(0, nanoseconds).quotientAndRemainder(dividingBy: size)
        let tenths = (rest * 10 + size / 2) / size
        return tenths == 10 ? "\(whole + 1).0" : "\(whole).\(tenths)"
    }
}
