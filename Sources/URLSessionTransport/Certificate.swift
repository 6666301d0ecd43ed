import PledgeHTTPMessages

/// A certificate in DER (RFC 5280), perhaps malformed.
struct Certificate: Hashable, Sendable {
    let der: Data

    /// The SubjectPublicKeyInfo in DER, whose hash is the pin.
    ///
    /// Nil unless the bytes are one whole certificate with a key of a known kind.
    var publicKey: [UInt8]? {
        var all = DERReader(Array(der)[...])
        guard let certificate = all.content(of: .sequence), all.isAtEnd else { return nil }
        var parts = DERReader(certificate)
        guard let signed = parts.content(of: .sequence), parts.skip(.sequence, .bitString),
            parts.isAtEnd
        else { return nil }
        var fields = DERReader(signed)
        // A certificate of version 1 has no version field.
        fields.skipIfPresent(.context(0))
        // The serial number, signature algorithm, issuer, validity and subject.
        guard fields.skip(.integer, .sequence, .sequence, .sequence, .sequence),
            let key = fields.whole(.sequence)
        else { return nil }
        fields.skipIfPresent(.contextBits(1))
        fields.skipIfPresent(.contextBits(2))
        fields.skipIfPresent(.context(3))
        guard fields.isAtEnd, Self.isOfKnownKind(key) else { return nil }
        return Array(key)
    }

    private static func isOfKnownKind(_ key: ArraySlice<UInt8>) -> Bool {
        var all = DERReader(key)
        guard let content = all.content(of: .sequence) else { return false }
        var parts = DERReader(content)
        guard let algorithm = parts.content(of: .sequence), parts.skip(.bitString), parts.isAtEnd
        else { return false }
        var name = DERReader(algorithm)
        return name.content(of: .objectIdentifier).map { kinds.contains(Array($0)) } ?? false
    }

    /// The object identifiers of RSA, RSA-PSS, elliptic curves, Ed25519 and Ed448.
    private static let kinds: Set<[UInt8]> = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01],
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A],
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01],
        [0x2B, 0x65, 0x70],
        [0x2B, 0x65, 0x71],
    ]
}

extension Certificate {
    /// The certificates in a PEM text, in order; other text is ignored.
    ///
    /// Nil if there is none, or if one is cut off or isn't base64.
    static func all(inPEM text: Data) -> [Certificate]? {
        var certificates: [Certificate] = []
        var block: String?
        for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = line.trimmingPrefix(while: \.isWhitespace)
            if line.hasPrefix("-----BEGIN CERTIFICATE-----") {
                guard block == nil else { return nil }
                block = ""
            } else if line.hasPrefix("-----END CERTIFICATE-----") {
                guard let text = block, let der = Data(base64Encoded: text), !der.isEmpty else {
                    return nil
                }
                certificates.append(Certificate(der: der))
                block = nil
            } else if block != nil {
                block?.append(contentsOf: line.filter { !$0.isWhitespace })
            }
        }
        return certificates.isEmpty || block != nil ? nil : certificates
    }
}

/// Reads elements of DER (X.690), never past the end of the bytes.
private struct DERReader {
    struct Tag: Equatable {
        let byte: UInt8

        static let integer = Tag(byte: 0x02)
        static let bitString = Tag(byte: 0x03)
        static let objectIdentifier = Tag(byte: 0x06)
        static let sequence = Tag(byte: 0x30)

        /// A context-specific element that contains elements.
        static func context(_ number: UInt8) -> Tag { Tag(byte: 0xA0 | number) }

        /// A context-specific element that contains bits.
        static func contextBits(_ number: UInt8) -> Tag { Tag(byte: 0x80 | number) }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads an element's content; nil if the next element has another tag.
    mutating func content(of tag: Tag) -> ArraySlice<UInt8>? {
        guard let header = headerSize(of: tag) else { return nil }
        return whole(tag)?.dropFirst(header)
    }

    /// Reads a whole element; nil if the next element has another tag.
    mutating func whole(_ tag: Tag) -> ArraySlice<UInt8>? {
        guard let header = headerSize(of: tag), let length = contentSize(header),
            length <= rest.count - header
        else { return nil }
        defer { rest = rest.dropFirst(header + length) }
        return rest.prefix(header + length)
    }

    /// Returns false if one of them is missing.
    mutating func skip(_ tags: Tag...) -> Bool { tags.allSatisfy { whole($0) != nil } }

    mutating func skipIfPresent(_ tag: Tag) { _ = whole(tag) }

    /// The number of bytes before an element's content.
    private func headerSize(of tag: Tag) -> Int? {
        guard rest.count >= 2, rest.first == tag.byte else { return nil }
        let length = rest[rest.startIndex + 1]
        if length < 0x80 { return 2 }
        // Three bytes of length are enough, because certificates are smaller than 16 MiB. DER has no indefinite length
        // (0x80).
        return (0x81...0x83).contains(length) ? 2 + Int(length & 0x7F) : nil
    }

    private func contentSize(_ headerSize: Int) -> Int? {
        guard headerSize <= rest.count else { return nil }
        if headerSize == 2 { return Int(rest[rest.startIndex + 1]) }
        let bytes = rest.dropFirst(2).prefix(headerSize - 2)
        let size = bytes.reduce(0) { $0 << 8 | Int($1) }
        // DER writes each length in the fewest bytes.
        return size >= 0x80 && bytes.first != 0 ? size : nil
    }
}
