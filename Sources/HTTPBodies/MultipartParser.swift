import PledgeHTTPMessages
import PledgeHTTPText

/// Parses a multipart body that arrives in chunks, strictly.
///
/// Besides the current chunk, it keeps at most one part's headers, or as many bytes as a boundary has. It looks at each
/// byte a bounded number of times.
struct MultipartParser {
    enum Event: Equatable {
        case part(HTTPHeaders)
        case bytes(Data)
        case partEnd
    }

    private enum Phase {
        /// Before the first boundary. Next: `delimiter`.
        case preamble
        /// After a boundary. Next: `headers`, `epilogue`.
        case delimiter
        /// Within a part's headers. Next: `body`.
        case headers
        /// Within a part's bytes. Next: `delimiter`.
        case body
        /// After the last boundary.
        case epilogue
    }

    private var phase = Phase.preamble
    /// The bytes that aren't parsed yet.
    ///
    /// They begin with a line end, because each boundary is searched together with the line end before it.
    private var buffer = Data("\r\n".utf8)
    /// How many bytes of the buffer have already been searched.
    private var searched = 0
    /// How many bytes of the body have been parsed; −2 at first, because of the added line end.
    private var offset: Int64 = -2
    private var outside: Int64 = -2
    private var parts = 0
    private let delimiter: BytePattern
    private let blankLine = BytePattern("\r\n\r\n".utf8)
    private let lineEnd = BytePattern("\r\n".utf8)
    private let limits: MultipartReader.Limits
    /// The most white space after a boundary, in bytes; usually there is none.
    private static let mostPadding = 256

    init(boundary: String, limits: MultipartReader.Limits) {
        delimiter = BytePattern("\r\n--\(boundary)".utf8)
        self.limits = limits
    }

    /// Parses a chunk.
    ///
    /// - Parameter events: Gets the chunk's events, in order; if the parser throws, those before the error.
    mutating func feed(_ chunk: Data, to events: inout [Event]) throws(MultipartError) {
        buffer.append(chunk)
        while try step(&events) {}
        // Copied, so that a small rest doesn't keep the whole chunk alive.
        buffer = Data(buffer)
    }

    func finish() throws(MultipartError) {
        guard case .epilogue = phase else { throw failure(.truncated) }
    }

    /// Parses the next element; false if that takes another chunk.
    private mutating func step(_ events: inout [Event]) throws(MultipartError) -> Bool {
        switch phase {
        case .preamble: return try skipToDelimiter()
        case .delimiter: return try readDelimiter(&events)
        case .headers: return try readHeaders(&events)
        case .body: return readBody(&events)
        case .epilogue:
            try skip(buffer.count)
            return false
        }
    }

    private mutating func skipToDelimiter() throws(MultipartError) -> Bool {
        guard let before = delimiter.firstOffset(in: buffer) else {
            try skip(buffer.count - delimiter.lengthOfPartialMatch(atEndOf: buffer))
            return false
        }
        try skip(before)
        dropBytes(delimiter.bytes.count)
        phase = .delimiter
        return true
    }

    /// Reads the rest of a boundary's line (RFC 2046, section 5.1.1).
    private mutating func readDelimiter(_ events: inout [Event]) throws(MultipartError) -> Bool {
        if buffer.starts(with: Data("--".utf8)) {
            dropBytes(2)
            outside = 0
            phase = .epilogue
            return true
        }
        guard let end = lineEnd.firstOffset(in: buffer) else {
            // A lone "-" or CR at the chunk's end may be the first half of "--" or of a line end.
            let isOpen =
                buffer.isEmpty || buffer.elementsEqual("-".utf8)
                || isPadding(buffer.last == 13 ? buffer.dropLast() : buffer)
            guard isOpen, buffer.count <= Self.mostPadding else { throw failure(.badDelimiter) }
            return false
        }
        guard isPadding(buffer.prefix(end)) else { throw failure(.badDelimiter) }
        guard parts < limits.parts else { throw failure(.tooManyParts) }
        parts += 1
        // The line end stays: if the part has no headers, it's the first half of the blank line that ends them.
        dropBytes(end)
        phase = .headers
        return true
    }

    private mutating func readHeaders(_ events: inout [Event]) throws(MultipartError) -> Bool {
        let end = blankLine.firstOffset(in: buffer, from: max(0, searched - 3))
        guard end ?? buffer.count - 3 <= limits.headerBytes + 2 else {
            throw failure(.headersTooLong)
        }
        guard let end else {
            searched = buffer.count
            return false
        }
        events.append(.part(try headers(of: buffer.prefix(end).dropFirst(2))))
        dropBytes(end + 4)
        phase = .body
        return true
    }

    private mutating func readBody(_ events: inout [Event]) -> Bool {
        let found = delimiter.firstOffset(in: buffer)
        let count = found ?? buffer.count - delimiter.lengthOfPartialMatch(atEndOf: buffer)
        if count > 0 { events.append(.bytes(Data(buffer.prefix(count)))) }
        dropBytes(count)
        guard found != nil else { return false }
        dropBytes(delimiter.bytes.count)
        events.append(.partEnd)
        phase = .delimiter
        return true
    }

    private func headers(of block: Data) throws(MultipartError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        var rest = block
        while !rest.isEmpty {
            let line = rest.prefix(lineEnd.firstOffset(in: rest) ?? rest.count)
            rest = rest.dropFirst(line.count + 2)
            guard let text = String(validating: line, as: UTF8.self),
                let colon = text.unicodeScalars.firstIndex(of: ":")
            else { throw failure(.badHeader) }
            let name = String(text.unicodeScalars[..<colon])
            let value = String(text.unicodeScalars[colon...].dropFirst())
            guard HTTPHeaders.isValid(name: name, value: value) else { throw failure(.badHeader) }
            headers.add(value, for: name)
        }
        return headers
    }

    private func isPadding(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy(\.isSpace)
    }

    private mutating func skip(_ count: Int) throws(MultipartError) {
        outside += Int64(count)
        guard outside <= limits.outsideBytes else { throw failure(.textTooLong) }
        dropBytes(count)
    }

    private mutating func dropBytes(_ count: Int) {
        buffer = buffer.dropFirst(count)
        offset += Int64(count)
        searched = 0
    }

    private func failure(_ code: MultipartError.Code) -> MultipartError {
        MultipartError(code: code, offset: max(0, offset))
    }
}
