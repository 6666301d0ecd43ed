/// The blocks that a hash is made of: a message, a one bit, zeros, and the message's length.
package struct PaddedBlocks: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private let size: Int
    private var position = 0

    /// Pads a message.
    ///
    /// - Parameters:
    ///   - length: The length of the message, as the hash writes it.
    ///   - size: How many bytes a block has.
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

    /// The bits, turned to the right.
    @inlinable
    package func rotated(_ count: Int) -> Self { self >> count | self << (Self.bitWidth - count) }
}

extension [UInt32] {
    /// The words of a block, the highest byte of each first.
    package init(bigEndian block: ArraySlice<UInt8>) { self = block.words() }
}

extension [UInt64] {
    /// The words of a block, the highest byte of each first.
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
