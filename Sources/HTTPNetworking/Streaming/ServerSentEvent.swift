/// An event of a stream in the format `text/event-stream`.
public struct ServerSentEvent {
    /// The type that the server gave, "message" where it gave none.
    public var type: String

    /// The lines of data, joined by line feeds.
    public var data: String

    /// The last event ID that the stream has given so far; empty where it has given none.
    ///
    /// A client that connects again sends the last one that is not empty in the header Last-Event-ID; in the
    /// new stream it is empty again, until the server gives one. An ID with a control character, or with
    /// U+FFFD in the place of bytes that are not UTF-8, is ignored: no header could send it.
    public var id: String

    /// How long the server asks a client to wait before it connects again; nil where it has not said so.
    public var retry: Duration?

    /// The settings of the client that opened the stream; not compared.
    @Uncompared var json = JSONCoding()

    /// Makes an event.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}

extension ServerSentEvent {
    /// Decodes the data as JSON, by the settings of the client that opened the stream.
    ///
    /// - Parameter type: The type to decode; the context's without one.
    /// - Throws: ``DecodingFailure`` if the data is not such a value.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws(DecodingFailure) -> T {
        try json.decoder().decoded(T.self, from: Data(data.utf8))
    }
}

extension ServerSentEvent: Hashable {}

extension ServerSentEvent: CustomReflectable {
    /// What the server sent, without the settings of the client.
    public var customMirror: Mirror {
        Mirror(self, children: ["type": type, "data": data, "id": id, "retry": retry as Any])
    }
}

extension ServerSentEvent: Sendable {}

/// Makes events of lines: a state machine without a clock or a thread.
///
/// The algorithm is "Interpreting an event stream" of the HTML Standard, 9.2.6.
struct ServerSentEventParser: Sendable {
    /// How many bytes the data of one event may have.
    let limit: Int

    private var type = ""
    /// The lines of data, each with a line feed behind it.
    private var data = ""
    private var id = ""
    private var retry: Duration?
    private var isFirstLine = true

    init(limit: Int) { self.limit = limit }

    /// The event that a line ends, if it ends one.
    mutating func event(endedBy line: String) throws(HTTPError) -> ServerSentEvent? {
        // Not characters: a mark at the beginning of a value would be one with the colon or the space.
        var line = line.unicodeScalars[...]
        if isFirstLine, line.first == "\u{FEFF}" { line.removeFirst() }
        isFirstLine = false
        if line.isEmpty { return takeEvent() }
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        var scalars = line[colon...].dropFirst()
        if scalars.first == " " { scalars.removeFirst() }
        let value = Substring(scalars)
        switch Substring(line[..<colon]) {
        case "event": type = String(value)
        case "data": try append(value)
        case "id" where HTTPHeaders.isReturnable(String(value)): id = String(value)
        case "retry" where !value.isEmpty && value.utf8.allSatisfy(\.isDigit):
            retry = Int64(value).map { .milliseconds($0) } ?? retry
        default: break
        }
        return nil
    }

    private mutating func append(_ line: Substring) throws(HTTPError) {
        guard line.utf8.count <= limit - data.utf8.count else {
            throw HTTPError(
                code: .bodyTooLarge, reason: "the data of an event has more than \(limit) bytes")
        }
        data += line
        data += "\n"
    }

    private mutating func takeEvent() -> ServerSentEvent? {
        defer {
            type = ""
            data = ""
        }
        // An event without a line of data is none; one with an empty line is.
        if data.isEmpty { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(data.dropLast()), id: id,
            retry: retry)
    }
}
