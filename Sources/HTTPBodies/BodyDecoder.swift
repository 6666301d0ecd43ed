import CPledgeZlib
import PledgeHTTPMessages

/// Decodes all codings of a body, the one applied last first.
struct BodyDecoder {
    private var decoders: [CodingDecoder]

    /// `codings` are in the order in which they were applied, and `limit` is the most decoded bytes.
    ///
    /// - Throws: ``DecompressionFailure`` if there are too many codings.
    init(_ codings: [ContentCoding], limit: Int) throws(DecompressionFailure) {
        guard codings.count <= ContentCoding.most else {
            throw DecompressionFailure(.tooManyCodings)
        }
        // Between two codings, a little more than `limit` is allowed, because compressed data may be slightly longer
        // than its content. Without a limit there, a small body could expand for hours.
        let slack = limit.addingReportingOverflow(limit / 100 + 65_536)
        let between = slack.overflow ? Int.max - 1 : slack.partialValue
        decoders = codings.reversed().enumerated().map { index, coding in
            CodingDecoder(
                coding, limit: index == codings.count - 1 ? min(limit, Int.max - 1) : between)
        }
    }

    mutating func give(_ data: Data) { decoders[0].give(data) }

    /// The next piece; nil if more input is needed first.
    mutating func read() throws -> Data? { try read(decoders.count - 1) }

    private mutating func read(_ index: Int) throws -> Data? {
        while true {
            if let piece = try decoders[index].read() { return piece }
            guard index > 0, let input = try read(index - 1) else { return nil }
            decoders[index].give(input)
        }
    }

    /// Ends the input; call it once ``read()`` has returned nil.
    ///
    /// - Throws: ``DecompressionFailure`` if the data is incomplete.
    func finish() throws(DecompressionFailure) {
        for decoder in decoders { try decoder.finish() }
    }

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

/// The codings of a body (RFC 9110, section 8.4.1); the raw values are their names, in the order of Accept-Encoding.
enum ContentCoding: String, CaseIterable {
    case gzip
    /// Deflate with zlib's wrapper, and also without it, because some servers leave it out.
    case deflate
    /// Brotli (RFC 7932).
    case brotli = "br"
    /// Zstandard (RFC 8878), with windows of at most 8 MiB (RFC 9659).
    case zstd

    /// The codings for which the system has a library.
    static var available: Set<ContentCoding> { Set(allCases.filter(\.isAvailable)) }

    private var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: Inflater.isAvailable
        case .brotli: BrotliDecoder.isAvailable
        case .zstd: ZstdDecoder.isAvailable
        }
    }

    /// The failure for a coding without a library.
    var missing: DecompressionFailure.Code {
        switch self {
        case .gzip, .deflate: .zlibMissing
        case .brotli: .brotliMissing
        case .zstd: .zstdMissing
        }
    }

    /// The most codings of one body; curl's limit too.
    static let most = 5

    /// A body's codings without identity, in the order in which they were applied; nil if one is unknown.
    static func all(in headers: HTTPHeaders) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for value in headers.values(for: "Content-Encoding") {
            for word in value.split(whereSeparator: { $0 == "," || $0 == "\t" }) {
                // A name with white space in it isn't a coding.
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

/// Decodes one coding of a body, piece by piece, so that only one piece is in memory.
struct CodingDecoder {
    private enum Phase {
        /// No input yet. Next: `inside`.
        case beginning
        /// Decoding. Next: `ended`.
        case inside(any Decompressor)
        /// At the end of the compressed data. Next: `inside`, if another member or frame follows.
        case ended(any Decompressor)
    }

    /// The largest piece, in bytes.
    static let piece = 65_536

    private let coding: ContentCoding
    private let limit: Int
    private var phase = Phase.beginning
    private var input = Data()
    private var produced = 0

    /// `limit` is the most decoded bytes.
    init(_ coding: ContentCoding, limit: Int) {
        self.coding = coding
        self.limit = limit
    }

    mutating func give(_ data: Data) {
        if input.isEmpty { input = data } else { input.append(data) }
    }

    /// The next piece; nil if more input is needed first.
    ///
    /// - Throws: ``DecompressionFailure``, or an `HTTPError` with the code `bodyTooLarge`.
    mutating func read() throws -> Data? {
        while let decompressor = try current() {
            let (room, left) = (Self.piece, limit - produced)
            // One byte more than the limit, to notice output beyond it.
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

    /// Ends the input; call it once ``read()`` has returned nil.
    ///
    /// - Throws: ``DecompressionFailure`` if the data is incomplete.
    func finish() throws(DecompressionFailure) {
        switch phase {
        case .beginning where input.isEmpty, .ended: return
        case .beginning, .inside: throw DecompressionFailure(.truncated)
        }
    }

    /// The decompressor to go on with; nil if more input is needed first.
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
