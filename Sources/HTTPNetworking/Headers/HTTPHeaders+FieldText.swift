extension HTTPHeaders {
    /// The text of a field's value from the wire.
    ///
    /// UTF-8, or, if the bytes are not UTF-8, ISO-8859-1, the rule before RFC 7230: no byte is lost.
    @inlinable
    package static func text(ofValue bytes: some Collection<UInt8>) -> String {
        // The fast path of nearly every value.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
