/// A pattern of bytes to search for.
///
/// The search is R. N. Horspool's of 1980: it mostly skips by the length of the pattern, and at worst
/// compares each byte with the whole pattern.
struct BytePattern: Sendable {
    let bytes: [UInt8]
    /// The shift of the pattern for each byte at its last position.
    private let shifts: [Int]

    /// Makes a pattern of at least one byte.
    init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        precondition(!bytes.isEmpty, "a pattern has at least 1 byte")
        var shifts = [Int](repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() {
            shifts[Int(byte)] = bytes.count - 1 - index
        }
        self.bytes = bytes
        self.shifts = shifts
    }

    /// The first offset of the pattern.
    ///
    /// - Parameters:
    ///   - data: The bytes to search.
    ///   - start: The offset at which the search begins.
    /// - Returns: The number of bytes before it; nil if it is not found.
    func firstOffset(in data: Data, from start: Int = 0) -> Int? {
        data.withUnsafeBytes { data in
            let last = bytes.count - 1
            var offset = start
            while offset + last < data.count {
                let byte = data[offset + last]
                if byte == bytes[last], isAt(offset, of: data) { return offset }
                offset += shifts[Int(byte)]
            }
            return nil
        }
    }

    /// How many bytes at the end of the data may be the beginning of the pattern.
    func lengthOfPartialMatch(atEndOf data: Data) -> Int {
        data.withUnsafeBytes { data in
            var length = min(bytes.count - 1, data.count)
            while length > 0 {
                if isAt(data.count - length, of: data, length) { return length }
                length -= 1
            }
            return 0
        }
    }

    private func isAt(
        _ offset: Int, of data: UnsafeRawBufferPointer, _ length: Int? = nil
    ) -> Bool {
        for index in 0..<(length ?? bytes.count) where data[offset + index] != bytes[index] {
            return false
        }
        return true
    }
}
