/// What a row of a waterfall says about a span or a mark.
struct WaterfallRow {
    let name: String
    let note: String
    let style: PictureStyle
    let indent: Double
    /// In microseconds.
    let start: Double
    let took: Double

    var nameWidth: Double { indent + PictureTextStyle.code.width(of: name) }

    init(_ row: CallTrace.Row) {
        let event = row.event
        name = event.name.replacing("_", with: " ")
        indent = Double(row.depth) * WaterfallPicture.indent
        start = event.ts
        took = event.dur ?? 0
        let error = [event.fact("error"), event.fact("code")].compactMap { $0 }
            .joined(separator: " ")
        guard event.ph == "X" else {
            style = .mark
            note = Self.note(ofMark: event, error)
            return
        }
        let outcome = event.fact("outcome") ?? ""
        switch outcome {
        case "success": style = .success
        case "ignorable": style = .ignored
        case "": style = .unfinished
        default: style = .failed
        }
        let end = error.isEmpty ? (outcome.isEmpty ? "not ended" : outcome) : error
        note = "\(PictureScale.text(of: took)), \(end)"
    }

    private static func note(ofMark event: CallTrace.Event, _ error: String) -> String {
        let facts: [String?] = [
            event.fact("after_ms").map { "after \(Self.text(ofMilliseconds: $0))" },
            event.fact("latency_ms").map { Self.text(ofMilliseconds: $0) },
            event.fact("callers").map { "\($0) callers" },
            event.fact("length").map { "\($0) in the queue" },
            event.fact("number").map { "number \($0)" },
            event.fact("reason"),
            event.fact("to").map { "\(event.fact("from") ?? "") → \($0)" },
            error.isEmpty ? nil : error,
        ]
        return facts.compactMap { $0 }.joined(separator: ", ")
    }

    private static func text(ofMilliseconds text: String) -> String {
        PictureScale.text(of: (Double(text) ?? 0) * 1_000)
    }
}
