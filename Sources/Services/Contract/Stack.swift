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
