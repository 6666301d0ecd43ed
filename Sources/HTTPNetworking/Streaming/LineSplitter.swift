/// Makes lines of bytes that come in chunks: a state machine without a clock or a thread.
///
/// A line ends with LF, CR, or CR and LF, as in the format of server-sent events. The terminator is no part of it.
struct LineSplitter: Sendable {
    /// How many bytes a line may have.
    let limit: Int

    /// The bytes of the line that has not ended.
    private var unfinished = Data()
    /// Whether the last byte was a CR, so that a LF belongs to the same terminator.
    private var followsCarriageReturn = false

    init(limit: Int) { self.limit = limit }

    /// Takes a chunk, in time linear in its size.
    ///
    /// - Parameters:
    ///   - chunk: The chunk.
    ///   - lines: Gets the lines that end within the chunk; if the splitter throws, those before the error.
    mutating func feed(_ chunk: Data, to lines: inout [String]) throws(HTTPError) {
        var start = chunk.startIndex
        for index in chunk.indices {
            let byte = chunk[index]
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                followsCarriageReturn = false
                continue
            }
            if byte == UInt8(ascii: "\n"), followsCarriageReturn {
                followsCarriageReturn = false
                start = index + 1
                continue
            }
            try append(chunk[start..<index])
            lines.append(takeLine())
            start = index + 1
            followsCarriageReturn = byte == UInt8(ascii: "\r")
        }
        try append(chunk[start...])
    }

    /// The last line, if it has no terminator; nil where there is none.
    mutating func lastLine() -> String? { unfinished.isEmpty ? nil : takeLine() }

    private mutating func append(_ bytes: Data) throws(HTTPError) {
        guard bytes.count <= limit - unfinished.count else {
            throw HTTPError(code: .bodyTooLarge, reason: "a line has more than \(limit) bytes")
        }
        unfinished.append(bytes)
    }

    private mutating func takeLine() -> String {
        defer { unfinished = Data() }
        return String(decoding: unfinished, as: UTF8.self)
    }
}
