import HTTPNetworking

/// How a body is compressed (RFC 9110, section 8.4.1).
enum ContentCoding {
    case gzip
    /// Deflate in zlib's wrapper, or, as some servers send it, without.
    case deflate

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
                case "deflate": codings.append(.deflate)
                default: return nil
                }
            }
        }
        return codings
    }
}
