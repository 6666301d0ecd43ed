import Futures
import Synchronization

/// A part of an observed call that has a beginning and an end: the whole, an attempt, a hedge.
final class CallSpan: Sendable {
    let trace: CallTrace
    let number: Int
    let parent: Int?
    let start: SchedulerInstant

    private init(_ trace: CallTrace, number: Int, parent: Int?) {
        self.trace = trace
        self.number = number
        self.parent = parent
        start = trace.scheduler.now
    }

    /// The span of a whole call.
    convenience init(root trace: CallTrace) {
        self.init(trace, number: trace.nextSpan(), parent: nil)
    }

    /// A span within this one; with other observers, if it is told to others as well.
    func child(in trace: CallTrace? = nil) -> CallSpan {
        let trace = trace ?? self.trace
        return CallSpan(trace, number: trace.nextSpan(), parent: number)
    }

    /// Tells the observers what a policy did.
    func tell(_ kind: PolicyEvent.Kind, by policy: String, attempt: Int) {
        let event = PolicyEvent(
            kind: kind, policy: policy, instant: trace.scheduler.now, call: trace.call,
            span: number, parent: parent, attempt: attempt)
        for observer in trace.observers { observer.receive(event) }
    }
}

/// What the spans of one call have in common.
final class CallTrace: Sendable {
    let call: UInt64
    let observers: [ServiceObserver]
    let scheduler: any Scheduler
    private let spans: SpanCounter

    /// Numbers the spans of one call from one, so that a trace looks the same each time.
    private final class SpanCounter: Sendable {
        let last = Atomic<Int>(0)
    }

    /// Calls are numbered throughout the process, since observers may see those of several stacks.
    private static let lastCall = Atomic<UInt64>(0)

    init(observers: [ServiceObserver], scheduler: any Scheduler) {
        call = Self.lastCall.wrappingAdd(1, ordering: .relaxed).newValue
        self.observers = observers
        self.scheduler = scheduler
        spans = SpanCounter()
    }

    /// The trace of a call that is observed already, told to others as well; on the same clock.
    init(joining outer: CallTrace, observers: [ServiceObserver]) {
        call = outer.call
        self.observers = outer.observers + observers
        scheduler = outer.scheduler
        spans = outer.spans
    }

    func nextSpan() -> Int { spans.last.wrappingAdd(1, ordering: .relaxed).newValue }
}
