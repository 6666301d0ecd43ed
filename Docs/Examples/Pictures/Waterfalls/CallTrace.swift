import Foundation
import Pledge
import PledgeObservation
import TestSupport

/// Calls that a recorder saw, read from its trace.
struct CallTrace: Decodable {
    typealias Event = ChromeTraceEvent

    var events: [Event]

    private enum CodingKeys: String, CodingKey { case events = "traceEvents" }

    /// Reads what a recorder keeps.
    init(of recorder: CallRecorder) throws {
        self = try JSONDecoder().decode(CallTrace.self, from: Data(recorder.chromeTrace.utf8))
        events.removeAll { $0.ph == "M" }
    }

    /// When the last of it ended, in microseconds.
    var end: Double { events.map { $0.ts + ($0.dur ?? 0) }.max() ?? 0 }
}

extension ChromeTraceEvent {
    /// A fact about it, as text.
    func fact(_ name: String) -> String? { arguments[name] }

    /// Its place at an instant: spans that end at once, marks, and the spans that these marks explain.
    fileprivate var rank: Int { ph != "X" ? 1 : dur == 0 ? 0 : 2 }
    fileprivate var span: Int? { fact("span").flatMap(Int.init) }
    fileprivate var parent: Int? { fact("parent").flatMap(Int.init) }
}

extension CallTrace {
    /// A span or a mark, in its place in the tree.
    struct Row {
        let event: Event
        let depth: Int
    }

    /// Spans and marks, each below the span that it is within, in order of time there.
    var rows: [Row] {
        Set(events.map(\.pid)).sorted().flatMap { call in
            rows(of: events.filter { $0.pid == call }, within: nil, depth: 0)
        }
    }

    private func rows(of events: [Event], within span: Int?, depth: Int) -> [Row] {
        let children = events.enumerated().filter { _, event in
            (event.ph == "X" ? event.parent : event.span) == span
        }
        let ordered = children.sorted {
            ($0.element.ts, $0.element.rank, $0.offset)
                < ($1.element.ts, $1.element.rank, $1.offset)
        }
        return ordered.flatMap { _, event in
            [Row(event: event, depth: depth)]
                + (event.ph == "X" ? rows(of: events, within: event.span, depth: depth + 1) : [])
        }
    }
}
