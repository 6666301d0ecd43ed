public import PledgeFutures

/// Turns a function that returns a future into an action.
///
/// ```
/// let load = asCallback(loadProduct)  // Action<Product.ID, Result<Product, any Error>>
/// let request = load <- { result in render(result) }
/// ```
///
/// The action calls back exactly once, with the future's result, on the thread that settles the future, or at
/// once if it has settled before. Failures, including abandonment and cancellation, arrive as `.failure`.
/// ``asFuture(unwrapping:fileID:line:)`` is the reverse.
///
/// - Parameter function: The function. It is called once for each call of the action, on the
///   calling thread.
/// - Returns: An action that calls the function and calls back with the result of its future.
public func asCallback<Input, Output: Sendable>(
    _ function: @escaping @Sendable (Input) -> Future<Output>
) -> Action<Input, Result<Output, any Error>> {
    { input, callback in function(input).observe(callback) }
}
