import HTTPNetworking

/// What one step of a ``Decompressor`` made of the input.
struct DecompressedStep {
    /// How a step ended, as the C function says it.
    enum End {
        /// More input is needed, or more room for output.
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
    ///   - room: How many bytes of output there may be, at least one.
    ///   - step: Takes the input and its count, and the output and its count; the counts become how
    ///     many bytes were used. It keeps no pointer.
    /// - Throws: ``DecompressionFailure`` as `step` says.
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
