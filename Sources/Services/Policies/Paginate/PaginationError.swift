/// The error of a sequence of pages that ends itself.
public struct PaginationError: Error {
    /// What happened.
    public let code: Code

    /// How many pages were delivered.
    public let pages: Int

    /// The kinds of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is another page after the allowed number.
        case tooManyPages
    }

    /// Makes an error.
    public init(_ code: Code, pages: Int) {
        self.code = code
        self.pages = pages
    }
}

extension PaginationError: CallerError {}

extension PaginationError: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension PaginationError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        """
        too many pages: there is another one after page \(pages); if the server does not name the \
        same page again and again, raise maxPages
        """
    }
}
