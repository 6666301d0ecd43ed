/// SHA-256 (FIPS 180-4, section 6.2), of a message that comes in pieces.
package struct SHA256: Sendable {
    private var state = Self.start
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    package mutating func add(_ bytes: some Collection<UInt8>) {
        count &+= UInt64(bytes.count)
        rest += bytes
        let whole = rest.count & ~63
        for start in stride(from: 0, to: whole, by: 64) {
            Self.rounds.add(rest[start..<start + 64], to: &state)
        }
        rest.removeFirst(whole)
    }

    /// The hash of the message so far, in 32 bytes.
    package var hash: [UInt8] {
        var state = state
        for block in PaddedBlocks(rest, length: (count &* 8).bigEndianBytes, of: 64) {
            Self.rounds.add(block, to: &state)
        }
        return state.flatMap(\.bigEndianBytes)
    }

    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.add(message)
        return hash.hash
    }

    private static let start: [UInt32] = [
        0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
        0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
    ]

    /// The constants are the first bits of the fractional parts of the cube roots of the first 64 primes.
    private static let rounds = SHA2Rounds<UInt32>(
        early: (7, 18, 3), late: (17, 19, 10), high: (6, 11, 25), low: (2, 13, 22),
        constants: [
            0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1,
            0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3,
            0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786,
            0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
            0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147,
            0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13,
            0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85, 0xA2BFE8A1, 0xA81A664B,
            0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
            0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A,
            0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
            0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
        ])
}

/// SHA-512/256 (FIPS 180-4, section 6.7): SHA-512 with other initial values, cut to 256 bits.
package enum SHA512_256 {
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var state = start
        let length = UInt64(message.count) &* 8
        let tail = [UInt8](repeating: 0, count: 8) + length.bigEndianBytes
        for block in PaddedBlocks(message, length: tail, of: 128) { rounds.add(block, to: &state) }
        return state.prefix(4).flatMap(\.bigEndianBytes)
    }

    private static let start: [UInt64] = [
        0x22312194FC2BF72C, 0x9F555FA3C84C64C2, 0x2393B86B6F53B151,
        0x963877195940EABD, 0x96283EE2A88EFFE3, 0xBE5E1E2553863992,
        0x2B0199FC2C85B8AA, 0x0EB72DDC81C52CA2,
    ]

    /// The constants are the first bits of the fractional parts of the cube roots of the first 80 primes.
    private static let rounds = SHA2Rounds<UInt64>(
        early: (1, 8, 7), late: (19, 61, 6), high: (14, 18, 41), low: (28, 34, 39),
        constants: [
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
        ])
}

/// The block function of SHA-2 (FIPS 180-4, sections 6.2.2 and 6.4.2), whose numbers depend on the size of a word.
private struct SHA2Rounds<Word: FixedWidthInteger & Sendable>: Sendable {
    /// The counts of two rotations and a shift, applied to an earlier word to compute the next word.
    let early, late: (Int, Int, Int)
    /// The counts of three rotations, applied to a word of the state.
    let high, low: (Int, Int, Int)
    let constants: [Word]

    func add(_ block: ArraySlice<UInt8>, to state: inout [Word]) {
        let words = scheduled(block)
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in constants.indices {
            let sum =
                h &+ rotated(e, high) &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
            let first = sum &+ rotated(a, low) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ sum)
            (d, c, b, a) = (c, b, a, first)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// Returns the words of a block, and those that are computed from them, one for each round.
    private func scheduled(_ block: ArraySlice<UInt8>) -> [Word] {
        [Word](unsafeUninitializedCapacity: constants.count) { words, count in
            var start = block.startIndex
            for index in 0..<constants.count {
                if index < 16 {
                    var word: Word = 0
                    for _ in 0..<Word.bitWidth / 8 {
                        word = word << 8 | Word(block[start])
                        start += 1
                    }
                    words[index] = word
                } else {
                    words[index] =
                        words[index - 16] &+ mixed(words[index - 15], early)
                        &+ words[index - 7] &+ mixed(words[index - 2], late)
                }
            }
            count = constants.count
        }
    }

    private func mixed(_ word: Word, _ counts: (Int, Int, Int)) -> Word {
        word.rotated(counts.0) ^ word.rotated(counts.1) ^ word >> counts.2
    }

    private func rotated(_ word: Word, _ counts: (Int, Int, Int)) -> Word {
        word.rotated(counts.0) ^ word.rotated(counts.1) ^ word.rotated(counts.2)
    }
}

/// The blocks of a padded message: the message, a one bit, zeros, and the message's length.
package struct PaddedBlocks: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private let size: Int
    private var position = 0

    /// Pads a message.
    ///
    /// - Parameters:
    ///   - length: The length of the message, in the form that the hash algorithm prescribes.
    ///   - size: The size of a block, in bytes.
    package init(_ message: [UInt8], length: [UInt8], of size: Int) {
        var bytes = message + [0x80]
        let used = (bytes.count + length.count) % size
        if used != 0 { bytes += [UInt8](repeating: 0, count: size - used) }
        self.bytes = bytes + length
        self.size = size
    }

    package mutating func next() -> ArraySlice<UInt8>? {
        guard position < bytes.count else { return nil }
        defer { position += size }
        return bytes[position..<position + size]
    }
}

extension FixedWidthInteger {
    /// The bytes, the highest first.
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    /// The bits, rotated to the right by `count`.
    @inlinable
    package func rotated(_ count: Int) -> Self { self >> count | self << (Self.bitWidth - count) }
}
