/// Runs an operation in a task that has been cancelled before.
///
/// - Returns: The operation's result.
package func inCancelledTask<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await operation()
    }.result
}
