public import Services

extension HTTPError: CodedError {
    /// The status, where that is what was wrong; the code's word otherwise.
    public var loggedCode: String {
        guard code == .unacceptableStatus, let status else { return code.rawValue }
        return "\(status)"
    }
}

extension Endpoint.Error: CodedError {
    /// The case's name.
    public var loggedCode: String {
        switch self {
        case .invalidURL: "invalidURL"
        case .invalidHeader: "invalidHeader"
        case .invalidMethod: "invalidMethod"
        case .bodyNotAllowed: "bodyNotAllowed"
        }
    }
}

extension DecodingFailure: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension FileError: CodedError {
    /// What was called, and the system's number of the error, like "open2".
    public var loggedCode: String { "\(operation)\(code)" }
}
