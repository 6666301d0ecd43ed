import PledgeFutures

extension RecordedCall {
    /// A span or a mark, in its place in the tree.
    struct Row {
        enum Content {
            case span(Span)
            case mark(Mark)
        }

        let content: Content
        /// The number of its ancestors.
        let depth: Int

        fileprivate var key: (SchedulerInstant, Int) {
            switch content {
            case .span(let span): (span.start, span.order)
            case .mark(let mark): (mark.instant, mark.order)
            }
        }
    }

    /// Spans and marks, each below its parent span, in order of time.
    ///
    /// Children of an unknown span are at the top. A loop with a stack of its own: spans may be
    /// nested as deep as a recorder keeps events.
    var rows: [Row] {
        var children: [Int?: [Row.Content]] = [:]
        for span in spans {
            let parent = span.parent.flatMap { self.span($0) }?.number
            // A parent with a greater number could make a cycle, which would be in no tree.
            children[parent.flatMap { $0 < span.number ? $0 : nil }, default: []]
                .append(.span(span))
        }
        for mark in marks {
            children[span(mark.span)?.number, default: []].append(.mark(mark))
        }
        func sorted(within span: Int?, depth: Int) -> [Row] {
            (children[span] ?? []).map { Row(content: $0, depth: depth) }
                .sorted { $0.key > $1.key }
        }
        var rows: [Row] = []
        var next = sorted(within: nil, depth: 0)
        while let row = next.popLast() {
            rows.append(row)
            guard case .span(let span) = row.content else { continue }
            next += sorted(within: span.number, depth: row.depth + 1)
        }
        return rows
    }
}
