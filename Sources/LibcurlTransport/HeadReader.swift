import PledgeHTTPMessages
import PledgeHTTPText

/// Reads a response's head line by line, as libcurl delivers it.
struct HeadReader {
    enum Event {
        case more
        case head(status: Int, HTTPHeaders)
        /// The response isn't HTTP; says why.
        case malformed(String)
        case tooLarge
    }

    private enum Phase {
        /// A status line comes next. Then: `fields`.
        case statusLine
        /// Fields come next. Then: `over`, or `statusLine` after an interim response.
        case fields(status: Int)
        /// The head is complete; further lines are trailers.
        case over
    }

    private let limit: Int
    private var phase = Phase.statusLine
    private var count = 0
    private var fields = HTTPHeaders()
    /// True if the last line was dropped; a folded line that continues it is dropped too.
    private var hasDropped = false

    /// `limit` is the most bytes of the head, all interim heads and the trailers together.
    init(limit: Int) { self.limit = limit }

    /// Reads a line with its line end.
    mutating func readLine(_ line: UnsafeRawBufferPointer) -> Event {
        count += line.count
        guard count <= limit else { return .tooLarge }
        let text = Self.withoutEnd(line)
        switch phase {
        case .over: return .more
        case .statusLine:
            guard let status = Self.status(in: text) else {
                return .malformed("its first line is no status line")
            }
            guard status != 101 else { return .malformed("it changes the protocol unasked") }
            phase = .fields(status: status)
            hasDropped = false
            // Most responses have fewer than 12 fields.
            fields = HTTPHeaders(capacity: 12)
            return .more
        case .fields(let status):
            if !text.isEmpty { return takeField(text) }
            guard status >= 200 else {
                phase = .statusLine
                return .more
            }
            phase = .over
            defer { fields = HTTPHeaders() }
            return .head(status: status, fields)
        }
    }

    /// Why a head that begins with a folded line is malformed.
    static let foldsFirst = "the first field of its head is a folded line"

    private mutating func takeField(_ line: UnsafeRawBufferPointer) -> Event {
        if let first = line.first, first.isSpace {
            if hasDropped { return .more }
            // A folded line continues the line before it (RFC 9112, section 5.2).
            return fields.fold(received: line)
                ? .more : .malformed(Self.foldsFirst)
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
            return .malformed("a line of its head has no colon")
        }
        let name = line[..<colon]
        // "A : 1" is no field: servers and proxies disagree about its name (RFC 9112, section 5.1).
        hasDropped = !name.allSatisfy(HTTPHeaders.isTokenByte)
        if hasDropped { return .more }
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
        fields.add(received: value, for: String(decoding: name, as: UTF8.self))
        return .more
    }

    /// The status in a line such as "HTTP/1.1 200 OK".
    private static func status(in line: UnsafeRawBufferPointer) -> Int? {
        guard line.starts(with: "HTTP/".utf8),
            let space = line.firstIndex(of: UInt8(ascii: " "))
        else { return nil }
        let digits = line[(space + 1)...].prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let status = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        return status >= 100 ? status : nil
    }

    private static func withoutEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = line.count
        if end > 0, line[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<end])
    }
}
