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
        if let span { span.tell(kind(), by: policy, attempt: attempt) }
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
        guard let span else { return with(attempt: attempt).run { service(input) } }
        return with(span: span.child(), attempt: attempt)
            .callInSpan(name(), by: policy, classifier: classifier, service, input)
    }

    /// Calls a service in this context, whose span nobody has heard of yet.
    func callInSpan<Input: Sendable, Output: Sendable>(
        _ name: String, by policy: String, classifier: Classifier<Output>,
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        report(.began(name: name), by: policy)
        let future = run { service(input) }
        if let result = future.result {
            end(result, by: policy, classifier)
            return future
        }
        return future.onEnd { result in end(result, by: policy, classifier) }
    }

    private func end<Output>(
        _ result: Result<Output, any Error>, by policy: String, _ classifier: Classifier<Output>
    ) {
        guard let span else { return }
        let latency = span.start.duration(to: span.trace.scheduler.now)
        let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
        report(.ended(classifier(result), latency: latency, error: error), by: policy)
    }
}
