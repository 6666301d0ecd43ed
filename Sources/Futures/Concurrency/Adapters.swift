/// Turns an asynchronous function into one that returns a future.
///
/// ```swift
/// let networking: Networking = asFuture { endpoint in try await client.load(endpoint) }
/// ```
///
/// - Parameter operation: Runs in a task of its own for each call; that task is cancelled when the
///   future is.
/// - Returns: A function that starts the operation and returns at once.
public func asFuture<Input: Sendable, Output: Sendable>(
    _ operation: @escaping @Sendable (Input) async throws -> Output
) -> @Sendable (Input) -> Future<Output> {
    { input in Future { try await operation(input) } }
}

/// Turns a function that returns a future into an asynchronous one.
///
/// ```swift
/// let load = awaiting(networking)
/// let data = try await load(.product(withID: 7))
/// ```
///
/// - Parameter function: A function that returns a future.
/// - Returns: A function that awaits the future's value. Cancelling the task that awaits gives up its
///   interest in the future.
public func awaiting<Input: Sendable, Output: Sendable>(
    _ function: @escaping @Sendable (Input) -> Future<Output>
) -> @Sendable (Input) async throws -> Output {
    { input in try await function(input).value }
}
