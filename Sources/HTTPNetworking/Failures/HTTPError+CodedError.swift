public import PledgeServices

extension HTTPError: CodedError {
    /// The status, if it was not accepted; otherwise the code's word.
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
        case .reservedHeader: "reservedHeader"
        case .invalidMethod: "invalidMethod"
        case .bodyNotAllowed: "bodyNotAllowed"
        case .severalBodies: "severalBodies"
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
