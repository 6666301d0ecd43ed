/// The server-sent events of a body, each as soon as it is whole.
///
/// Made by ``HTTPStreamedResponse/serverSentEvents(limit:)``.
public struct ServerSentEvents: AsyncSequence {
    let lines: HTTPBodyLines
    var json = JSONCoding()

    /// Gives the events that are left to one reader.
    public struct Iterator: AsyncIteratorProtocol {
        private var lines: HTTPBodyLines.Iterator
        private var parser: ServerSentEventParser
        private let json: JSONCoding

        init(_ events: ServerSentEvents) {
            lines = events.lines.makeAsyncIterator()
            parser = ServerSentEventParser(limit: events.lines.limit)
            json = events.json
        }

        /// The next event, or nil after the last one.
        ///
        /// An event that the end of the body cuts off is not returned. Cancelling the task cancels the stream.
        ///
        /// - Throws: What fails the stream, and an ``HTTPError`` with the code ``HTTPError/Code/bodyTooLarge`` where
        ///   a line or an event is longer than allowed; the stream is then cancelled.
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

    /// Makes an iterator; a body is read once, by one of them.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension ServerSentEvents: Sendable {}

extension HTTPStreamedResponse {
    /// The events of the body in the format `text/event-stream` of the HTML Standard.
    ///
    /// ```swift
    /// for try await event in response.serverSentEvents() {
    ///     let price: Price = try event.decoded()
    /// }
    /// ```
    ///
    /// As ``HTTPBodyStream/serverSentEvents(limit:)``, and what an event decodes has the settings of the client.
    ///
    /// - Parameter limit: How many bytes a line, and the data of one event, may have. Less than 1 is a programming
    ///   error and traps.
    public func serverSentEvents(limit: Int = 1 << 20) -> ServerSentEvents {
        var events = body.serverSentEvents(limit: limit)
        events.json = json
        return events
    }
}

extension HTTPBodyStream {
    /// The events of a body in the format `text/event-stream` of the HTML Standard.
    ///
    /// ```swift
    /// for try await event in response.body.serverSentEvents() { print(event.data) }
    /// ```
    ///
    /// The sequence ends with the body, and does not connect again: see ``ServerSentEvent/id`` and
    /// ``ServerSentEvent/retry``.
    ///
    /// - Parameter limit: How many bytes a line, and the data of one event, may have. Less than 1 is a programming
    ///   error and traps.
    public func serverSentEvents(limit: Int = 1 << 20) -> ServerSentEvents {
        ServerSentEvents(lines: lines(limit: limit))
    }
}
