import PledgeFutures

/// Records the last calls, for display as text, as a page, or in a trace viewer.
///
/// ```swift
/// let recorder = CallRecorder()
/// let api = stack(.observed(by: recorder.observer), .retry(), over: transport)
/// …
/// print(recorder.lastCall?.waterfall() ?? "no call yet")
/// try recorder.chromeTrace.write(toFile: "trace.json", atomically: true, encoding: .utf8)
/// ```
///
/// It keeps the instants and the names of an event, and the type and the code of an error; no
/// input, output or error. Texts are cut after 200 Unicode scalars. So the two limits bound the memory, to
/// about 300 bytes an event. It may be used from any thread; an event takes a lock for constant time.
public final class CallRecorder {
    /// The observer that records events.
    ///
    /// Use it once for a call; otherwise marks are shown twice.
    public var observer: ServiceObserver {
        ServiceObserver { event in
            // Outside the lock, because it calls an error's code.
            let event = RecordedEvent(event)
            self.recorded.withLock { $0.add(event) }
        }
    }

    /// The calls that are kept, in the order in which they began.
    public var calls: [RecordedCall] { recorded.withLock { $0 }.all }

    /// The call that began last.
    public var lastCall: RecordedCall? { recorded.withLock { $0.last } }

    /// All calls that are kept, as JSON for chrome://tracing and Perfetto; see
    /// ``RecordedCall/chromeTrace``.
    ///
    /// Each call is a process of its own there. Their instants can be compared if they are observed on
    /// the same scheduler.
    public var chromeTrace: String { ChromeTrace(of: calls).json }

    /// All calls that are kept, as one page of HTML that needs no other file and no network.
    ///
    /// Any browser opens it. It lists the calls, searches names, outcomes and facts, and draws each call's
    /// spans and events on a time axis that can be zoomed. Its content security policy forbids it to load
    /// or send anything. It contains only what the recorder keeps: no input, output or error.
    /// `PledgeHTTPNetworking` adds `page(to:)`, which writes it to a file.
    ///
    /// An invisible character, or one that changes the direction of writing, is shown as its escape, like
    /// `\u{202E}`.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of events that are kept; about 150 bytes for
    ///   each. The page draws only visible rows.
    public var htmlPage: String { TracePage(of: calls).html }

    /// Discards all calls.
    ///
    /// Later events of calls under way are not recorded.
    public func removeAll() { recorded.withLock { $0.removeAll() } }

    /// Makes a recorder without calls.
    ///
    /// Limits of less than one are programming errors and trap.
    ///
    /// - Parameters:
    ///   - calls: The number of calls that are kept: those that began last.
    ///   - eventsPerCall: How many events of a call are kept, the first ones; a span is one event, with
    ///     its end.
    public init(calls: Int = 100, eventsPerCall: Int = 1_000) {
        precondition(calls >= 1, "a recorder keeps 1 call or more, not \(calls)")
        precondition(
            eventsPerCall >= 1, "a recorder keeps 1 event of a call or more, not \(eventsPerCall)")
        recorded = Locked(RecordedCalls(callLimit: calls, eventLimit: eventsPerCall))
    }

    private let recorded: Locked<RecordedCalls>
}

extension CallRecorder: Sendable {}
