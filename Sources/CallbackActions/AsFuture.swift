public import PledgeFutures

/// Turns an action into a function that returns a future.
///
/// ```
/// let login = asFuture(Network.shared.loginAction)  // (LoginInfo) -> Future<NetworkResponse>
/// let response = try await login(info).value
/// ```
///
/// The result works with `chain(_:to:)` and `combine(_:with:)` like any function.
/// ``asCallback(_:)`` is the reverse.
///
/// The future succeeds with the first output, on the thread that the action calls back on; later outputs are
/// ignored. If an action releases its callback without a call, the future fails as abandoned. An action that
/// keeps its callback forever leaves the future pending: give it a `timeout(_:on:)`. An action cannot be
/// asked to stop: cancelling the future settles it, and the action continues.
///
/// - Parameters:
///   - action: The action. It is called once for each call of the result, on the calling thread,
///     before that call returns.
///   - fileID: The file that an abandoned error names; leave it out.
///   - line: The line that an abandoned error names; leave it out.
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
/// A first output that is a failure makes the future fail with that error, unchanged. Otherwise as
/// ``asFuture(_:fileID:line:)``, which would make a future of a `Result`.
///
/// ```
/// let load = asFuture(unwrapping: loadAction)  // (Product.ID) -> Future<Product>
/// ```
///
/// - Parameters:
///   - action: The action. It is called once for each call of the result, on the calling thread,
///     before that call returns.
///   - fileID: The file that an abandoned error names; leave it out.
///   - line: The line that an abandoned error names; leave it out.
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
