package import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPText

/// The server-sent events of a body, each as soon as it is complete.
///
/// Created by `HTTPStreamedResponse.serverSentEvents(limit:)`.
package struct ServerSentEvents: AsyncSequence, Sendable {
    let lines: HTTPBodyLines
    /// The ID that the server gave before this stream.
    package var lastEventID = ""
    var json = JSONCoding()

    package init(_ body: HTTPBodyStream, limit: Int) {
        var lines = HTTPBodyLines(stream: body, limit: limit)
        // The end of the stream may have cut the line off, as in "retry: 10" of "retry: 1000".
        lines.dropsUnfinishedLine = true
        self.lines = lines
    }

    /// An iterator over the remaining events.
    package struct Iterator: AsyncIteratorProtocol {
        private var lines: HTTPBodyLines.Iterator
        private var parser: ServerSentEventParser
        private let json: JSONCoding

        init(_ events: ServerSentEvents) {
            lines = events.lines.makeAsyncIterator()
            parser = ServerSentEventParser(
                limit: events.lines.limit, lastEventID: events.lastEventID)
            json = events.json
        }

        /// The ID of the last block that has ended, whether or not it was an event.
        package var lastEventID: String { parser.lastEventID }

        /// The time that the server asks a client to wait before reconnecting; nil if it has not asked.
        package var reconnectionTime: Duration? { parser.retry }

        /// Reads the end of the body if it comes within a second; see ``HTTPBodyLines/Iterator/readEnd(on:)``.
        package func readEnd(on scheduler: some FutureScheduler) { lines.readEnd(on: scheduler) }

        /// Returns the next event, or nil after the last one.
        ///
        /// An event that the end of the body cuts off is not returned. Cancelling the task cancels the stream.
        ///
        /// - Throws: The stream's error. For a line or an event that is longer than allowed, an `HTTPError` with the
        ///   code `HTTPError.Code.bodyTooLarge`; the stream is then cancelled.
        package mutating func next() async throws -> ServerSentEvent? {
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
    package func makeAsyncIterator() -> Iterator { Iterator(self) }
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
    /// This works like `HTTPBodyStream.serverSentEvents(limit:)`, and events decode JSON with the client's settings.
    ///
    /// - Parameter limit: The largest size of a line, and of the data of one event, in bytes. Less than 1 is a
    ///   programming error and traps.
    public func serverSentEvents(
        limit: Int = 1 << 20
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        var events = ServerSentEvents(body, limit: limit)
        events.json = json
        return events
    }
}

extension HTTPStreamedResponse {
    /// Parses the body as `text/event-stream`, if the response is one.
    ///
    /// - Parameters:
    ///   - lastEventID: The ID that the server gave before.
    ///   - limit: The largest size of a line, and of the data of one event, in bytes.
    ///   - idleTimeout: The longest wait for a byte; nil for no limit.
    ///   - scheduler: The clock.
    /// - Returns: A future of the events. For another status than 200, or another Content-Type, it rejects with an
    ///   `HTTPError` that keeps the response.
    package func serverSentEvents(
        after lastEventID: String, limit: Int, idleTimeout: Duration?,
        on scheduler: any FutureScheduler
    ) -> Future<ServerSentEvents> {
        let isStream = BodyText.mediaType(headers["Content-Type"]) == "text/event-stream"
        guard status == 200, isStream else {
            return kept(on: scheduler).mapWithoutOrigin { response in
                if response.status != 200 {
                    throw HTTPError(code: .unacceptableStatus, response: response)
                }
                var error = HTTPError(code: .unacceptableContentType, response: response)
                let type = error.knownSecrets.shownType(of: response).map(SafeText.escaped)
                error.reason = "\(type ?? "none"), not text/event-stream"
                throw error
            }
        }
        let bytes = idleTimeout.map { body.failing(afterIdle: $0, of: request, on: scheduler) }
        var events = ServerSentEvents(bytes ?? body, limit: limit)
        events.lastEventID = lastEventID
        events.json = json
        return Future(value: events)
    }
}

extension HTTPBodyStream {
    /// Returns the same bytes in a stream that fails if a chunk is awaited for too long.
    fileprivate func failing(
        afterIdle limit: Duration, of request: HTTPRequest?, on scheduler: any FutureScheduler
    ) -> HTTPBodyStream {
        HTTPBodyStream(
            length: length,
            next: {
                self.next().timeout(limit, on: scheduler) {
                    HTTPError(.idle(limit), request: request)
                }
            },
            cancel: { self.cancel() })
    }

    /// Parses a body as `text/event-stream` (HTML Standard).
    ///
    /// ```swift
    /// for try await event in response.body.serverSentEvents() { print(event.data) }
    /// ```
    ///
    /// The sequence ends with the body, and does not reconnect; a client's `events` does.
    ///
    /// - Parameter limit: The largest size of a line, and of the data of one event, in bytes. Less than 1 is a
    ///   programming error and traps.
    public func serverSentEvents(
        limit: Int = 1 << 20
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        ServerSentEvents(self, limit: limit)
    }
}

extension AsyncSequence where Element == ServerSentEvent, Self: Sendable {
    /// The data of each event, decoded as JSON with the settings of the client that opened the stream.
    ///
    /// ```swift
    /// for try await price in client.events("/prices").decoded(as: Price.self) { show(price) }
    /// ```
    ///
    /// - Parameter type: The type to decode; leave it out if Swift can infer it.
    /// - Returns: The values. Iterating throws the errors of the events, and a `DecodingFailure` for data that does
    ///   not match the type; it keeps the event.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type = T.self
    ) -> some AsyncSequence<T, any Error> & Sendable {
        map { event in try event.decoded(as: T.self) }
    }
}

/// Turns lines into events, as a state machine without a clock or a thread.
///
/// The algorithm is "Interpreting an event stream" of the HTML Standard, 9.2.6.
struct ServerSentEventParser: Sendable {
    /// The largest size of the data of one event, in bytes.
    let limit: Int

    /// The ID of the last block that has ended, whether or not it was an event.
    private(set) var lastEventID: String
    /// The reconnection time, which changes as soon as its line has ended.
    private(set) var retry: Duration?

    private var type = ""
    /// The lines of data, each followed by a line feed.
    private var data = ""
    /// The last ID that was read; it becomes the last event ID when the current block ends.
    private var id: String
    private var isFirstLine = true

    init(limit: Int, lastEventID: String = "") {
        self.limit = limit
        self.lastEventID = lastEventID
        id = lastEventID
    }

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
        case "retry": retry = DeltaSeconds.parse(value).map { .milliseconds($0) } ?? retry
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
        lastEventID = id
        // An event needs at least one line of data, which may be empty.
        if data.isEmpty { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(data.dropLast()), id: id,
            retry: retry)
    }
}
