public import PledgeFutures

/// An error with a code that may be written to a log.
///
/// ```swift
/// extension LoginError: CodedError {
///     var loggedCode: String { "\(reason)" }
/// }
/// ```
///
/// Observers write only an error's type and this code, because a message, a request or a body may hold secrets.
public protocol CodedError: Error {
    /// The kind of error, as a code or a status. It must not hold secrets.
    var loggedCode: String { get }
}

extension ServiceError: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension FutureError: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}
