/// What went wrong in a loopback server, or in what a test waited for there.
public struct LoopbackError: Error {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// A call to the system failed, with its `errno`.
        case system(Int32)
        /// The client sent what is no HTTP/1.1 request.
        case notHTTP
        /// The server was stopped before what a test waited for came about.
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
