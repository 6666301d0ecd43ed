extension HTTPHeaders {
    /// The text of a field's value as it came over the wire.
    ///
    /// UTF-8, and where the bytes are none, ISO-8859-1, which was the rule before RFC 7230: no byte is lost.
    package static func text(ofValue bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
