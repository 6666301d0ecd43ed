import PledgeFutures

extension RecordedCall {
    /// The call as JSON in the Trace Event Format, for chrome://tracing and Perfetto.
    ///
    /// An object with the array `traceEvents`: a complete event (`ph` is `X`, with `ts` and `dur` in
    /// microseconds) for each span, an instant event (`i`) for each mark, and metadata (`M`) that name the
    /// call. `cat` is the policy, and `args` has the other properties. Spans that overlap without nesting are
    /// on several threads (`tid`), as the viewers require. Times are counted from the first instant. A span
    /// that has not ended extends to the last instant, and has `"unfinished":true` in its `args`.
    ///
    /// It is ASCII except for letters in names, with the escapes that JSON requires.
    public var chromeTrace: String { ChromeTrace(of: [self]).json }
}

/// Calls in the Trace Event Format. (Duca, Sinclair 2016, "Trace Event Format".)
struct ChromeTrace {
    /// The whole, with one event a line.
    let json: String

    init(of calls: [RecordedCall]) {
        let zero = calls.compactMap { $0.extent?.first }.min() ?? SchedulerInstant(offset: .zero)
        let events = calls.enumerated().flatMap { index, call in
            ProcessTrace(of: call, process: index + 1, since: zero).events
        }
        json =
            "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
            + events.joined(separator: ",\n") + "\n]}\n"
    }
}

/// One call, which the viewer shows as a process.
private struct ProcessTrace {
    /// Keys, and values in JSON.
    typealias Fields = [(String, String)]

    let call: RecordedCall
    let process: Int
    let zero: SchedulerInstant
    let lanes: TraceLanes

    init(of call: RecordedCall, process: Int, since zero: SchedulerInstant) {
        self.call = call
        self.process = process
        self.zero = zero
        lanes = TraceLanes(of: call)
    }

    var events: [String] {
        metadata + call.spans.map(event) + call.marks.map(event)
    }

    private var metadata: [String] {
        let name = "call \(call.number): \(call.name)"
        let threads = Set(lanes.lane.values).sorted().map { lane in
            event(
                "thread_name", "__metadata", "M", at: zero, lane: lane,
                args: [("name", "lane \(lane)".quoted)])
        }
        let args: Fields = [("name", name.quoted)]
        return [event("process_name", "__metadata", "M", at: zero, lane: 1, args: args)] + threads
    }

    private func event(for span: RecordedCall.Span) -> String {
        let end = span.end ?? call.extent?.last ?? span.start
        var args: Fields = [("span", "\(span.number)")]
        if let parent = span.parent { args.append(("parent", "\(parent)")) }
        args.append(("attempt", "\(span.attempt)"))
        args.append(span.end == nil ? ("unfinished", "true") : ("outcome", span.outcome.quoted))
        args += span.facts.map { ($0.key, $0.value.quoted) }
        return event(
            span.name, span.policy, "X", at: span.start, lane: lanes.lane[span.number] ?? 1,
            [("dur", span.start.duration(to: end).decimal(in: .microsecond))], args: args)
    }

    private func event(for mark: RecordedCall.Mark) -> String {
        event(
            mark.word, mark.policy, "i", at: mark.instant, lane: lanes.lane[mark.span] ?? 1,
            [("s", "t".quoted)],
            args: [("span", "\(mark.span)")] + mark.facts.map { ($0.key, $0.value.quoted) })
    }

    private func event(
        _ name: String, _ category: String, _ phase: String, at instant: SchedulerInstant,
        lane: Int, _ more: Fields = [], args: Fields
    ) -> String {
        object(
            [
                ("name", name.quoted), ("cat", category.quoted), ("ph", phase.quoted),
                ("ts", zero.duration(to: instant).decimal(in: .microsecond)),
            ] + more + [
                ("pid", "\(process)"), ("tid", "\(lane)"), ("args", object(args)),
            ])
    }

    private func object(_ fields: Fields) -> String {
        "{" + fields.map { "\($0.quoted):\($1)" }.joined(separator: ",") + "}"
    }
}
