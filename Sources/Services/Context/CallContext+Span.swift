import Futures

extension CallContext {
    /// Whether anybody observes the call.
    public var isObserved: Bool { span != nil }

    /// Tells those who observe the call what a policy did; where nobody does, nothing is evaluated.
    ///
    /// ```swift
    /// CallContext.current.report(.note("signed"), by: "signing")
    /// ```
    ///
    /// - Parameters:
    ///   - kind: What was done.
    ///   - policy: The policy's name, the same in all its events.
    public func report(_ kind: @autoclosure () -> PolicyEvent.Kind, by policy: String) {
        report(kind(), isUnproven: false, by: policy)
    }

    /// Tells what a policy did, and whether it was not known to be safe.
    func report(
        _ kind: @autoclosure () -> PolicyEvent.Kind, isUnproven: Bool, by policy: String
    ) {
        guard let span else { return }
        span.tell(
            kind(), by: policy, attempt: attempt, at: span.trace.now(), isUnproven: isUnproven)
    }

    /// Calls a service in this context, as one of several calls that a policy makes for one.
    ///
    /// Where the call is observed, this one gets a span of its own, beneath the context's: its
    /// beginning, and its end with outcome and latency, are told, also if it is cancelled.
    ///
    /// - Parameters:
    ///   - name: What the span is called, like "attempt 2".
    ///   - attempt: Which attempt it is.
    ///   - record: What notes what it sends.
    ///   - policy: The policy's name.
    ///   - classifier: Decides what is told of the end.
    ///   - service: What is called.
    ///   - input: What it is called with.
    func call<Input: Sendable, Output: Sendable>(
        _ name: @autoclosure () -> String, attempt: Int, record: CallRecord?, by policy: String,
        classifier: Classifier<Output>, _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = with(attempt: attempt, record: record, span: span?.child())
        if context.span == nil { return context.call(service, input) }
        return context.callInSpan(name(), by: policy, classifier: classifier, service, input)
    }

    /// Calls a service in this context, whose span nobody has heard of yet.
    func callInSpan<Input: Sendable, Output: Sendable>(
        _ name: String, by policy: String, classifier: Classifier<Output>,
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        begin(name, by: policy)
        let future = call(service, input)
        if classifier.isPlainSuccess(future) {
            end(.success, nil, by: policy)
            return future
        }
        return endLater(future, by: policy, classifier: classifier)
    }

    /// The way of calls that are pending, or have failed.
    ///
    /// Apart, as it looks up generic types at run time, which the compiler would do for all.
    @inline(never)
    private func endLater<Output: Sendable>(
        _ future: Future<Output>, by policy: String, classifier: Classifier<Output>
    ) -> Future<Output> {
        if let result = future.result {
            end(classifier.assess(result), result.failure, by: policy)
            return future
        }
        return future.onEnd { end(classifier.assess($0), $0.failure, by: policy) }
    }

    private func begin(_ name: String, by policy: String) {
        guard let span else { return }
        span.tell(.began(name: name), by: policy, attempt: attempt, at: span.start)
    }

    private func end(_ assessment: CallAssessment, _ error: (any Error)?, by policy: String) {
        guard let span else { return }
        let now = span.trace.now()
        let latency = span.start.duration(to: now)
        span.tell(
            .ended(Outcome(forCallerOf: assessment), latency: latency, error: error), by: policy,
            attempt: attempt, at: now, health: assessment.health)
    }
}

extension Result {
    /// The error, if it is one.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }

    /// Whether it is the end of a call that was given up.
    var isGivenUp: Bool { failure is CancellationError }
}
