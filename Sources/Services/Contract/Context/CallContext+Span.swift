import Futures

extension CallContext {
    /// Whether the call has observers.
    public var isObserved: Bool { span != nil }

    /// The number of the observed call, as ``PolicyEvent/call`` has it; nil without observers.
    ///
    /// For log lines of your own, so that they join the events of the call.
    public var callNumber: UInt64? { span?.trace.call }

    /// The number of the innermost span, as ``PolicyEvent/span`` has it; nil without observers.
    public var spanNumber: Int? { span?.number }

    /// Notifies the observers of the call of an action of a policy; without observers, nothing is evaluated.
    ///
    /// ```swift
    /// CallContext.current.report(.note("signed"), by: "signing")
    /// ```
    ///
    /// - Parameters:
    ///   - kind: The action.
    ///   - policy: The kind of policy, the same in all its events.
    ///   - name: The name of the policy's state, if it has one.
    public func report(
        _ kind: @autoclosure () -> PolicyEvent.Kind, by policy: String, named name: String? = nil
    ) {
        report(kind(), isUnproven: false, by: policy, named: name)
    }

    /// Notifies the observers of an action of a policy, and whether it was not known to be safe.
    func report(
        _ kind: @autoclosure () -> PolicyEvent.Kind, isUnproven: Bool, by policy: String,
        named name: String?
    ) {
        guard let span else { return }
        span.tell(
            kind(), by: policy, named: name, attempt: attempt, at: span.trace.now(),
            isUnproven: isUnproven)
    }

    /// Calls a service in this context, as one of several calls that a policy makes for one.
    ///
    /// If the call is observed, this one gets a span of its own, beneath the context's. The observers are
    /// notified of its beginning, and of its end with outcome and latency, also if it is cancelled.
    ///
    /// - Parameters:
    ///   - name: The span's name, like "attempt 2".
    ///   - attempt: Which attempt it is.
    ///   - record: The record of what it sends.
    ///   - policy: The kind of policy.
    ///   - policyName: The name of its state.
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

    /// Calls a service in this context, whose span has not been reported yet.
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
        return end(ending, after: future, classifier)
    }

    /// The path of calls that are pending, or have failed.
    ///
    /// A separate function: it looks up generic types at run time, and inlined, the compiler would do that
    /// for all calls.
    @inline(never)
    private func end<Output: Sendable>(
        _ ending: SpanEnding, after future: Future<Output>, _ classifier: Classifier<Output>
    ) -> Future<Output> {
        if let result = future.result {
            ending.tell(classifier.assess(result), result.failure)
            return future
        }
        return future.onEnd { ending.tell(classifier.assess($0), $0.failure) }
    }
}

/// The parts that report the end of a span.
private struct SpanEnding: Sendable {
    let span: CallSpan
    let policy: String
    let policyName: String?
    let attempt: Int

    func tell(_ assessment: CallAssessment, _ error: (any Error)?) {
        let now = span.trace.now()
        let latency = span.start.duration(to: now)
        span.tell(
            .ended(Outcome(forCallerOf: assessment), latency: latency, error: error), by: policy,
            named: policyName, attempt: attempt, at: now, health: assessment.health)
    }
}

extension Result {
    /// The error, if it is one.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }

    /// Whether it is the end of a call that was given up.
    var isGivenUp: Bool { failure is CancellationError }
}
