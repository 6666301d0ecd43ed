extension URL {
    /// Path and query, as a request's first line has them (RFC 9112, section 3.2.1).
    ///
    /// Nil where this is no absolute http or https URL with a host.
    package var requestTarget: String? {
        var text = absoluteString
        return text.withUTF8 { bytes in
            guard let offsets = URLPartOffsets(bytes) else { return nil }
            let target = String(decoding: bytes[offsets.path..<offsets.end], as: UTF8.self)
            return target.hasPrefix("/") ? target : "/\(target)"
        }
    }
}
