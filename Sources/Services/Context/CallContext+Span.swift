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
        guard let span else { return }
        span.tell(kind(), by: policy, attempt: attempt, at: span.trace.now())
    }

    /// Calls a service in this context, as one of several calls that a policy makes for one.
    ///
    /// Where the call is observed, this one gets a span of its own, beneath the context's: its
    /// beginning, and its end with outcome and latency, are told, also if it is cancelled.
    ///
    /// - Parameters:
    ///   - name: What the span is called, like "attempt 2".
    ///   - attempt: Which attempt it is.
    ///   - policy: The policy's name.
    ///   - classifier: Decides the outcome that is told.
    ///   - service: What is called.
    ///   - input: What it is called with.
    func call<Input: Sendable, Output: Sendable>(
        _ name: @autoclosure () -> String, attempt: Int, by policy: String,
        classifier: Classifier<Output>, _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        guard let span else { return with(attempt: attempt).call(service, input) }
        return with(span: span.child(), attempt: attempt)
            .callInSpan(name(), by: policy, classifier: classifier, service, input)
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
            end(classifier(result), result.failure, by: policy)
            return future
        }
        return future.onEnd { end(classifier($0), $0.failure, by: policy) }
    }

    private func begin(_ name: String, by policy: String) {
        guard let span else { return }
        span.tell(.began(name: name), by: policy, attempt: attempt, at: span.start)
    }

    private func end(_ outcome: Outcome, _ error: (any Error)?, by policy: String) {
        guard let span else { return }
        let now = span.trace.now()
        span.tell(
            .ended(outcome, latency: span.start.duration(to: now), error: error),
            by: policy, attempt: attempt, at: now)
    }
}

extension Result {
    /// The error, if it is one.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
