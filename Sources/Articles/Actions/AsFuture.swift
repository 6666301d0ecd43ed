public import PledgeFutures

/// Turns an action into a function that returns a future.
///
/// ```
/// let login = asFuture(Network.shared.loginAction)  // (LoginInfo) -> Future<NetworkResponse>
/// let response = try await login(info).value
/// ```
///
/// The result works with `chain(_:to:)` and `combine(_:with:)` like any function. ``asCallback(_:)`` is the
/// reverse.
///
/// The future succeeds with the first output, on the thread that the action calls back on. Later outputs are ignored.
/// If an action releases its callback without calling it, the future fails as abandoned. If an action keeps its
/// callback forever, the future stays pending, so give the future a `timeout(_:on:)`.
///
/// You can't ask an action to stop. If you cancel the future, it settles, and the action continues.
///
/// - Parameters:
///   - action: The action. It is called once for each call of the result, on the calling thread, before that call
///     returns.
///   - fileID: The file that the error names if the future is abandoned; leave it out.
///   - line: The line that the error names if the future is abandoned; leave it out.
/// - Returns: A function that calls the action and returns a future of its first output.
public func asFuture<Input, Output: Sendable>(
    _ action: @escaping Action<Input, Output>,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> @Sendable (Input) -> Future<Output> {
    { input in
        Future.make(fileID: fileID, line: line) { resolver in
            action(input) { output in resolver.resolve(with: output) }
        }
    }
}

/// Turns an action whose output is a `Result` into a function that returns a future.
///
/// If the first output is a failure, the future fails with that error, unchanged. In all other respects, this works
/// like ``asFuture(_:fileID:line:)``, which would return a future of a `Result` for such an action.
///
/// ```
/// let load = asFuture(unwrapping: loadAction)  // (Product.ID) -> Future<Product>
/// ```
///
/// - Parameters:
///   - action: The action. It is called once for each call of the result, on the calling thread, before that call
///     returns.
///   - fileID: The file that the error names if the future is abandoned; leave it out.
///   - line: The line that the error names if the future is abandoned; leave it out.
/// - Returns: A function that calls the action and returns a future of the value in its first output.
public func asFuture<Input, Output: Sendable, Failure: Error>(
    unwrapping action: @escaping Action<Input, Result<Output, Failure>>,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> @Sendable (Input) -> Future<Output> {
    { input in
        Future.make(fileID: fileID, line: line) { resolver in
            action(input) { result in
                switch result {
                case .success(let output): resolver.resolve(with: output)
                case .failure(let error): resolver.reject(with: error)
                }
            }
        }
    }
}

/// Turns a function that returns a future into an action.
///
/// ```
/// let load = asCallback(loadProduct)  // Action<Product.ID, Result<Product, any Error>>
/// let request = load <- { result in render(result) }
/// ```
///
/// The action calls back exactly once, with the future's result. It does so on the thread that settles the future,
/// or at once if the future has already settled. Failures, including abandonment and cancellation, arrive as
/// `.failure`. ``asFuture(unwrapping:fileID:line:)`` is the reverse.
///
/// - Parameter function: The function. It is called once for each call of the action, on the calling thread.
/// - Returns: An action that calls the function and calls back with the result of its future.
public func asCallback<Input, Output: Sendable>(
    _ function: @escaping @Sendable (Input) -> Future<Output>
) -> Action<Input, Result<Output, any Error>> {
    { input, callback in function(input).observe(callback) }
}
