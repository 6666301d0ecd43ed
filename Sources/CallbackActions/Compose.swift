/// Makes one action of two: the output of the first is the input of the second.
///
/// ```
/// let login = compose(Network.shared.loginAction, Parser.shared.jsonAction)
/// ```
///
/// Known in operator form as ``>-(_:_:)``.
///
/// The result calls back as the two do: on the thread that `second` calls back on; not at all if one of them
/// does not call back; and if `first` calls back twice, `second` is called twice.
///
/// - Parameters:
///   - first: The action that is called first.
///   - second: The action that is called with each output of the first.
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

/// Makes one action of two: `compose(_:_:)` in operator form.
///
/// ```
/// let login = Network.shared.loginAction >- Parser.shared.jsonAction
/// ```
///
/// - Parameters:
///   - first: The action that is called first.
///   - second: The action that is called with each output of the first.
/// - Returns: An action from the input of the first to the output of the second.
public func >- <Input, Middle, Output>(
    first: @escaping Action<Input, Middle>,
    second: @escaping Action<Middle, Output>
) -> Action<Input, Output> {
    compose(first, second)
}
