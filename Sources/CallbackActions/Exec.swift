/// Makes a function of an action and its callback; the input is passed later.
///
/// One place defines the handling of the output, and another makes the request. The result fits a button's
/// `bind(events:for:)`.
///
/// ```
/// let request = exec(login) { response in print(response.message) }
/// request(LoginInfo(userName: "Tangent", password: "123"))
/// ```
///
/// Known in operator form as ``<-(_:_:)``.
///
/// - Parameters:
///   - action: The action to call.
///   - callback: Called with each output. It runs on the thread that `action` calls back on.
/// - Returns: A function that calls the action with its argument. It may be called any number of
///   times.
/// - Complexity: One closure context.
public func exec<Input, Output>(
    _ action: @escaping Action<Input, Output>,
    _ callback: @escaping @Sendable (Output) -> Void
) -> @Sendable (Input) -> Void {
    { input in action(input, callback) }
}

/// Binds looser than `>-`, and tighter than operators without a precedence group.
precedencegroup Exec {
    associativity: left
    higherThan: DefaultPrecedence
}

infix operator <- : Exec

/// Makes a function of an action and its callback: ``exec(_:_:)`` in operator form.
///
/// ```
/// let request = login >- parse <- { response in print(response.message) }
/// ```
///
/// - Parameters:
///   - action: The action to call.
///   - callback: Called with each output.
/// - Returns: A function that calls the action with its argument.
public func <- <Input, Output>(
    action: @escaping Action<Input, Output>,
    callback: @escaping @Sendable (Output) -> Void
) -> @Sendable (Input) -> Void {
    exec(action, callback)
}
