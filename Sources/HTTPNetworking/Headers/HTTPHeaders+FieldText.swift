extension HTTPHeaders {
    /// The text of a field's value from the wire.
    ///
    /// UTF-8, or, if the bytes are not UTF-8, ISO-8859-1, the rule before RFC 7230: no byte is lost.
    @inlinable
    package static func text(ofValue bytes: some Collection<UInt8>) -> String {
        // The fast path of nearly every value.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return text(ofLatin1: bytes)
    }

    /// The text with a character for each byte (ISO-8859-1).
    @inlinable
    package static func text(ofLatin1 bytes: some Collection<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The bytes of a text with a character for each byte; nil if it has others.
    package static func bytes(ofLatin1 text: String) -> [UInt8]? {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return bytes.count == text.unicodeScalars.count ? bytes : nil
    }
}

extension HTTPHeaders {
    /// Whether a text from a server's body may become the value of a field: it is valid, and no U+FFFD stands
    /// in the place of bytes.
    package static func isReturnable(_ text: String) -> Bool {
        isValid(name: "X", value: text) && !text.unicodeScalars.contains("\u{FFFD}")
    }
}

/// A field's value that a server has sent, or a part of one, which may become part of a request.
package struct ReceivedValue: Hashable, Sendable {
    package let text: String

    /// The bytes, where a transport has kept them.
    package let keptBytes: [UInt8]?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - bytes: The bytes; nil if they are not known, or are the UTF-8 of the text.
    package init(text: String, bytes: [UInt8]? = nil) {
        self.text = text
        keptBytes = bytes
    }

    /// The bytes; nil if a platform has put U+FFFD in the place of some.
    package var bytes: [UInt8]? {
        if let keptBytes { return keptBytes }
        return text.unicodeScalars.contains("\u{FFFD}") ? nil : Array(text.utf8)
    }

    /// The bytes, if a field of a request may hold them; nil if not.
    ///
    /// With another value, each request would fail before it is sent.
    package var returnable: [UInt8]? {
        bytes.flatMap { HTTPHeaders.isValid(bytes: $0) ? $0 : nil }
    }
}
