/// SHA-256 (FIPS 180-4, section 6.2).
package enum SHA256 {
    /// The hash of a message, in 32 bytes.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var state = start
        let length = UInt64(message.count) &* 8
        for block in PaddedBlocks(message, length: length.bigEndianBytes, of: 64) {
            add(block, to: &state)
        }
        return state.flatMap(\.bigEndianBytes)
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = [UInt32](bigEndian: block)
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
            let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var s = state
        for index in 0..<64 {
            let high = s[4].rotated(6) ^ s[4].rotated(11) ^ s[4].rotated(25)
            let choice = s[4] & s[5] ^ ~s[4] & s[6]
            let sum = s[7] &+ high &+ choice &+ constants[index] &+ words[index]
            let low = s[0].rotated(2) ^ s[0].rotated(13) ^ s[0].rotated(22)
            let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
            // Changed in place, because a new array for each round would cost more than the round itself.
            s[3] &+= sum
            s.removeLast()
            s.insert(sum &+ low &+ majority, at: 0)
        }
        for index in 0..<8 { state[index] &+= s[index] }
    }

    private static let start: [UInt32] = [
        0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
        0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
    ]

    /// For each of the first 64 primes: the first 32 bits of the fraction of its cube root (FIPS 180-4, section 4.2.2).
    private static let constants: [UInt32] = [
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
    ]
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

extension [UInt32] {
    /// The words of a block, each with its highest byte first.
    package init(bigEndian block: ArraySlice<UInt8>) { self = block.words() }
}

extension [UInt64] {
    /// The words of a block, each with its highest byte first.
    package init(bigEndian block: ArraySlice<UInt8>) { self = block.words() }
}

extension ArraySlice<UInt8> {
    fileprivate func words<Word: FixedWidthInteger>() -> [Word] {
        let size = Word.bitWidth / 8
        return stride(from: startIndex, to: endIndex, by: size).map { start in
            self[start..<start + size].reduce(0) { $0 << 8 | Word($1) }
        }
    }
}
