import PledgeHTTPNetworking

/// The algorithm of a digest (RFC 7616, section 3.3).
struct DigestAlgorithm: Equatable, Sendable {
    /// The hash functions, ordered by strength.
    enum Hash: Int, Comparable {
        case md5, sha512cut, sha256

        static func < (left: Hash, right: Hash) -> Bool { left.rawValue < right.rawValue }

        /// Returns the hash of a text's UTF-8, in hexadecimal digits.
        func callAsFunction(_ text: String) -> String { self(Array(text.utf8)) }

        /// Returns the hash of a text whose characters stand for one byte each, in hexadecimal digits.
        func callAsFunction(ofLatin1 text: String) -> String {
            self(HTTPHeaders.bytes(ofLatin1: text) ?? Array(text.utf8))
        }

        /// Returns the hash of bytes, in hexadecimal digits.
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

    /// True if the password's hash is computed once per challenge, from the server's nonce and the client's nonce.
    let isSession: Bool

    /// The server's name for the algorithm; nil if it sent none, which means MD5.
    let name: String?

    /// Creates an algorithm; nil if the name isn't supported.
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

extension [UInt8] {
    /// The bytes as two lowercase digits each.
    fileprivate var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}

/// SHA-512/256 (FIPS 180-4, section 6.7): SHA-512 with other initial values, cut to 256 bits.
enum SHA512_256 {
    /// Returns the hash of a message, 32 bytes.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state = start
        let length = UInt64(message.count) &* 8
        let tail = [UInt8](repeating: 0, count: 8) + length.bigEndianBytes
        for block in PaddedBlocks(message, length: tail, of: 128) { add(block, to: &state) }
        return state.prefix(4).flatMap(\.bigEndianBytes)
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt64]) {
        var words = [UInt64](bigEndian: block)
        for index in 16..<80 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = early.rotated(1) ^ early.rotated(8) ^ early >> 7
            let second = late.rotated(19) ^ late.rotated(61) ^ late >> 6
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var s = state
        for index in 0..<80 {
            let high = s[4].rotated(14) ^ s[4].rotated(18) ^ s[4].rotated(41)
            let choice = s[4] & s[5] ^ ~s[4] & s[6]
            let sum = s[7] &+ high &+ choice &+ constants[index] &+ words[index]
            let low = s[0].rotated(28) ^ s[0].rotated(34) ^ s[0].rotated(39)
            let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
            // The array is changed in place, because a new array per round would cost more than the round itself.
            s[3] &+= sum
            s.removeLast()
            s.insert(sum &+ low &+ majority, at: 0)
        }
        for index in 0..<8 { state[index] &+= s[index] }
    }

    private static let start: [UInt64] = [
        0x22312194FC2BF72C, 0x9F555FA3C84C64C2, 0x2393B86B6F53B151,
        0x963877195940EABD, 0x96283EE2A88EFFE3, 0xBE5E1E2553863992,
        0x2B0199FC2C85B8AA, 0x0EB72DDC81C52CA2,
    ]

    /// The first bits of the fractional parts of the cube roots of the first 80 primes.
    private static let constants: [UInt64] = [
        0x428A2F98D728AE22, 0x7137449123EF65CD, 0xB5C0FBCFEC4D3B2F, 0xE9B5DBA58189DBBC,
        0x3956C25BF348B538, 0x59F111F1B605D019, 0x923F82A4AF194F9B, 0xAB1C5ED5DA6D8118,
        0xD807AA98A3030242, 0x12835B0145706FBE, 0x243185BE4EE4B28C, 0x550C7DC3D5FFB4E2,
        0x72BE5D74F27B896F, 0x80DEB1FE3B1696B1, 0x9BDC06A725C71235, 0xC19BF174CF692694,
        0xE49B69C19EF14AD2, 0xEFBE4786384F25E3, 0x0FC19DC68B8CD5B5, 0x240CA1CC77AC9C65,
        0x2DE92C6F592B0275, 0x4A7484AA6EA6E483, 0x5CB0A9DCBD41FBD4, 0x76F988DA831153B5,
        0x983E5152EE66DFAB, 0xA831C66D2DB43210, 0xB00327C898FB213F, 0xBF597FC7BEEF0EE4,
        0xC6E00BF33DA88FC2, 0xD5A79147930AA725, 0x06CA6351E003826F, 0x142929670A0E6E70,
        0x27B70A8546D22FFC, 0x2E1B21385C26C926, 0x4D2C6DFC5AC42AED, 0x53380D139D95B3DF,
        0x650A73548BAF63DE, 0x766A0ABB3C77B2A8, 0x81C2C92E47EDAEE6, 0x92722C851482353B,
        0xA2BFE8A14CF10364, 0xA81A664BBC423001, 0xC24B8B70D0F89791, 0xC76C51A30654BE30,
        0xD192E819D6EF5218, 0xD69906245565A910, 0xF40E35855771202A, 0x106AA07032BBD1B8,
        0x19A4C116B8D2D0C8, 0x1E376C085141AB53, 0x2748774CDF8EEB99, 0x34B0BCB5E19B48A8,
        0x391C0CB3C5C95A63, 0x4ED8AA4AE3418ACB, 0x5B9CCA4F7763E373, 0x682E6FF3D6B2B8A3,
        0x748F82EE5DEFB2FC, 0x78A5636F43172F60, 0x84C87814A1F0AB72, 0x8CC702081A6439EC,
        0x90BEFFFA23631E28, 0xA4506CEBDE82BDE9, 0xBEF9A3F7B2C67915, 0xC67178F2E372532B,
        0xCA273ECEEA26619C, 0xD186B8C721C0C207, 0xEADA7DD6CDE0EB1E, 0xF57D4F7FEE6ED178,
        0x06F067AA72176FBA, 0x0A637DC5A2C898A6, 0x113F9804BEF90DAE, 0x1B710B35131C471B,
        0x28DB77F523047D84, 0x32CAAB7B40C72493, 0x3C9EBE0A15C9BEBC, 0x431D67C49C100D4C,
        0x4CC5D4BECB3E42B6, 0x597F299CFC657E2A, 0x5FCB6FAB3AD6FAEC, 0x6C44198C4A475817,
    ]
}

/// MD5 (RFC 1321), for servers that support no other hash.
enum MD5 {
    /// Returns the hash of a message, 16 bytes.
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
