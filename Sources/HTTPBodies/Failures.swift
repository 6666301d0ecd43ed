import HTTPNetworking
public import Services

// What the errors of bodies are to the policies, to logs, and to readers.

extension MultipartError: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension MultipartError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension MultipartError: ShownCause {}

// The answer is not what the type says.
extension MultipartError: CallersMistake {}

extension DecompressionFailure: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension DecompressionFailure: ShownCause {}
