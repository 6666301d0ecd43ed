import PledgeFutures

extension Middleware {
    /// Calls another service with the same input after a failure.
    ///
    /// ```swift
    /// let api = stack(.fallback(to: cache.load), .retry(), over: transport)
    /// ```
    ///
    /// The other service is called if the classifier says that the call failed, for any reason (``Outcome/isSuccess``,
    /// `Outcome.fault`) except a cancellation, because a caller who cancels needs no substitute. It is called on the
    /// thread that settled the first call, in that call's ``CallContext``, so it sees the time left until the deadline.
    /// Its result becomes the call's result; the first error is in the event ``PolicyEvent/Kind/fellBack(error:)``.
    /// Cancelling the future cancels the call that is in flight.
    ///
    /// If the fallback is outside an observed call, such as a client's call, the fallback's event goes to that call's
    /// observers.
    ///
    /// The other service gets the input even if the input isn't ``Replayable``. So use a fallback only if both services
    /// may get the same input.
    ///
    /// - Parameters:
    ///   - other: The service that is called after a failure.
    ///   - classifier: Assesses the end of a call.
    public static func fallback(
        to other: @escaping Service<Input, Output>, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        fallback(classifier) { input, _, context in
            context.call(
                "fallback", attempt: context.attempt, record: context.record,
                by: Fallback<Input, Output>.name,
                classifier: classifier, other, input)
        }
    }

    /// Returns a fixed value after a failure.
    ///
    /// The value is used in the same cases in which ``fallback(to:classifier:)`` calls its other service.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - classifier: Assesses the end of a call.
    public static func fallback(
        _ value: Output, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        fallback(classifier) { _, _, _ in Future(value: value) }
    }

    /// Creates a value from a failure.
    ///
    /// ```swift
    /// let loadRates = stack(
    ///     .fallback { error in Rates(asOf: .distantPast, reason: error) }, over: transport)
    /// ```
    ///
    /// - Parameters:
    ///   - classifier: Assesses the end of a call.
    ///   - makeValue: Returns the value. Called once for each call that has failed by the classifier's rules, on the
    ///     thread that settled the call. It gets the call's error, or nil if the failure was a value. If it throws, the
    ///     call fails with that error.
    public static func fallback(
        classifier: Classifier<Output> = .standard,
        from makeValue: @escaping @Sendable (_ error: (any Error)?) throws -> Output
    ) -> Middleware {
        fallback(classifier) { _, error, context in
            do {
                return Future(value: try context.run { try makeValue(error) })
            } catch {
                return Future(error: error)
            }
        }
    }

    private static func fallback(
        _ classifier: Classifier<Output>,
        _ substitute: @escaping Fallback<Input, Output>.Substitute
    ) -> Middleware {
        let fallback = Fallback(classifier: classifier, substitute: substitute)
        return Middleware(named: "fallback") { service in { input in fallback.call(service, input) }
        }
    }
}

/// The fallback policy.
///
/// The policy keeps no state between calls. A call that succeeds or is cancelled keeps its result. Any other call gets
/// the substitute's result, even if that is a failure, too.
struct Fallback<Input: Sendable, Output: Sendable>: Sendable {
    typealias Substitute = @Sendable (Input, (any Error)?, CallContext) -> Future<Output>

    static var name: String { "fallback" }

    let classifier: Classifier<Output>
    let substitute: Substitute

    func call(_ service: Service<Input, Output>, _ input: Input) -> Future<Output> {
        let context = CallContext.current
        if context.isObserved { return follow(service(input), of: input, in: context, nil) }
        let beneath = context.callBeneath ?? CallBeneath()
        let future = context.with(callBeneath: beneath).call(service, input)
        return follow(future, of: input, in: context, beneath)
    }

    private func follow(
        _ future: Future<Output>, of input: Input, in context: CallContext, _ beneath: CallBeneath?
    ) -> Future<Output> {
        // If the future has already settled, no further object is needed.
        if let result = future.result {
            return replace(result, of: input, in: context, beneath) ?? future
        }
        let caller = CallerContext(keeping: context)
        return future.flatMapSomeResults { result in
            caller.run { replace(result, of: input, in: context, beneath) }
        }
    }

    /// - Parameter beneath: The observed call below, whose observers get the event if the context itself has no
    ///   observers.
    /// - Returns: The future of the substitute; nil if the result stays.
    private func replace(
        _ result: Result<Output, any Error>, of input: Input, in context: CallContext,
        _ beneath: CallBeneath?
    ) -> Future<Output>? {
        let outcome = classifier(result)
        guard !outcome.isSuccess, outcome.fault != .nobody else { return nil }
        let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
        let observed = context.with(
            attempt: context.attempt, record: context.record, span: beneath?.span ?? context.span)
        observed.report(.fellBack(error: error), by: Self.name)
        return substitute(input, error, context)
    }
}
