package import PledgeFutures
import Synchronization

extension CallContext {
    /// True if the call has observers.
    package var isObserved: Bool { span != nil }

    /// The number of the observed call, the same as ``PolicyEvent/call``; nil without observers.
    ///
    /// Add it to your own log lines, so that they can be matched with the call's events.
    public var callNumber: UInt64? { span?.trace.call }

    /// The number of the innermost span, the same as ``PolicyEvent/span``; nil without observers.
    public var spanNumber: Int? { span?.number }

    /// Reports a policy's action to the call's observers.
    ///
    /// ```swift
    /// CallContext.current.report(.note("signed"), by: "signing")
    /// ```
    ///
    /// Without observers, `kind` isn't evaluated.
    ///
    /// - Parameters:
    ///   - kind: The action.
    ///   - policy: The kind of policy, the same for all its events.
    ///   - name: The name of the policy's state, if it has one.
    public func report(
        _ kind: @autoclosure () -> PolicyEvent.Kind, by policy: String, named name: String? = nil
    ) {
        report(kind(), isUnproven: false, by: policy, named: name)
    }

    /// Reports a policy's action, and whether the action repeats a call that isn't known to be repeatable.
    func report(
        _ kind: @autoclosure () -> PolicyEvent.Kind, isUnproven: Bool, by policy: String,
        named name: String?
    ) {
        guard let span else { return }
        span.tell(
            kind(), by: policy, named: name, attempt: attempt, at: span.trace.now(),
            isUnproven: isUnproven)
    }

    /// Reports that a policy refuses a call, and returns the failed call.
    package func refuse<Output: Sendable>(with error: ServiceError) -> Future<Output> {
        report(.refused(error), by: error.policy, named: error.policyName)
        return Future(error: error)
    }

    /// Calls a service in this context, for a policy that may call the service several times, such as a retry.
    ///
    /// If the call is observed, the new call gets its own span inside the context's span. Observers hear when it
    /// begins, and when it ends or is cancelled, with its outcome and latency.
    ///
    /// - Parameters:
    ///   - name: The span's name, such as "attempt 2".
    ///   - attempt: The number of the attempt.
    ///   - record: The record of what the call sends.
    ///   - policy: The kind of policy.
    ///   - policyName: The name of the policy's state.
    ///   - classifier: Decides the reported outcome.
    ///   - service: The service.
    ///   - input: The input.
    func call<Input: Sendable, Output: Sendable>(
        _ name: @autoclosure () -> String, attempt: Int, record: CallRecord?, by policy: String,
        named policyName: String? = nil, classifier: Classifier<Output>,
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = with(attempt: attempt, record: record, span: span?.child())
        if context.span == nil { return context.call(service, input) }
        return context.callInSpan(
            name(), by: policy, named: policyName, classifier: classifier, service, input)
    }

    /// Calls a service in this context, and reports the beginning and the end of the context's span.
    func callInSpan<Input: Sendable, Output: Sendable>(
        _ name: String, by policy: String, named policyName: String? = nil,
        classifier: Classifier<Output>, _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        guard let span else { return call(service, input) }
        span.tell(
            .began(name: name), by: policy, named: policyName, attempt: attempt, at: span.start)
        let ending = SpanEnding(
            span: span, policy: policy, policyName: policyName, attempt: attempt)
        let future = call(service, input)
        if classifier.isPlainSuccess(future) {
            ending.tell(.success, nil)
            return future
        }
        return reportEnd(ending, after: future, classifier)
    }

    /// Reports the end of a call: at once if the call has ended, or else when it ends.
    ///
    /// This is a separate function because it looks up generic types at run time. If it were inlined, every call would
    /// do these lookups, even a call that has already succeeded.
    @inline(never)
    private func reportEnd<Output: Sendable>(
        _ ending: SpanEnding, after future: Future<Output>, _ classifier: Classifier<Output>
    ) -> Future<Output> {
        future.atEnd(with: { ending.tell(classifier($0), $0.failure) })
    }
}

private struct SpanEnding: Sendable {
    let span: CallSpan
    let policy: String
    let policyName: String?
    let attempt: Int

    func tell(_ outcome: Outcome, _ error: (any Error)?) {
        let now = span.trace.now()
        let latency = span.start.duration(to: now)
        span.tell(
            .ended(outcome, latency: latency, error: error), by: policy, named: policyName,
            attempt: attempt, at: now)
    }
}

/// A part of an observed call with a beginning and an end: the whole call, an attempt, or a hedge.
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

    init(root trace: CallTrace) { self.init(trace, parent: nil) }

    func child() -> CallSpan { CallSpan(trace, parent: number) }

    /// Returns a new span within this one; events of the new span also go to further observers.
    func child(toldTo observers: [ServiceObserver]) -> CallSpan {
        let new = observers.distinct(from: trace.observers)
        return new.isEmpty
            ? child() : CallSpan(CallTrace(joining: trace, observers: new), parent: number)
    }

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

/// The last observed call inside a policy that isn't observed itself, such as a fallback around a client.
final class CallBeneath: Sendable {
    private let last = Locked<CallSpan?>(nil)

    var span: CallSpan? { last.withLock { $0 } }

    func noteSpan(_ span: CallSpan) { last.withLock { $0 = span } }
}

final class CallTrace: Sendable {
    let call: UInt64
    let observers: [ServiceObserver]
    /// The events' clock; it is a closure, so that reading the time doesn't copy the scheduler.
    let now: @Sendable () -> SchedulerInstant
    /// The trace that numbers the spans, or nil if this trace numbers them.
    private let outer: CallTrace?
    /// Spans are counted from one within each call, so that equal calls have equal traces.
    private let lastSpan = Atomic<Int>(0)

    /// Calls are counted across the process, because one observer may see calls of several stacks.
    private static let lastCall = Atomic<UInt64>(0)

    init(observers: [ServiceObserver], now: @escaping @Sendable () -> SchedulerInstant) {
        call = Self.lastCall.wrappingAdd(1, ordering: .relaxed).newValue
        self.observers = observers
        self.now = now
        outer = nil
    }

    /// Adds observers to a call that is already observed, on the same clock.
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

extension Future {
    /// Runs a closure when this future ends or is cancelled, or at once if it has ended.
    ///
    /// This function is inlined, so that no closure is created for a future that has already ended.
    @inline(__always)
    package func atEnd(_ body: @escaping @Sendable () -> Void) -> Future<Value> {
        if isSettled {
            body()
            return self
        }
        return onEnd { _ in body() }
    }

    /// Runs a closure with the result when this future ends or is cancelled, or at once if it has ended.
    ///
    /// Use it for calls that are pending or have failed.
    package func atEnd(
        with body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future<Value> {
        if let result {
            body(result)
            return self
        }
        return onEnd(body)
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }

    var isGivenUp: Bool { failure is CancellationError }
}
