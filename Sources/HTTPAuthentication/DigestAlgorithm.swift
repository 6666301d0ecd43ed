import PledgeHTTPMessages
import PledgeHTTPText

/// A digest's algorithm (RFC 7616, section 3.3).
struct DigestAlgorithm: Equatable, Sendable {
    /// The hash functions, weakest first.
    enum Hash: Int, Comparable {
        case md5, sha512cut, sha256

        static func < (left: Hash, right: Hash) -> Bool { left.rawValue < right.rawValue }

        /// The hash of a text's UTF-8, in hexadecimal.
        func callAsFunction(_ text: String) -> String { self(Array(text.utf8)) }

        /// The hash of a text whose characters stand for one byte each, in hexadecimal.
        func callAsFunction(ofLatin1 text: String) -> String {
            self(HTTPHeaders.bytes(ofLatin1: text) ?? Array(text.utf8))
        }

        /// The hash in hexadecimal.
        func callAsFunction(_ bytes: [UInt8]) -> String {
            let hash =
                switch self {
                case .md5: MD5.hash(bytes)
                case .sha256: SHA256.hash(bytes)
                case .sha512cut: SHA512_256.hash(bytes)
                }
            return hash.hexadecimal
        }
    }

    let hash: Hash

    /// True for "-sess": the password's hash is computed once per challenge, with both nonces.
    let isSession: Bool

    /// The server's name for it; nil if it sent none, which means MD5.
    let name: String?

    /// Returns nil for an algorithm that isn't supported.
    init?(_ name: String?) {
        self.name = name
        let word = name?.lowercased() ?? "md5"
        isSession = word.hasSuffix("-sess")
        switch isSession ? String(word.dropLast("-sess".count)) : word {
        case "md5": hash = .md5
        case "sha-256": hash = .sha256
        case "sha-512-256": hash = .sha512cut
        default: return nil
        }
    }
}

/// MD5 (RFC 1321), for servers that support nothing better.
enum MD5 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        let length = UInt64(message.count) &* 8
        let tail = (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        for block in PaddedBlocks(message, length: tail, of: 64) { add(block, to: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        let words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { word, byte in
                word | UInt32(block[block.startIndex + 4 * index + byte]) << (8 * byte)
            }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let (mixed, index) =
                switch step / 16 {
                case 0: (b & c | ~b & d, step)
                case 1: (d & b | ~d & c, (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), 7 * step % 16)
                }
            let sum = a &+ mixed &+ sines[step] &+ words[index]
            let shift = shifts[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        for (index, word) in [a, b, c, d].enumerated() { state[index] &+= word }
    }

    private static let shifts: [[UInt32]] = [
        [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
    ]

    /// The integer parts of 2³² × |sin(i)|, for i from 1 to 64.
    private static let sines: [UInt32] = [
        0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A,
        0xA8304613, 0xFD469501, 0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE,
        0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821, 0xF61E2562, 0xC040B340,
        0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
        0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8,
        0x676F02D9, 0x8D2A4C8A, 0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C,
        0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70, 0x289B7EC6, 0xEAA127FA,
        0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
        0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92,
        0xFFEFF47D, 0x85845DD1, 0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1,
        0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
    ]
}
