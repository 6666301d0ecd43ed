import CPledgeZlib
import PledgeHTTPNetworking

/// Decodes one coding of a body.
///
/// ``give(_:)`` takes input; ``read()`` returns output, a piece at a time, so that only one piece of it is in
/// memory.
struct CodingDecoder {
    private enum Phase {
        /// No input yet. Next: `inside`.
        case beginning
        /// Next: `ended`.
        case inside(any Decompressor)
        /// The compressed data has ended. Next: `inside`, if the coding has another member or frame.
        case ended(any Decompressor)
    }

    /// The largest size of a piece, in bytes.
    static let piece = 65_536

    private let coding: ContentCoding
    private let limit: Int
    private var phase = Phase.beginning
    private var input = Data()
    private var produced = 0

    /// Makes a decoder.
    ///
    /// - Parameter limit: The largest number of decoded bytes.
    init(_ coding: ContentCoding, limit: Int) {
        self.coding = coding
        self.limit = limit
    }

    /// Takes more bytes.
    mutating func give(_ data: Data) {
        if input.isEmpty { input = data } else { input.append(data) }
    }

    /// The next piece; nil if more input is needed first.
    ///
    /// - Throws: ``DecompressionFailure``, and `HTTPError` with the code
    ///   `HTTPError.Code.bodyTooLarge`.
    mutating func read() throws -> Data? {
        while let decompressor = try current() {
            let (room, left) = (Self.piece, limit - produced)
            // One byte more than allowed, to detect whether the limit is exceeded.
            let step = try decompressor.step(input, room: left < room ? left + 1 : room)
            input = input.dropFirst(step.consumed)
            if step.isAtEnd { phase = .ended(decompressor) }
            guard step.output.count <= left else { throw HTTPError(code: .bodyTooLarge) }
            produced += step.output.count
            if !step.output.isEmpty { return step.output }
            if !step.isAtEnd, input.isEmpty || step.consumed == 0 { return nil }
        }
        return nil
    }

    /// Ends the input, after ``read()`` has returned nil.
    ///
    /// - Throws: ``DecompressionFailure`` if the compressed data is incomplete.
    func finish() throws(DecompressionFailure) {
        switch phase {
        case .beginning where input.isEmpty, .ended: return
        case .beginning, .inside: throw DecompressionFailure(.truncated)
        }
    }

    /// The decompressor to continue with; nil if input is needed first.
    private mutating func current() throws(DecompressionFailure) -> (any Decompressor)? {
        switch phase {
        case .inside(let decompressor): return decompressor
        case .beginning:
            guard let decompressor = try makeDecompressor() else { return nil }
            phase = .inside(decompressor)
            return decompressor
        case .ended(let decompressor):
            if input.isEmpty { return nil }
            try decompressor.reset()
            phase = .inside(decompressor)
            return decompressor
        }
    }

    private func makeDecompressor() throws(DecompressionFailure) -> (any Decompressor)? {
        if input.isEmpty { return nil }
        switch coding {
        case .gzip: return try Inflater(czlib_format_gzip)
        case .brotli: return try BrotliDecoder()
        case .zstd: return try ZstdDecoder()
        case .deflate:
            // The first two bytes show whether there is a wrapper.
            guard input.count >= 2 else { return nil }
            let (first, second) = (input[input.startIndex], input[input.startIndex + 1])
            let isWrapped =
                first & 0x0F == 8 && first >> 4 <= 7
                && (Int(first) << 8 | Int(second)).isMultiple(of: 31)
            return try Inflater(isWrapped ? czlib_format_zlib : czlib_format_raw)
        }
    }
}
