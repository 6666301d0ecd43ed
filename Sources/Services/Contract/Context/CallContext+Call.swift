import PledgeFutures

extension CallContext {
    /// Calls a service in this context.
    ///
    /// The same as with a closure; but in generic code the closure would look up the type of its
    /// result at run time, for each call.
    func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        if storage === Self.bound { return service(input) }
        var future: Future<Output>?
        CallerContext.bind(storage) { future = service(input) }
        guard let future else { preconditionFailure("a bound closure has run") }
        return future
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
        future.atEnd(with: { ending.tell(classifier($0), $0.failure) })
    }
}

/// The parts that report the end of a span.
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
