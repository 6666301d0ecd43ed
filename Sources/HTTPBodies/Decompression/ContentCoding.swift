import HTTPNetworking

/// How a body is compressed (RFC 9110, section 8.4.1).
///
/// The raw value is the name that a request asks by; the order is that of Accept-Encoding.
enum ContentCoding: String, CaseIterable {
    case gzip
    /// Deflate in zlib's wrapper, or, as some servers send it, without.
    case deflate
    /// Brotli (RFC 7932).
    case brotli = "br"
    /// Zstandard (RFC 8878), with windows of at most 8 MiB (RFC 9659).
    case zstd

    /// Those that the system's libraries can undo.
    static var available: Set<ContentCoding> { Set(allCases.filter(\.isAvailable)) }

    private var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: Inflater.isAvailable
        case .brotli: BrotliDecoder.isAvailable
        case .zstd: ZstdDecoder.isAvailable
        }
    }

    /// What it means that the system's libraries cannot undo it.
    var missing: DecompressionFailure.Code {
        switch self {
        case .gzip, .deflate: .zlibMissing
        case .brotli: .brotliMissing
        case .zstd: .zstdMissing
        }
    }

    /// How many of them a body may have: as many as curl takes.
    static let most = 5

    /// The codings of a body in the order in which they were applied; identity counts for nothing.
    ///
    /// - Returns: Nil where one of them is unknown.
    static func all(in headers: HTTPHeaders) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for value in headers.values(for: "Content-Encoding") {
            for word in value.split(whereSeparator: { $0 == "," || $0 == "\t" }) {
                // Within a name, white space makes no coding of it.
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
