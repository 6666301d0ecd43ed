public import PledgeFutures

/// An error with a code that may be written to a log.
///
/// ```swift
/// extension LoginError: CodedError {
///     var loggedCode: String { "\(reason)" }
/// }
/// ```
///
/// Observers write only an error's type and this code. A message, a request or a body may hold secrets.
public protocol CodedError: Error {
    /// The kind of error: a code, a status. It must hold no secrets.
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
