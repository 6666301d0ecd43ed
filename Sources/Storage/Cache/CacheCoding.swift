import PledgeFutures
public import PledgeHTTPCaching
import PledgeHTTPMessages

extension CachedResponse {
    /// The response as bytes, for a `CacheStore` that keeps bytes.
    ///
    /// Only this version of the format can read them, and it notices if a byte is missing or different. They contain
    /// the body and the headers as they are. They don't contain the values of Authorization, Cookie or other headers
    /// that identify users: those are hashed with the cache's `partitionKey`, or with a key of this process.
    public var encoded: Data {
        var writer = ByteWriter()
        writer.add(self)
        return Data(Self.sealed(writer.bytes, as: Self.format))
    }

    /// Reads a response from the bytes of ``encoded``.
    ///
    /// - Returns: Nil if the bytes are incomplete, changed, or of another version of the format.
    public init?(encoded: Data) {
        guard let bytes = Self.opened(Array(encoded), as: Self.format) else { return nil }
        var reader = ByteReader(bytes)
        let response = reader.response()
        guard reader.isComplete else { return nil }
        self = response
    }

    /// The first bytes of an encoded response; the digit is the format's version.
    static let format: [UInt8] = Array("PLDG-R1\n".utf8)

    /// Puts a format and a checksum before the content.
    static func sealed(_ content: [UInt8], as format: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes.reserveCapacity(content.count + 16)
        writer.bytes += format
        writer.add(fixed: checksum(content[...]))
        writer.bytes += content
        return writer.bytes
    }

    /// The content of sealed bytes; nil if they're damaged or have another format.
    static func opened(_ bytes: [UInt8], as format: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= format.count + 8, bytes.starts(with: format) else { return nil }
        var reader = ByteReader(bytes[format.count...])
        return reader.fixed() == checksum(reader.rest) ? reader.rest : nil
    }

    /// A checksum against accidental damage; nobody but the user can write the files.
    ///
    /// Each step multiplies 64 by 64 bits and folds the product, like wyhash.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var sum = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
        func mix(_ word: UInt64) {
            let (high, low) = (sum ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
            // The word is added, so that a zero product doesn't erase the words before it.
            sum = (high ^ low) &+ word.byteSwapped &+ (sum << 7 | sum >> 57)
        }
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
                offset += 8
            }
            var last: UInt64 = 0
            for byte in bytes[offset...] { last = last << 8 | UInt64(byte) }
            mix(last)
        }
        return sum
    }
}

extension CachedResponse: Codable {
    /// Reads a response from its `encoded` bytes.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the bytes are incomplete, changed, or of another version of the
    ///   format. A store then treats the response as missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let response = CachedResponse(encoded: try container.decode(Data.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a stored response of this version")
        }
        self = response
    }

    /// Writes the `encoded` bytes as one `Data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded)
    }
}
