/// A failure of a loopback server, or of a test's wait for one.
public struct LoopbackError: Error {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// A call to the system failed, with its `errno`.
        case system(Int32)
        /// The client sent something that is not an HTTP/1.1 request.
        case notHTTP
        /// The server was stopped before the condition of a wait was met.
        case stopped
    }

    /// The kind of failure.
    public let code: Code

    private let text: String

    init(_ code: Code, _ description: String) {
        self.code = code
        text = description
    }
}

extension LoopbackError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String { text }
}
