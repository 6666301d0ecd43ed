public import Pledge

/// A request as a ``LoopbackServer`` received it.
public struct LoopbackRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    public let method: String

    /// The request's target as it was sent, with its percent-encoding, such as `/products/7?expand=price`.
    public let target: String

    /// The protocol version, such as `HTTP/1.1`.
    public let version: String

    /// The header fields as they were sent: in the same order and spelling, with repeated fields.
    public internal(set) var headers: HTTPHeaders = [:]

    /// The body, without its transfer coding.
    public internal(set) var body = Data()

    /// The number of the connection, counted from 0.
    ///
    /// Equal numbers mean a reused connection.
    public internal(set) var connection = 0

    init(method: String, target: String, version: String) {
        self.method = method
        self.target = target
        self.version = version
    }

    /// The body decoded as UTF-8, with U+FFFD in place of invalid parts.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first value of a header, whose name matches in any case.
    package func header(_ name: String) -> String? { headers(name).first }

    /// All values of a header, whose name matches in any case.
    package func headers(_ name: String) -> [String] { headers.values(for: name) }

    /// True if the client keeps the connection for another request.
    var keepsConnection: Bool {
        version == "HTTP/1.1" && header("Connection")?.lowercased() != "close"
    }
}

extension LoopbackRequest: CustomStringConvertible {
    /// The method and the target without its query, such as "GET /products/7".
    public var description: String { "\(method) \(target.prefix { $0 != "?" })" }
}

/// Parses the requests of one connection; pure state, without a socket.
struct LoopbackRequestReader {
    private enum Phase {
        /// Before a request line. Next: `headers`.
        case requestLine
        /// In the header fields. Next: `body` or `chunkSize`.
        case headers
        /// In a body, with the number of bytes to come. Next: `requestLine`.
        case body(Int)
        /// Before a chunk's size. Next: `chunk`, or `trailer` after the last chunk.
        case chunkSize
        /// In a chunk, with the number of bytes to come. Next: `chunkEnd`.
        case chunk(Int)
        /// Before the line end after a chunk. Next: `chunkSize`.
        case chunkEnd
        /// In the trailer fields, which are skipped. Next: `requestLine`.
        case trailer
    }

    private var bytes: ArraySlice<UInt8> = []
    private var phase = Phase.requestLine
    private var request = LoopbackRequest(method: "", target: "", version: "")
    private var body: [UInt8] = []

    /// True if the client waits for 100 Continue before it sends the body.
    private(set) var awaitsContinue = false

    /// True if a request has begun but isn't complete.
    var isMidRequest: Bool {
        if case .requestLine = phase { return !bytes.isEmpty }
        return true
    }

    mutating func append(_ arrived: ArraySlice<UInt8>) { bytes.append(contentsOf: arrived) }

    mutating func didSendContinue() { awaitsContinue = false }

    /// The next complete request; nil until more bytes arrive.
    ///
    /// - Throws: ``LoopbackError`` if the bytes aren't an HTTP/1.1 request.
    mutating func next() throws(LoopbackError) -> LoopbackRequest? {
        while true {
            switch phase {
            case .requestLine:
                guard let line = takeLine() else { return nil }
                if !line.isEmpty { try readRequestLine(line) }
            case .headers:
                guard let line = takeLine() else { return nil }
                if line.isEmpty { try startBody() } else { try addHeader(line) }
            case .body(let left):
                guard let rest = takeBytes(left) else { return nil }
                if rest == 0 { return finish() }
                phase = .body(rest)
            case .chunkSize:
                guard let line = takeLine() else { return nil }
                let digits = line.prefix { $0 != ";" && $0 != " " }
                guard let size = Int(digits, radix: 16), size >= 0 else { throw notHTTP(line) }
                phase = size == 0 ? .trailer : .chunk(size)
            case .chunk(let left):
                guard let rest = takeBytes(left) else { return nil }
                phase = rest == 0 ? .chunkEnd : .chunk(rest)
            case .chunkEnd:
                guard let line = takeLine() else { return nil }
                guard line.isEmpty else { throw notHTTP(line) }
                phase = .chunkSize
            case .trailer:
                guard let line = takeLine() else { return nil }
                if line.isEmpty { return finish() }
            }
        }
    }

    private mutating func readRequestLine(_ line: String) throws(LoopbackError) {
        let words = line.split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw notHTTP(line) }
        request = LoopbackRequest(
            method: String(words[0]),
            target: String(words[1]),
            version: String(words[2])
        )
        phase = .headers
    }

    private mutating func addHeader(_ line: String) throws(LoopbackError) {
        guard let colon = line.firstIndex(of: ":") else { throw notHTTP(line) }
        // `add` removes the white space around the value.
        request.headers.add(
            String(line[line.index(after: colon)...]), for: String(line[..<colon]))
    }

    private mutating func startBody() throws(LoopbackError) {
        if request.header("Transfer-Encoding")?.lowercased() == "chunked" {
            phase = .chunkSize
        } else {
            let length = request.header("Content-Length") ?? "0"
            guard let count = Int(length), count >= 0 else { throw notHTTP(length) }
            phase = .body(count)
        }
        awaitsContinue = request.header("Expect")?.lowercased() == "100-continue"
    }

    private mutating func finish() -> LoopbackRequest {
        defer {
            phase = .requestLine
            body = []
            awaitsContinue = false
        }
        request.body = Data(body)
        return request
    }

    /// Moves up to `count` bytes into the body; returns how many are still missing, or nil if none have arrived.
    private mutating func takeBytes(_ count: Int) -> Int? {
        if count > 0, bytes.isEmpty { return nil }
        let taken = bytes.prefix(count)
        body.append(contentsOf: taken)
        bytes = bytes.dropFirst(taken.count)
        return count - taken.count
    }

    /// Takes a line, without its line end; nil if the line end hasn't arrived.
    private mutating func takeLine() -> String? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var line = bytes[..<end]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        bytes = bytes[(end + 1)...]
        return String(decoding: line, as: UTF8.self)
    }

    private func notHTTP(_ text: String) -> LoopbackError {
        LoopbackError(.notHTTP, "the client sent no HTTP/1.1 request: \(text.debugDescription)")
    }
}
