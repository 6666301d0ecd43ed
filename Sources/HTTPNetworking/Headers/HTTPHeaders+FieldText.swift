extension HTTPHeaders {
    /// The text of a field's value as it came over the wire: UTF-8, or ISO-8859-1 where it is not that.
    ///
    /// RFC 9110, section 5.5, leaves bytes above 0x7F to the sender. In ISO-8859-1, whose 256 characters
    /// are the first of Unicode, none of them is lost.
    package static func text(ofValue bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
