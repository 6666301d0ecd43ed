import PledgeFutures
import Synchronization

/// A part of an observed call that has a beginning and an end: the whole, an attempt, a hedge.
struct CallSpan: Sendable {
    let trace: CallTrace
    let number: Int
    let parent: Int?
    let start: SchedulerInstant

    private init(_ trace: CallTrace, parent: Int?) {
        self.trace = trace
        self.parent = parent
        number = trace.nextSpan()
        start = trace.now()
    }

    /// The span of a whole call.
    init(root trace: CallTrace) { self.init(trace, parent: nil) }

    /// A span within this one.
    func child() -> CallSpan { CallSpan(trace, parent: number) }

    /// A span within this one that is reported to further observers as well.
    func child(toldTo observers: [ServiceObserver]) -> CallSpan {
        CallSpan(CallTrace(joining: trace, observers: observers), parent: number)
    }

    /// Notifies the observers of an action of a policy.
    func tell(
        _ kind: PolicyEvent.Kind, by policy: String, named name: String?, attempt: Int,
        at instant: SchedulerInstant, isUnproven: Bool = false
    ) {
        let event = PolicyEvent(
            kind: kind, policy: policy, policyName: name, instant: instant, call: trace.call,
            span: number, parent: parent, attempt: attempt, isUnproven: isUnproven)
        for observer in trace.observers { observer.receive(event) }
    }
}

/// The observed call that a policy outside of it has made last, such as a fallback around a client.
final class CallBeneath: Sendable {
    private let last = Locked<CallSpan?>(nil)

    var span: CallSpan? { last.withLock { $0 } }

    func note(_ span: CallSpan) { last.withLock { $0 = span } }
}

/// The state that the spans of one call share.
final class CallTrace: Sendable {
    let call: UInt64
    let observers: [ServiceObserver]
    /// The clock of the events: a closure, which is called without a copy of the scheduler.
    let now: @Sendable () -> SchedulerInstant
    /// The trace that counts the spans, if it is another one.
    private let outer: CallTrace?
    /// Spans are counted from one within each call, so that a trace looks the same each time.
    private let lastSpan = Atomic<Int>(0)

    /// Calls are counted throughout the process, since an observer may see those of several stacks.
    private static let lastCall = Atomic<UInt64>(0)

    init(observers: [ServiceObserver], now: @escaping @Sendable () -> SchedulerInstant) {
        call = Self.lastCall.wrappingAdd(1, ordering: .relaxed).newValue
        self.observers = observers
        self.now = now
        outer = nil
    }

    /// The trace of a call that is observed already, reported to further observers as well; on the same
    /// clock.
    init(joining trace: CallTrace, observers: [ServiceObserver]) {
        call = trace.call
        self.observers = trace.observers + observers
        now = trace.now
        outer = trace.outer ?? trace
    }

    func nextSpan() -> Int {
        (outer ?? self).lastSpan.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
