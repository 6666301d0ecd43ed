/// Decodes all codings of a body, the last applied first.
struct BodyDecoder {
    private var decoders: [CodingDecoder]

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - codings: The codings, in the order in which they were applied.
    ///   - limit: The largest number of decoded bytes.
    /// - Throws: ``DecompressionFailure`` if there are too many.
    init(_ codings: [ContentCoding], limit: Int) throws(DecompressionFailure) {
        guard codings.count <= ContentCoding.most else {
            throw DecompressionFailure(.tooManyCodings)
        }
        // Compressed data may be slightly longer than its content, because of stored blocks and wrappers.
        // Without this limit, a small body could take hours between two codings.
        let slack = limit.addingReportingOverflow(limit / 100 + 65_536)
        let between = slack.overflow ? Int.max - 1 : slack.partialValue
        decoders = codings.reversed().enumerated().map { index, coding in
            CodingDecoder(
                coding, limit: index == codings.count - 1 ? min(limit, Int.max - 1) : between)
        }
    }

    /// Takes more bytes of the body.
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

    /// Ends the input, after ``read()`` has returned nil.
    ///
    /// - Throws: ``DecompressionFailure`` if the data is incomplete.
    func finish() throws(DecompressionFailure) {
        for decoder in decoders { try decoder.finish() }
    }

    /// All at once.
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
