/// A function that takes an input and, now or later, calls back with an output.
///
/// ```
/// let login: Action<LoginInfo, NetworkResponse> = { info, callback in
///     server.login(info) { response in callback(response) }
/// }
/// ```
///
/// Join actions with `compose(_:_:)`, or with its operator ``>-(_:_:)``. Pass the callback with ``exec(_:_:)``, or
/// with its operator ``<-(_:_:)``.
///
/// An action and its callback are `@Sendable`, because most actions call back on another thread. The type doesn't say
/// on which thread an action calls back, how often, or whether it calls back at all. The action's documentation has to
/// say so. If an action may fail, its output is a `Result` or a similar type. For a `Future`, none of this varies;
/// ``asFuture(_:fileID:line:)`` and ``asCallback(_:)`` convert between the two.
public typealias Action<Input, Output> =
    @Sendable (_ input: Input, _ callback: @escaping @Sendable (Output) -> Void) -> Void

/// Joins two actions: the output of the first is the input of the second.
///
/// ```
/// let login = compose(Network.shared.loginAction, Parser.shared.jsonAction)
/// ```
///
/// The operator ``>-(_:_:)`` does the same.
///
/// The result calls back on the thread that `second` calls back on. If one of the two doesn't call back, neither
/// does the result. If `first` calls back twice, `second` is called twice.
///
/// - Parameters:
///   - first: The action to call first.
///   - second: The action to call with each output of the first.
/// - Returns: An action from the input of the first to the output of the second.
/// - Complexity: One closure context to compose, and one for each call of the result.
public func compose<Input, Middle, Output>(
    _ first: @escaping Action<Input, Middle>,
    _ second: @escaping Action<Middle, Output>
) -> Action<Input, Output> {
    { input, callback in
        first(input) { middle in second(middle, callback) }
    }
}

/// Binds tighter than `<-`, so that `a >- b <- callback` gives the callback to all of `a >- b`.
precedencegroup Compose {
    associativity: left
    higherThan: Exec
}

infix operator >- : Compose

/// Joins two actions: `compose(_:_:)` in operator form.
///
/// ```
/// let login = Network.shared.loginAction >- Parser.shared.jsonAction
/// ```
///
/// - Parameters:
///   - first: The action to call first.
///   - second: The action to call with each output of the first.
/// - Returns: An action from the input of the first to the output of the second.
public func >- <Input, Middle, Output>(
    first: @escaping Action<Input, Middle>,
    second: @escaping Action<Middle, Output>
) -> Action<Input, Output> {
    compose(first, second)
}

/// Binds an action to its callback, and returns a function of the input.
///
/// So one place in your code can handle the output, and another place can make the request. The result fits a button's
/// `bind(events:for:)`.
///
/// ```
/// let request = exec(login) { response in print(response.message) }
/// request(LoginInfo(userName: "Tangent", password: "123"))
/// ```
///
/// The operator ``<-(_:_:)`` does the same.
///
/// - Parameters:
///   - action: The action to call.
///   - callback: Called with each output, on the thread that `action` calls back on.
/// - Returns: A function that calls the action with its argument. You may call it any number of times.
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

/// Binds an action to its callback: ``exec(_:_:)`` in operator form.
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
