import PledgeHTTPNetworking

/// How a body is compressed (RFC 9110, section 8.4.1).
///
/// The raw value is the name in Accept-Encoding; the order is the order there.
enum ContentCoding: String, CaseIterable {
    case gzip
    /// Deflate with zlib's wrapper, or without it, as some servers send it.
    case deflate
    /// Brotli (RFC 7932).
    case brotli = "br"
    /// Zstandard (RFC 8878), with windows of at most 8 MiB (RFC 9659).
    case zstd

    /// The codings that the system's libraries can decode.
    static var available: Set<ContentCoding> { Set(allCases.filter(\.isAvailable)) }

    private var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: Inflater.isAvailable
        case .brotli: BrotliDecoder.isAvailable
        case .zstd: ZstdDecoder.isAvailable
        }
    }

    /// The failure if the system's libraries cannot decode it.
    var missing: DecompressionFailure.Code {
        switch self {
        case .gzip, .deflate: .zlibMissing
        case .brotli: .brotliMissing
        case .zstd: .zstdMissing
        }
    }

    /// How many of them a body may have: the same limit as curl's.
    static let most = 5

    /// The codings of a body in the order in which they were applied; identity does not count.
    ///
    /// - Returns: Nil if one of them is unknown.
    static func all(in headers: HTTPHeaders) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for value in headers.values(for: "Content-Encoding") {
            for word in value.split(whereSeparator: { $0 == "," || $0 == "\t" }) {
                // A name with white space within it is not a coding.
                let name = word.split(separator: " ").joined(separator: " ")
                switch name.lowercased() {
                case "", "identity": continue
                case "gzip", "x-gzip": codings.append(.gzip)
                case let name:
                    guard let coding = ContentCoding(rawValue: name) else { return nil }
                    codings.append(coding)
                }
            }
        }
        return codings
    }
}
