import CZlib
import HTTPNetworking

/// Undoes one coding of a body.
///
/// Bytes go in by ``give(_:)``; ``read()`` takes what comes out, a piece at a time, so that no more of
/// it is in memory than one piece.
struct CodingDecoder {
    private enum Phase {
        /// Nothing has come. Next: `inside`.
        case beginning
        /// Next: `ended`.
        case inside(Inflater)
        /// The compressed data is over. Next: `inside`, if it is gzip and there is another member.
        case ended(Inflater)
    }

    /// How many bytes a piece has at most.
    static let piece = 65_536

    private let coding: ContentCoding
    private let limit: Int
    private var phase = Phase.beginning
    private var input = Data()
    private var produced = 0

    /// Makes a decoder.
    ///
    /// - Parameter limit: How many bytes may come out.
    init(_ coding: ContentCoding, limit: Int) {
        self.coding = coding
        self.limit = limit
    }

    /// Takes more bytes.
    mutating func give(_ data: Data) {
        if input.isEmpty { input = data } else { input.append(data) }
    }

    /// The next piece, or nil where more has to be given first.
    ///
    /// - Throws: ``DecompressionFailure``, and `HTTPError` with the code
    ///   `HTTPError.Code.bodyTooLarge`.
    mutating func read() throws -> Data? {
        while let inflater = try current() {
            let (room, left) = (Self.piece, limit - produced)
            // One byte more than there may be, to see whether it comes.
            let step = try inflater.step(input, room: left < room ? left + 1 : room)
            input = input.dropFirst(step.consumed)
            if step.isAtEnd { phase = .ended(inflater) }
            guard step.output.count <= left else { throw HTTPError(code: .bodyTooLarge) }
            produced += step.output.count
            if !step.output.isEmpty { return step.output }
            if !step.isAtEnd, input.isEmpty || step.consumed == 0 { return nil }
        }
        return nil
    }

    /// Says that nothing more will be given, once ``read()`` has no more.
    ///
    /// - Throws: ``DecompressionFailure`` where the compressed data is not whole.
    func finish() throws(DecompressionFailure) {
        switch phase {
        case .beginning where input.isEmpty, .ended: return
        case .beginning, .inside: throw DecompressionFailure(.truncated)
        }
    }

    /// What is to go on; nil where input is needed first.
    private mutating func current() throws(DecompressionFailure) -> Inflater? {
        switch phase {
        case .inside(let inflater): return inflater
        case .beginning:
            guard let inflater = try makeInflater() else { return nil }
            phase = .inside(inflater)
            return inflater
        case .ended(let inflater):
            if input.isEmpty { return nil }
            // A gzip file is one member or several (RFC 1952, section 2.2).
            guard coding == .gzip else { throw DecompressionFailure(.trailingBytes) }
            try inflater.reset()
            phase = .inside(inflater)
            return inflater
        }
    }

    private func makeInflater() throws(DecompressionFailure) -> Inflater? {
        switch coding {
        case .gzip: return input.isEmpty ? nil : try Inflater(czlib_format_gzip)
        case .deflate:
            // Its first two bytes tell whether there is a wrapper.
            guard input.count >= 2 else { return nil }
            let (first, second) = (input[input.startIndex], input[input.startIndex + 1])
            let isWrapped =
                first & 0x0F == 8 && first >> 4 <= 7
                && (Int(first) << 8 | Int(second)).isMultiple(of: 31)
            return try Inflater(isWrapped ? czlib_format_zlib : czlib_format_raw)
        }
    }
}
