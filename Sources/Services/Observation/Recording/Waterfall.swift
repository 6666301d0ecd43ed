import PledgeFutures

extension RecordedCall {
    /// The call as text: a line for each span, drawn over time, and for each mark.
    ///
    /// ```text
    ///               0.0 ms     30.0 ms     start     took
    /// load product |==================|   0.0 ms  30.0 ms  success
    ///   attempt 1  |xxxxxx            |   0.0 ms  10.0 ms  retryable error=Busy
    ///   * retrying |      *           |  10.0 ms           after_ms=10 error=Busy
    ///   attempt 2  |            ======|  20.0 ms  10.0 ms  success
    /// ```
    ///
    /// A span is drawn with `=` if it succeeded, `x` if it failed, `-` if its end is ignorable, as that
    /// of a hedge that was cancelled, and `>` if it has not ended. It has a column at least. The children of
    /// a span are below it and indented; spans that overlap in time overlap in the drawing. Times are those
    /// of the events' instants, counted from the first.
    ///
    /// Columns are aligned, each character counting as one wide. An invisible character is drawn as `?`; a
    /// name of more than 32 characters, and a text of more than 100 at the end, is cut.
    ///
    /// - Parameter width: The number of columns for the whole time; 10…1000. Anything else is a
    ///   programming error and traps.
    /// - Returns: Lines with a newline after each, without spaces at their ends.
    public func waterfall(width: Int = 40) -> String { waterfall(width: width, style: .plain) }

    /// The call as ``waterfall(width:)`` draws it, in a style.
    ///
    /// - Parameters:
    ///   - width: As there.
    ///   - style: Whether bars, outcomes and facts have the colours of a terminal.
    /// - Returns: Lines with a newline after each, without spaces at their ends.
    public func waterfall(width: Int = 40, style: WaterfallStyle) -> String {
        precondition(
            (10...1_000).contains(width), "a waterfall needs a width in 10...1000, not \(width)")
        guard let extent else { return "" }
        return Waterfall(of: self, from: extent.first, to: extent.last, width: width)
            .text(in: style)
    }
}

/// The drawing of one call.
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
