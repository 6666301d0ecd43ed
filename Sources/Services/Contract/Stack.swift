import PledgeFutures

/// Puts middleware around a service.
///
/// ```swift
/// let api = stack(
///     .deadline(.seconds(10)), .retry(sharing: budget), .timeout(.seconds(2)),
///     over: transport.send
/// )
/// ```
///
/// A call passes through the parts in the order in which they are named, and its result passes through them
/// in reverse: the first named is outermost.
///
/// - Parameters:
///   - middleware: The parts, outermost first; without parts, the result is the service itself.
///   - service: The service beneath them all.
/// - Returns: The service with all parts around it. State that the parts share between calls, such as a
///   budget, is in the values that they were made with.
public func stack<Input: Sendable, Output: Sendable>(
    _ middleware: Middleware<Input, Output>...,
    over service: @escaping Service<Input, Output>
) -> Service<Input, Output> {
    Middleware(stacking: middleware)(service)
}

/// Puts middleware around an async function.
///
/// - Parameters:
///   - middleware: The parts, outermost first.
///   - function: The function beneath them all. Called in a task of its own, which has the call's ``CallContext`` and is
///     cancelled with the call.
/// - Returns: A service with all parts around the function.
@_disfavoredOverload
public func stack<Input: Sendable, Output: Sendable>(
    _ middleware: Middleware<Input, Output>...,
    over function: @escaping @Sendable (Input) async throws -> Output
) -> Service<Input, Output> {
    Middleware(stacking: middleware)(asFuture(function))
}
