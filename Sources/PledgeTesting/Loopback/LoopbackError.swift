/// What went wrong in a loopback server, or in what a test waited for there.
package struct LoopbackError: Error, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: Sendable, Hashable {
        /// A call to the system failed.
        case system(Int32)
        /// The client sent what is no HTTP/1.1 request.
        case notHTTP
        /// The server was stopped before what a test waited for came about.
        case stopped
    }

    /// The kind of failure.
    package let code: Code

    /// What happened, in one line.
    package let description: String

    /// Makes an error of a kind.
    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
