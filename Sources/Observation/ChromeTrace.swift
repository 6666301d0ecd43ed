import PledgeFutures
import PledgeServices

extension RecordedCall {
    /// The call as JSON in the Trace Event Format, for chrome://tracing and Perfetto.
    ///
    /// The JSON is an object with the array `traceEvents`. The array has a complete event (`ph` is `X`, with `ts` and
    /// `dur` in microseconds) for each span, an instant event (`i`) for each mark, and metadata (`M`) that name the
    /// call. `cat` is the policy, and `args` has the other properties.
    ///
    /// Spans that overlap without nesting are on several threads (`tid`), as the viewers require. Times are counted
    /// from the first instant. A span that hasn't ended extends to the last instant, and has `"unfinished":true` in
    /// its `args`.
    ///
    /// The text is ASCII except for letters in names, with the escapes that JSON requires.
    public var chromeTrace: String { ChromeTrace(of: [self]).json }
}

/// Calls in the Trace Event Format. (Duca, Sinclair 2016, "Trace Event Format".)
struct ChromeTrace {
    /// The whole text, with one event on each line.
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
    /// Pairs of a key and a value; the value is JSON.
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

/// The lines in which a trace viewer draws the spans of a call.
///
/// A viewer draws a thread's spans as a stack, so any two spans of a thread must be nested or disjoint. But the spans
/// of hedges may overlap without being nested. So a span that overlaps its siblings gets another line, together with
/// its children.
struct TraceLanes {
    /// Each span's line, counted from one, by the span's number.
    private(set) var lane: [Int: Int] = [:]

    private struct Open {
        let number: Int
        let end: SchedulerInstant
    }

    /// The spans that are open in each line, the innermost last.
    private var lanes: [[Open]] = []
    private var parents: [Int: Int] = [:]

    init(of call: RecordedCall) {
        guard let last = call.extent?.last else { return }
        // Parents come before children, because a span's number is greater than its parent's.
        let spans = call.spans.sorted { ($0.start, $0.number) < ($1.start, $1.number) }
        for span in spans {
            let end = span.end ?? last
            let place = choose(span, end)
            lanes[place].append(Open(number: span.number, end: end))
            lane[span.number] = place + 1
            if let parent = span.parent, parent < span.number { parents[span.number] = parent }
        }
    }

    /// Returns the index of a line for a span: its parent's line, or else the first free line, or else a new line.
    private mutating func choose(_ span: RecordedCall.Span, _ end: SchedulerInstant) -> Int {
        for place in lanes.indices {
            while let top = lanes[place].last, top.end <= span.start, !isAncestor(top, of: span) {
                lanes[place].removeLast()
            }
        }
        if let parent = span.parent, let place = lane[parent].map({ $0 - 1 }),
            let top = lanes[place].last, top.number == parent, top.end >= end
        {
            return place
        }
        if let free = lanes.firstIndex(where: \.isEmpty) { return free }
        lanes.append([])
        return lanes.count - 1
    }

    private func isAncestor(_ open: Open, of span: RecordedCall.Span) -> Bool {
        var ancestor = span.parent
        while let number = ancestor {
            if number == open.number { return true }
            ancestor = parents[number]
        }
        return false
    }
}
