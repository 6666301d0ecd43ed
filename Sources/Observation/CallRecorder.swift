import PledgeFutures
public import PledgeServices

/// A recorder of the last calls, for display as text, as a page, or in a trace viewer.
///
/// ```swift
/// let recorder = CallRecorder()
/// let api = stack(.observed(by: recorder.observer), .retry(), over: transport)
/// …
/// print(recorder.lastCall?.waterfall() ?? "no call yet")
/// try recorder.chromeTrace.write(toFile: "trace.json", atomically: true, encoding: .utf8)
/// ```
///
/// It keeps the instants and the names of each event, and the type and the code of each error, but no inputs or
/// outputs, and not the errors themselves. Texts are cut after 200 Unicode scalars. So the limits on calls and events
/// bound the memory: an event takes about 300 bytes. You can use the recorder from any thread. Recording an event holds
/// a lock for constant time.
public final class CallRecorder: Sendable {
    /// The observer that records events.
    ///
    /// Use it only once for each call. Otherwise, the events within spans are shown twice.
    public var observer: ServiceObserver {
        ServiceObserver(for: self) { event in
            // The event is converted before the lock is taken, because the conversion may run an error type's own
            // `loggedCode`.
            let event = RecordedEvent(event)
            self.recorded.withLock { $0.add(event) }
        }
    }

    /// The recorded calls, in the order in which they began.
    public var calls: [RecordedCall] { recorded.withLock { $0 }.all }

    /// The call that began last.
    public var lastCall: RecordedCall? { recorded.withLock { $0.last } }

    /// All recorded calls, as JSON for chrome://tracing and Perfetto.
    ///
    /// It has the form of ``RecordedCall/chromeTrace``, with a process for each call. You can compare the instants of
    /// calls that are observed on the same scheduler.
    public var chromeTrace: String { ChromeTrace(of: calls).json }

    /// All recorded calls, as one HTML page that needs no other file and no network.
    ///
    /// Any browser opens it. It lists the calls, searches names, outcomes and facts, and draws each call's spans and
    /// events on a time axis that you can zoom. Its content security policy forbids it to load or send anything. It
    /// contains only what the recorder keeps, so no input, output or error. ``page(to:)`` writes the page to a file.
    ///
    /// An invisible character, or one that changes the direction of writing, is shown as its escape, like `\u{202E}`.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of recorded events. Each event takes about 150 bytes of
    ///   the page. The page draws only visible rows.
    public var htmlPage: String { TracePage(of: calls).html }

    /// Writes all kept calls to a file, as one HTML page that any browser opens.
    ///
    /// ```swift
    /// try recorder.page(to: URL(fileURLWithPath: "calls.html"))
    /// ```
    ///
    /// The page is ``htmlPage``. An existing file is overwritten in place, rather than replaced by a new file, so you can
    /// also write to a device. The calling thread waits until the page is written.
    ///
    /// - Parameter file: The URL of a file in an existing folder.
    /// - Throws: Foundation's error if the file cannot be written, or the URL is not a file URL.
    /// - Complexity: The same as ``htmlPage``.
    public func page(to file: URL) throws {
        try Data(htmlPage.utf8).write(to: file)
    }

    /// Discards all calls.
    ///
    /// Later events of calls that are still running aren't recorded.
    public func removeAll() { recorded.withLock { $0.removeAll() } }

    /// Creates a recorder without calls.
    ///
    /// Limits of less than one are programming errors and trap.
    ///
    /// - Parameters:
    ///   - calls: The number of calls to keep. The recorder keeps the calls that began last.
    ///   - eventsPerCall: The number of events to keep for each call, from its beginning. A span counts as one event,
    ///     including its end.
    public init(calls: Int = 100, eventsPerCall: Int = 1_000) {
        precondition(calls >= 1, "a recorder keeps 1 call or more, not \(calls)")
        precondition(
            eventsPerCall >= 1, "a recorder keeps 1 event of a call or more, not \(eventsPerCall)")
        recorded = Locked(RecordedCalls(callLimit: calls, eventLimit: eventsPerCall))
    }

    private let recorded: Locked<RecordedCalls>
}

/// One call in a ``CallRecorder``, with its spans and the events within them.
public struct RecordedCall: Sendable {
    /// The number of the call in this process, as in `PolicyEvent.call`.
    public let number: UInt64

    /// The name of the first span.
    public var name: String { spans.first?.name ?? "call" }

    /// True if every span that began has ended.
    package var isOver: Bool { spans.allSatisfy { $0.end != nil } }

    /// The number of events that were dropped because of the recorder's limit for each call.
    package private(set) var eventsDropped = 0

    /// A part of the call.
    struct Span: Sendable {
        let number: Int
        let parent: Int?
        let policy: String
        let name: String
        let attempt: Int
        let start: SchedulerInstant
        /// Nil while the span is in progress.
        var end: SchedulerInstant?
        var outcome = ""
        var facts: [EventFact] = []
        /// The number of spans and marks that were kept before this one.
        let order: Int
    }

    /// An event within a span.
    struct Mark: Sendable {
        let span: Int
        let policy: String
        let word: String
        let facts: [EventFact]
        let instant: SchedulerInstant
        let order: Int
    }

    /// The spans, in the order in which their beginnings were received.
    private(set) var spans: [Span] = []
    private(set) var marks: [Mark] = []
    /// The index of each span in ``spans``, by the span's number.
    private var places: [Int: Int] = [:]

    init(number: UInt64) { self.number = number }
}

extension RecordedCall {
    /// Adds an event of this call.
    ///
    /// If a stack has the same observer twice, each event arrives twice. So a second beginning of a span, a second end,
    /// and an end without a beginning are ignored.
    ///
    /// - Parameter limit: The largest number of spans and marks. Further spans and marks are only counted.
    mutating func add(_ event: RecordedEvent, limit: Int) {
        if case .ended(let outcome, let facts) = event.kind {
            guard let place = places[event.span], spans[place].end == nil else { return }
            // Threads may report their instants out of order.
            spans[place].end = max(event.instant, spans[place].start)
            spans[place].outcome = outcome
            spans[place].facts = facts
            return
        }
        if case .began = event.kind, places[event.span] != nil { return }
        let order = spans.count + marks.count
        guard order < limit else {
            eventsDropped += 1
            return
        }
        switch event.kind {
        case .began(let name):
            places[event.span] = spans.count
            spans.append(
                Span(
                    number: event.span, parent: event.parent, policy: event.policy, name: name,
                    attempt: event.attempt, start: event.instant, order: order))
        case .mark(let word, let facts):
            marks.append(
                Mark(
                    span: event.span, policy: event.policy, word: word, facts: facts,
                    instant: event.instant, order: order))
        case .ended: break
        }
    }

    func span(_ number: Int) -> Span? { places[number].map { spans[$0] } }

    /// The earliest and the latest known instant.
    var extent: (first: SchedulerInstant, last: SchedulerInstant)? {
        let instants = spans.map(\.start) + spans.compactMap(\.end) + marks.map(\.instant)
        guard let first = instants.min(), let last = instants.max() else { return nil }
        return (first, last)
    }
}

extension RecordedCall {
    /// A span or a mark, at its place in the tree.
    struct Row {
        enum Content {
            case span(Span)
            case mark(Mark)
        }

        let content: Content
        /// The number of the row's ancestors.
        let depth: Int

        fileprivate var key: (SchedulerInstant, Int) {
            switch content {
            case .span(let span): (span.start, span.order)
            case .mark(let mark): (mark.instant, mark.order)
            }
        }
    }

    /// Spans and marks in order of time, each below its parent span.
    ///
    /// Children of an unknown span are at the top level. Spans may be nested as deeply as the recorder has events. A
    /// recursion could then overflow the thread's stack, so the tree is read in a loop.
    var rows: [Row] {
        var children: [Int?: [Row.Content]] = [:]
        for span in spans {
            let parent = span.parent.flatMap { self.span($0) }?.number
            // A parent with a greater number is ignored. Such parents could form a cycle, and the rows of a cycle would
            // be missing from the tree.
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

/// The calls that began last, up to a limit, each with its events.
struct RecordedCalls: Sendable {
    let callLimit: Int
    let eventLimit: Int

    private var calls: [UInt64: RecordedCall] = [:]
    /// The numbers of the recorded calls.
    ///
    /// They are in the order of the calls' beginnings until there are `callLimit` of them. From then on, a new number
    /// replaces the oldest.
    private var numbers: [UInt64] = []
    /// The index of the oldest number, once `numbers` is full.
    private var oldest = 0

    init(callLimit: Int, eventLimit: Int) {
        self.callLimit = callLimit
        self.eventLimit = eventLimit
    }

    var count: Int { calls.count }

    /// The calls, oldest first.
    var all: [RecordedCall] {
        (numbers[oldest...] + numbers[..<oldest]).compactMap { calls[$0] }
    }

    var last: RecordedCall? {
        let place = oldest == 0 ? numbers.count - 1 : oldest - 1
        return place < 0 ? nil : calls[numbers[place]]
    }

    /// Adds an event.
    ///
    /// Only the event of a call's beginning adds the call. So later events of a dropped call don't add it again, unless
    /// a second `.observed` inside the call reports another beginning.
    mutating func add(_ event: RecordedEvent) {
        if calls[event.call] == nil {
            guard case .began = event.kind, event.policy == PolicyEvent.callPolicy else { return }
            addCall(event.call)
        }
        calls[event.call]?.add(event, limit: eventLimit)
    }

    /// Discards all calls, and ignores later events of calls that are still running.
    mutating func removeAll() {
        calls = [:]
        numbers = []
        oldest = 0
    }

    private mutating func addCall(_ number: UInt64) {
        calls[number] = RecordedCall(number: number)
        guard numbers.count == callLimit else { return numbers.append(number) }
        calls[numbers[oldest]] = nil
        numbers[oldest] = number
        oldest = (oldest + 1) % callLimit
    }
}

/// The part of an event that a recorder keeps: numbers, and texts of bounded length.
///
/// The event itself isn't kept, because it may hold an error with a whole response.
struct RecordedEvent: Sendable {
    enum Kind: Sendable {
        case began(name: String)
        case ended(outcome: String, facts: [EventFact])
        case mark(word: String, facts: [EventFact])
    }

    /// The longest text that is kept, in Unicode scalars.
    static let longest = 200

    let kind: Kind
    let policy: String
    let instant: SchedulerInstant
    let call: UInt64
    let span: Int
    let parent: Int?
    let attempt: Int

    init(_ event: PolicyEvent) {
        let facts = event.facts.map { EventFact($0.key, $0.value.cut(to: Self.longest)) }
        switch event.kind {
        case .began(let name): kind = .began(name: name.cut(to: Self.longest))
        case .ended(let outcome, _, _):
            // The latency is left out, because it is the difference between the instants.
            let rest = facts.filter { $0.key != "outcome" && $0.key != "latency_ms" }
            kind = .ended(outcome: outcome.label, facts: rest)
        default: kind = .mark(word: event.kind.word, facts: facts)
        }
        policy = event.policy.cut(to: Self.longest)
        instant = event.instant
        call = event.call
        span = event.span
        parent = event.parent
        attempt = event.attempt
    }
}

extension PolicyEvent {
    /// The policy that reports the spans of whole calls.
    static let callPolicy = "observed"
}

extension String {
    /// Returns the text, cut to a number of Unicode scalars so that it takes bounded memory.
    func cut(to count: Int) -> String {
        guard utf8.count > count, let end = unicodeScalars.index(at: count) else { return self }
        return String(unicodeScalars[..<end]) + "…"
    }
}

extension String.UnicodeScalarView {
    /// Returns the index after a number of scalars, or nil if no scalar follows.
    fileprivate func index(at count: Int) -> Index? {
        let index = index(startIndex, offsetBy: count, limitedBy: endIndex)
        return index == endIndex ? nil : index
    }
}
