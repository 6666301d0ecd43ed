package import PledgeHTTPMessages
public import PledgeHTTPText
import PledgeServices

/// The reason why a multipart body can't be parsed: the cause of an `HTTPError` with the code `malformedMultipart`.
package struct MultipartError: Error, Hashable, Sendable, ShownCause {
    /// The kind of failure.
    package var code: Code

    /// The number of bytes parsed before the failure.
    package var offset: Int64

    /// The kinds of failure.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The Content-Type isn't multipart, or has no valid boundary.
        case noBoundary
        /// The body ends before the last boundary.
        case truncated
        /// A boundary isn't followed by a line end or "--".
        case badDelimiter
        /// A header of a part is malformed.
        case badHeader
        /// There are more bytes before the first boundary, or after the last one, than the limits allow.
        case textTooLong
        /// A part's headers have more bytes than the limits allow.
        case headersTooLong
        /// There are more parts than the limits allow.
        case tooManyParts
    }

    /// Creates an error.
    package init(code: Code, offset: Int64 = 0) {
        self.code = code
        self.offset = offset
    }
}

extension MultipartError: CustomStringConvertible {
    /// The failure and its position, without the bytes.
    package var description: String { "not a multipart body: \(reason) (at byte \(offset))" }

    private var reason: String {
        switch code {
        case .noBoundary:
            "the Content-Type names no multipart type with a boundary of 1 to 70 characters"
        case .truncated: "the body ends before its last boundary"
        case .badDelimiter: "a boundary is followed by something else than a line's end"
        case .badHeader: "a part's header is malformed"
        case .textTooLong: "there is too much before the first boundary or after the last"
        case .headersTooLong: "a part's headers are too long"
        case .tooManyParts: "there are too many parts"
        }
    }
}

extension MultipartError: DescribedError {}

extension MultipartError: CodedError {
    /// The code's name.
    package var loggedCode: String { code.rawValue }
}

extension HTTPError {
    /// Creates the error of a multipart body.
    init(_ error: MultipartError) { self.init(code: .malformedMultipart, cause: error) }
}
