import PledgeFutures

/// The line of a trace viewer in which each span of a call is drawn.
///
/// A viewer draws a thread's spans as a stack, so two of them must be nested or disjoint. Spans of hedges may
/// overlap in another way. So a span that overlaps its siblings gets another line, together with its
/// children.
struct TraceLanes {
    /// The line of each span, counted from one, by the span's number.
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
        // Parents before children: a span's number is greater than its parent's.
        let spans = call.spans.sorted { ($0.start, $0.number) < ($1.start, $1.number) }
        for span in spans {
            let end = span.end ?? last
            let place = choose(span, end)
            lanes[place].append(Open(number: span.number, end: end))
            lane[span.number] = place + 1
            if let parent = span.parent, parent < span.number { parents[span.number] = parent }
        }
    }

    /// The line for a span: its parent's, or the first that is free, or a new one.
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
