public import Futures

/// An error that can say of which kind it is, in a word that may be written to a log.
///
/// ```swift
/// extension LoginError: CodedError {
///     var loggedCode: String { "\(reason)" }
/// }
/// ```
///
/// What observers write of an error is its type, and this. Nothing else of it is written: a message,
/// a request or a body may hold secrets.
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
