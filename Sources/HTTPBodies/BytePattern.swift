/// Searches for bytes by R.
///
/// N. Horspool's algorithm of 1980.
///
/// It usually skips ahead by the pattern's length; at worst, it compares each byte with the whole pattern.
struct BytePattern: Sendable {
    let bytes: [UInt8]
    /// How far to skip, by the data's byte under the pattern's last byte.
    private let shifts: [Int]

    /// The pattern must not be empty.
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

    /// The first occurrence at `start` or later; nil if there is none.
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

    /// How many bytes at the end of the data may begin the pattern; the longest match counts.
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
