extension HTTPHeaders {
    /// The text of a field's value as it came over the wire.
    ///
    /// UTF-8, and where the bytes are none, ISO-8859-1, which was the rule before RFC 7230: no byte is lost.
    @inlinable
    package static func text(ofValue bytes: some Collection<UInt8>) -> String {
        // Nearly every value, which the slower way would ask the runtime about piece by piece.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
