import PledgeFutures

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
}

extension Result {
    /// The error, if it is one.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }

    /// Whether it is the end of a call that was given up.
    var isGivenUp: Bool { failure is CancellationError }
}
