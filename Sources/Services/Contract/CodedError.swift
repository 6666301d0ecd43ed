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

/// An error whose code has a name, which is what a log shows.
package protocol NamedError: CodedError {
    associatedtype Code: NamedCode
    var code: Code { get }
}

extension NamedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension ServiceError: NamedError {}

extension FutureError: NamedError {}
