import PledgeHTTPNetworking

/// SHA-512/256 (FIPS 180-4, section 6.7), which is SHA-512 from another start, cut to 256 bits.
enum SHA512_256 {
    /// The hash of some bytes, 32 bytes.
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
            // In place: an array for each round would cost more than the round itself.
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
