public import PledgeFutures

/// An action with methods instead of the operators: `then` is `>-`.
///
/// ```
/// ActionPromise<String, String> { input, callback in callback(input + " Two") }
///     .then { input, callback in callback(input + " Three") }
///     .exec(input: "One") { result in print(result) }  // One Two Three
/// ```
///
/// It is the `Promise` of the article on callbacks, under a name that doesn't clash with `Promise`, the write side of a
/// future. The work of a future has already started when you get the future. With an `ActionPromise`, nothing runs
/// until you call ``exec(input:callback:)``, and each call runs everything again.
public struct ActionPromise<Input, Output>: Sendable {
    private let action: Action<Input, Output>

    /// Wraps an action, without calling it.
    ///
    /// - Parameter action: The action that ``exec(input:callback:)`` calls.
    public init(action: @escaping Action<Input, Output>) {
        self.action = action
    }

    /// Appends an action that gets each output of this one as its input.
    ///
    /// - Parameter next: The action to append.
    /// - Returns: A new value that joins both actions, as `compose(_:_:)` does. The original doesn't change.
    /// - Complexity: One closure context.
    public func then<Next>(_ next: @escaping Action<Output, Next>) -> ActionPromise<Input, Next> {
        ActionPromise<Input, Next>(action: action >- next)
    }

    /// Calls the action.
    ///
    /// - Parameters:
    ///   - input: The input of the first action, which is called on this thread.
    ///   - callback: Called with each output of the last action, on the thread that the last action calls back on.
    public func exec(input: Input, callback: @escaping @Sendable (Output) -> Void) {
        action(input, callback)
    }
}

extension ActionPromise where Output: Sendable {
    /// Calls the action, and returns a future of its first output.
    ///
    /// ```
    /// let message = try await login.future(input: info).value
    /// ```
    ///
    /// - Parameters:
    ///   - input: The input of the first action, which is called on this thread.
    ///   - fileID: The file that the error names if the future is abandoned; leave it out.
    ///   - line: The line that the error names if the future is abandoned; leave it out.
    /// - Returns: A future that settles like a future from `asFuture(_:fileID:line:)`.
    public func future(
        input: Input,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<Output> {
        asFuture(action, fileID: fileID, line: line)(input)
    }
}
