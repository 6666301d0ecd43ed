package import PledgeHTTPMessages
public import PledgeHTTPText
package import PledgeServices

/// The reason why a compressed body couldn't be decoded.
///
/// It is the cause of the `HTTPError` that `.decompress(upTo:)` fails with.
package struct DecompressionFailure: Error, Hashable, ShownCause {
    /// The kind of failure.
    package let code: Code

    /// Creates a failure.
    package init(_ code: Code) { self.code = code }

    /// The kinds of failure.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The bytes don't match Content-Encoding.
        case malformed
        /// The body ends before the compressed data does.
        case truncated
        /// The body goes on after the end of the compressed data.
        case trailingBytes
        /// The body declares too many codings in a row.
        case tooManyCodings
        /// The system has no zlib that this package can use.
        case zlibMissing
        /// The system has no Brotli decoder that this package can use.
        case brotliMissing
        /// The system has no libzstd that this package can use.
        case zstdMissing
        /// The body needs a Zstandard window of more than 8 MiB, which HTTP doesn't allow.
        case windowTooLarge
        /// There isn't enough memory to decompress the body.
        case outOfMemory
    }
}

extension DecompressionFailure: CustomStringConvertible {
    /// The failure, and the remedy if there is one.
    package var description: String {
        switch code {
        case .malformed: "the body is not compressed as its Content-Encoding says"
        case .truncated: "the body ends before its compressed data does"
        case .trailingBytes: "the body goes on after the end of its compressed data"
        case .tooManyCodings:
            "the body names more than \(ContentCoding.most) codings in its Content-Encoding"
        case .zlibMissing:
            "the system has no zlib: install it (libz.so.1), or ask for Accept-Encoding: identity"
        case .brotliMissing:
            "the system cannot decode br: install libbrotlidec.so.1, or do not ask for br"
        case .zstdMissing:
            "the system cannot decode zstd: install libzstd.so.1, or do not ask for zstd"
        case .windowTooLarge: "the body's zstd window has more than 8 MiB"
        case .outOfMemory: "there is no memory to decompress the body"
        }
    }
}

extension DecompressionFailure: DescribedError {}

extension DecompressionFailure: CodedError {
    /// The code's name.
    package var loggedCode: String { code.rawValue }
}
