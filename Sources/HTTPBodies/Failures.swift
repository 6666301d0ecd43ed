import PledgeHTTPNetworking
public import PledgeServices

// The meaning of the errors of bodies for policies, logs, and readers.

extension MultipartError: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension MultipartError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension MultipartError: ShownCause {}

// The answer does not match the type.
extension MultipartError: CallerError {}

extension DecompressionFailure: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension DecompressionFailure: ShownCause {}
