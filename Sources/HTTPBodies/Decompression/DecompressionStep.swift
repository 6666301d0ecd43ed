import PledgeHTTPNetworking

/// The result of one step of a ``Decompressor``.
struct DecompressionStep {
    /// The end of a step, as returned by the C function.
    enum End {
        /// More input or more output space is needed.
        case more
        /// The compressed data has ended.
        case end
        case failure(DecompressionFailure.Code)
    }

    var output: Data
    /// How many bytes of the input were used.
    var consumed: Int
    /// Whether the compressed data has ended.
    var isAtEnd: Bool

    /// Makes a step by a C function.
    ///
    /// - Parameters:
    ///   - room: The size of the output buffer in bytes, at least one.
    ///   - step: Takes the input and its count, and the output and its count; the counts become the numbers
    ///     of used bytes. It keeps no pointer.
    /// - Throws: The ``DecompressionFailure`` of `step`.
    init(
        _ input: Data, room: Int,
        by step: (
            UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt8>,
            UnsafeMutablePointer<Int>
        ) -> End
    ) throws(DecompressionFailure) {
        var (consumed, produced) = (input.count, room)
        var end = End.more
        let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            end = input.withUnsafeBytes { bytes in
                step(bytes.bindMemory(to: UInt8.self).baseAddress, &consumed, start, &produced)
            }
            count = produced
        }
        if case .failure(let code) = end { throw DecompressionFailure(code) }
        self.output = Data(output)
        self.consumed = consumed
        if case .end = end { isAtEnd = true } else { isAtEnd = false }
    }
}
