/// A function that takes an input and, now or later, calls back with an output.
///
/// ```
/// let login: Action<LoginInfo, NetworkResponse> = { info, callback in
///     server.login(info) { response in callback(response) }
/// }
/// ```
///
/// Actions are joined with `compose(_:_:)`, in operator form ``>-(_:_:)``, and given their
/// callback with ``exec(_:_:)``, in operator form ``<-(_:_:)``.
///
/// An action and its callback are `@Sendable`, since most actions call back on another thread than
/// the one that called them. Nothing in the type says on which, how often, or whether at all: that
/// is the action's to say, and its callers' to know. An action that may fail has an output that
/// says so, such as a `Result`. A `Future` says more; ``returningFuture(_:fileID:line:)`` and
/// ``callingBack(_:)`` lead there and back.
public typealias Action<Input, Output> =
    @Sendable (_ input: Input, _ callback: @escaping @Sendable (Output) -> Void) -> Void
