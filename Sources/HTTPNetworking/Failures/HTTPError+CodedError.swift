public import Services

extension HTTPError: CodedError {
    /// The status, where that is what was wrong; the code's words otherwise.
    public var loggedCode: String {
        guard code == .unacceptableStatus, let status else { return code.rawValue }
        return "\(status)"
    }
}
