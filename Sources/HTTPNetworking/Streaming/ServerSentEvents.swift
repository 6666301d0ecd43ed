/// The server-sent events of a body, each as soon as it is complete.
///
/// Created by ``HTTPStreamedResponse/serverSentEvents(limit:)``.
public struct ServerSentEvents: AsyncSequence, Sendable {
    let lines: HTTPBodyLines
    var json = JSONCoding()

    /// An iterator over the remaining events.
    public struct Iterator: AsyncIteratorProtocol {
        private var lines: HTTPBodyLines.Iterator
        private var parser: ServerSentEventParser
        private let json: JSONCoding

        init(_ events: ServerSentEvents) {
            lines = events.lines.makeAsyncIterator()
            parser = ServerSentEventParser(limit: events.lines.limit)
            json = events.json
        }

        /// Returns the next event, or nil after the last one.
        ///
        /// An event that the end of the body cuts off is not returned. Cancelling the task cancels the stream.
        ///
        /// - Throws: The stream's error. For a line or an event that is longer than allowed, an ``HTTPError`` with the
        ///   code ``HTTPError/Code/bodyTooLarge``; the stream is then cancelled.
        public mutating func next() async throws -> ServerSentEvent? {
            while let line = try await lines.next() {
                do {
                    guard var event = try parser.event(endedBy: line) else { continue }
                    event.json = json
                    return event
                } catch {
                    lines.giveUp()
                    throw error
                }
            }
            return nil
        }
    }

    /// Creates an iterator; only one iterator can read a body.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPStreamedResponse {
    /// Parses the body as `text/event-stream` (HTML Standard).
    ///
    /// ```swift
    /// for try await event in response.serverSentEvents() {
    ///     let price: Price = try event.decoded()
    /// }
    /// ```
    ///
    /// This works like ``HTTPBodyStream/serverSentEvents(limit:)``, and events decode JSON with the client's settings.
    ///
    /// - Parameter limit: The largest size of a line, and of the data of one event, in bytes. Less than 1 is a
    ///   programming error and traps.
    public func serverSentEvents(limit: Int = 1 << 20) -> ServerSentEvents {
        var events = body.serverSentEvents(limit: limit)
        events.json = json
        return events
    }
}

extension HTTPBodyStream {
    /// Parses a body as `text/event-stream` (HTML Standard).
    ///
    /// ```swift
    /// for try await event in response.body.serverSentEvents() { print(event.data) }
    /// ```
    ///
    /// The sequence ends with the body, and does not reconnect. To reconnect yourself, use ``ServerSentEvent/id`` and
    /// ``ServerSentEvent/retry``.
    ///
    /// - Parameter limit: The largest size of a line, and of the data of one event, in bytes. Less than 1 is a
    ///   programming error and traps.
    public func serverSentEvents(limit: Int = 1 << 20) -> ServerSentEvents {
        ServerSentEvents(lines: lines(limit: limit))
    }
}

/// An event of a `text/event-stream`.
public struct ServerSentEvent: Hashable, Sendable {
    /// The type that the server gave, or "message" without one.
    public var type: String

    /// The lines of data, joined by line feeds.
    public var data: String

    /// The last event ID that the stream has received so far; empty without one.
    ///
    /// When a client reconnects, it sends the last non-empty ID as the header Last-Event-ID. In the new stream, the ID
    /// is empty again until the server sends one. An ID that no header can hold is ignored: one with a control
    /// character, or with U+FFFD in place of bytes that are not UTF-8.
    public var id: String

    /// The time that the server asks a client to wait before reconnecting; nil if it has not asked.
    public var retry: Duration?

    /// The settings of the client that opened the stream; `==` ignores them.
    @Uncompared var json = JSONCoding()

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}

extension ServerSentEvent {
    /// Decodes the data as JSON, with the settings of the client that opened the stream.
    ///
    /// - Parameter type: The type to decode; leave it out if Swift can infer it.
    /// - Throws: ``DecodingFailure`` if the data does not match the type.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws(DecodingFailure) -> T {
        try json.decoder().decoded(T.self, from: Data(data.utf8))
    }
}

extension ServerSentEvent: CustomReflectable {
    /// A mirror that shows what the server sent, without the client's settings.
    public var customMirror: Mirror {
        Mirror(self, children: ["type": type, "data": data, "id": id, "retry": retry as Any])
    }
}

/// Turns lines into events, as a state machine without a clock or a thread.
///
/// The algorithm is "Interpreting an event stream" of the HTML Standard, 9.2.6.
struct ServerSentEventParser: Sendable {
    /// The largest size of the data of one event, in bytes.
    let limit: Int

    private var type = ""
    /// The lines of data, each followed by a line feed.
    private var data = ""
    private var id = ""
    private var retry: Duration?
    private var isFirstLine = true

    init(limit: Int) { self.limit = limit }

    /// Takes a line; if the line ends an event, returns the event.
    mutating func event(endedBy line: String) throws(HTTPError) -> ServerSentEvent? {
        // Reads scalars, not characters: a combining mark at the beginning of a value would form one character with the
        // colon or the space before it.
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
        // An event needs at least one line of data, which may be empty.
        if data.isEmpty { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(data.dropLast()), id: id,
            retry: retry)
    }
}
