import CPledgeZlib
import PledgeHTTPMessages

/// Decodes all codings of a body, starting with the one applied last.
struct BodyDecoder {
    private var decoders: [CodingDecoder]

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codings: The codings, in the order in which they were applied.
    ///   - limit: The largest number of decoded bytes.
    /// - Throws: ``DecompressionFailure`` if there are too many codings.
    init(_ codings: [ContentCoding], limit: Int) throws(DecompressionFailure) {
        guard codings.count <= ContentCoding.most else {
            throw DecompressionFailure(.tooManyCodings)
        }
        // Between two codings, a little more than `limit` is allowed, because compressed data may be slightly longer
        // than its content (stored blocks, wrappers). Without any limit there, a small body could expand for hours.
        let slack = limit.addingReportingOverflow(limit / 100 + 65_536)
        let between = slack.overflow ? Int.max - 1 : slack.partialValue
        decoders = codings.reversed().enumerated().map { index, coding in
            CodingDecoder(
                coding, limit: index == codings.count - 1 ? min(limit, Int.max - 1) : between)
        }
    }

    /// Takes more bytes of the body.
    mutating func give(_ data: Data) { decoders[0].give(data) }

    /// Returns the next piece; nil if more input is needed first.
    mutating func read() throws -> Data? { try read(decoders.count - 1) }

    private mutating func read(_ index: Int) throws -> Data? {
        while true {
            if let piece = try decoders[index].read() { return piece }
            guard index > 0, let input = try read(index - 1) else { return nil }
            decoders[index].give(input)
        }
    }

    /// Ends the input; must be called after ``read()`` has returned nil.
    ///
    /// - Throws: ``DecompressionFailure`` if the data is incomplete.
    func finish() throws(DecompressionFailure) {
        for decoder in decoders { try decoder.finish() }
    }

    /// Decodes a whole body at once.
    static func decoded(
        _ data: Data, _ codings: [ContentCoding], limit: Int
    ) throws -> Data {
        var decoder = try BodyDecoder(codings, limit: limit)
        var decoded = Data()
        decoder.give(data)
        while let piece = try decoder.read() { decoded.append(piece) }
        try decoder.finish()
        return decoded
    }
}

/// The ways to compress a body (RFC 9110, section 8.4.1).
///
/// The raw values are the names in Accept-Encoding, in the order used there.
enum ContentCoding: String, CaseIterable {
    case gzip
    /// Deflate with zlib's wrapper; also without the wrapper, because some servers leave it out.
    case deflate
    /// Brotli (RFC 7932).
    case brotli = "br"
    /// Zstandard (RFC 8878), with windows of at most 8 MiB (RFC 9659).
    case zstd

    /// The codings that the system's libraries can decode.
    static var available: Set<ContentCoding> { Set(allCases.filter(\.isAvailable)) }

    private var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: Inflater.isAvailable
        case .brotli: BrotliDecoder.isAvailable
        case .zstd: ZstdDecoder.isAvailable
        }
    }

    /// The failure if no library of the system can decode the coding.
    var missing: DecompressionFailure.Code {
        switch self {
        case .gzip, .deflate: .zlibMissing
        case .brotli: .brotliMissing
        case .zstd: .zstdMissing
        }
    }

    /// The largest number of codings of a body, the same limit as curl's.
    static let most = 5

    /// Returns the codings of a body, except identity, in the order in which they were applied.
    ///
    /// - Returns: Nil if one of them is unknown.
    static func all(in headers: HTTPHeaders) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for value in headers.values(for: "Content-Encoding") {
            for word in value.split(whereSeparator: { $0 == "," || $0 == "\t" }) {
                // A name that contains white space isn't a coding.
                let name = word.split(separator: " ").joined(separator: " ")
                switch name.lowercased() {
                case "", "identity": continue
                case "gzip", "x-gzip": codings.append(.gzip)
                case let name:
                    guard let coding = ContentCoding(rawValue: name) else { return nil }
                    codings.append(coding)
                }
            }
        }
        return codings
    }
}

/// Decodes one coding of a body.
///
/// ``give(_:)`` takes input, and ``read()`` returns output piece by piece, so that only one piece is in memory.
struct CodingDecoder {
    private enum Phase {
        /// No input has arrived. Next: `inside`.
        case beginning
        /// The compressed data is being decoded. Next: `ended`.
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

    /// Creates a decoder.
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

    /// Returns the next piece; nil if more input is needed first.
    ///
    /// - Throws: ``DecompressionFailure``, and `HTTPError` with the code `HTTPError.Code.bodyTooLarge`.
    mutating func read() throws -> Data? {
        while let decompressor = try current() {
            let (room, left) = (Self.piece, limit - produced)
            // There is room for one byte more than the limit allows, to detect output above the limit.
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

    /// Ends the input; must be called after ``read()`` has returned nil.
    ///
    /// - Throws: ``DecompressionFailure`` if the compressed data is incomplete.
    func finish() throws(DecompressionFailure) {
        switch phase {
        case .beginning where input.isEmpty, .ended: return
        case .beginning, .inside: throw DecompressionFailure(.truncated)
        }
    }

    /// Returns the decompressor to continue with; nil if more input is needed first.
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
            // The first two bytes tell whether there is a wrapper.
            guard input.count >= 2 else { return nil }
            let (first, second) = (input[input.startIndex], input[input.startIndex + 1])
            let isWrapped =
                first & 0x0F == 8 && first >> 4 <= 7
                && (Int(first) << 8 | Int(second)).isMultiple(of: 31)
            return try Inflater(isWrapped ? czlib_format_zlib : czlib_format_raw)
        }
    }
}
