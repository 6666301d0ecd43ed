/// A function that takes an input and, now or later, calls back with an output.
///
/// ```
/// let login: Action<LoginInfo, NetworkResponse> = { info, callback in
///     server.login(info) { response in callback(response) }
/// }
/// ```
///
/// Actions are joined with `compose(_:_:)`, in operator form ``>-(_:_:)``, and get their callback by
/// ``exec(_:_:)``, in operator form ``<-(_:_:)``.
///
/// An action and its callback are `@Sendable`, since most actions call back on another thread than
/// the one that called them. The type does not define on which thread, how often, or whether it
/// calls back: the action's documentation does. An action that may fail has an output such as a
/// `Result`. A `Future` defines these; ``asFuture(_:fileID:line:)`` and ``asCallback(_:)``
/// convert between the two.
public typealias Action<Input, Output> =
    @Sendable (_ input: Input, _ callback: @escaping @Sendable (Output) -> Void) -> Void
