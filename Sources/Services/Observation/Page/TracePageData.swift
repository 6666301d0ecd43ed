import PledgeFutures

/// Recorded calls as JSON that may stand in a script element of HTML.
///
/// Each call has its number, its name, its first and last instant, the number of events that were not kept,
/// and its rows: the spans and their events, in the order and with the depth of the waterfall. Times are in
/// milliseconds, counted from the first instant of all calls.
struct TracePageData {
    let json: String

    init(of calls: [RecordedCall]) {
        let zero = calls.compactMap { $0.extent?.first }.min() ?? SchedulerInstant(offset: .zero)
        let calls = calls.map { Self.object(of: $0, since: zero) }
        json = "[\(calls.joined(separator: ","))\n]".escapedForScript
    }

    private static func object(of call: RecordedCall, since zero: SchedulerInstant) -> String {
        let extent = call.extent ?? (zero, zero)
        let rows = call.rows.map { row in
            switch row.content {
            case .span(let span): object(of: span, depth: row.depth, since: zero)
            case .mark(let mark): object(of: mark, depth: row.depth, since: zero)
            }
        }
        return "\n{\"number\":\(call.number),\"name\":\(call.name.shown),"
            + "\"start\":\(zero.milliseconds(to: extent.first)),"
            + "\"end\":\(zero.milliseconds(to: extent.last)),"
            + "\"dropped\":\(call.eventsDropped),\"rows\":[\(rows.joined(separator: ","))\n]}"
    }

    /// A span; without an end and an outcome while it is under way.
    private static func object(
        of span: RecordedCall.Span, depth: Int, since zero: SchedulerInstant
    ) -> String {
        var fields = "\"name\":\(span.name.shown),\"attempt\":\(span.attempt)"
        if let end = span.end {
            fields += ",\"end\":\(zero.milliseconds(to: end)),\"outcome\":\(span.outcome.shown)"
        }
        return row(fields, by: span.policy, zero.milliseconds(to: span.start), span.facts, depth)
    }

    private static func object(
        of mark: RecordedCall.Mark, depth: Int, since zero: SchedulerInstant
    ) -> String {
        row(
            "\"event\":\(mark.word.shown)", by: mark.policy, zero.milliseconds(to: mark.instant),
            mark.facts, depth)
    }

    private static func row(
        _ fields: String, by policy: String, _ start: String, _ facts: [EventFact], _ depth: Int
    ) -> String {
        let facts = facts.map { "[\($0.key.shown),\($0.value.shown)]" }.joined(separator: ",")
        return "\n{\"depth\":\(depth),\(fields),\"policy\":\(policy.shown),\"start\":\(start),"
            + "\"facts\":[\(facts)]}"
    }
}

extension SchedulerInstant {
    fileprivate func milliseconds(to other: SchedulerInstant) -> String {
        duration(to: other).decimal(in: .millisecond)
    }
}

extension String {
    /// A string of JSON in which a reader sees every scalar: one that would turn the direction of writing, or
    /// show nothing, is an escape like `\u{202E}`.
    fileprivate var shown: String { withVisibleScalars.quoted }

    /// JSON without the characters by which HTML could take it for a tag, a comment or the element's end.
    ///
    /// They occur only within strings, where JSON has escapes. (HTML, "Restrictions for contents of script
    /// elements".)
    fileprivate var escapedForScript: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes += "\\u003c".utf8
            case UInt8(ascii: ">"): bytes += "\\u003e".utf8
            case UInt8(ascii: "&"): bytes += "\\u0026".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
