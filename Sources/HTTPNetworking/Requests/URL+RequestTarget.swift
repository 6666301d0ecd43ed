extension URL {
    /// Path and query, as in a request line (RFC 9112, section 3.2.1).
    ///
    /// Nil if this is not an absolute http or https URL with a host.
    package var requestTarget: String? {
        var text = absoluteString
        return text.withUTF8 { bytes in
            guard let offsets = URLPartOffsets(bytes) else { return nil }
            let target = String(decoding: bytes[offsets.path..<offsets.end], as: UTF8.self)
            return target.hasPrefix("/") ? target : "/\(target)"
        }
    }
}
