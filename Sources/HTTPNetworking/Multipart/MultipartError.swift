/// Why the parts of a body cannot be told apart.
public struct MultipartError: Error {
    /// What was wrong.
    public var code: Code

    /// How many bytes of the body were understood before it.
    public var offset: Int

    /// The kinds of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no Content-Type of multipart with a boundary.
        case noBoundary =
            "the Content-Type names no multipart type with a boundary of 1 to 70 characters"
        /// The body ends before the last boundary.
        case truncated = "the body ends before its last boundary"
        /// After a boundary stands neither a line's end nor "--".
        case badDelimiter = "a boundary is followed by something else than a line's end"
        /// A header of a part is none.
        case badHeader = "a part's header is malformed"
        /// There is more before the first boundary, or after the last, than the limits allow.
        case textTooLong = "there is too much before the first boundary or after the last"
        /// A part's headers have more bytes than the limits allow.
        case headersTooLong = "a part's headers are too long"
        /// There are more parts than the limits allow.
        case tooManyParts = "there are too many parts"
    }

    /// Makes an error.
    public init(code: Code, offset: Int = 0) {
        self.code = code
        self.offset = offset
    }
}

extension MultipartError: CustomStringConvertible {
    /// What was wrong, and where; nothing of the bytes.
    public var description: String { "not a multipart body: \(code.rawValue) (at byte \(offset))" }
}

extension MultipartError: Hashable {}

extension MultipartError: Sendable {}
