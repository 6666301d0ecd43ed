/// An event of a `text/event-stream`.
public struct ServerSentEvent: Hashable, Sendable {
    /// The type that the server gave, or "message" without one.
    public var type: String

    /// The lines of data, joined by line feeds.
    public var data: String

    /// The last event ID that the stream has received so far; empty without one.
    ///
    /// A client that reconnects sends it as the header Last-Event-ID. An ID that no header can hold is ignored: one
    /// with a control character, or with U+FFFD in place of bytes that are not UTF-8.
    public var id: String

    /// The time that the server asks a client to wait before reconnecting; nil if it has not asked.
    ///
    /// At most 2³¹ milliseconds, which is 25 days.
    public var retry: Duration?

    /// The settings of the client that opened the stream; `==` ignores them.
    @Uncompared package var json = JSONCoding()

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
    /// - Throws: ``DecodingFailure`` if the data does not match the type; it keeps the event.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws(DecodingFailure) -> T {
        do {
            return try json.decoder().decoded(T.self, from: Data(data.utf8))
        } catch {
            var failure = error
            failure.event = self
            throw failure
        }
    }
}

extension ServerSentEvent: CustomReflectable {
    /// A mirror that shows what the server sent, without the client's settings.
    public var customMirror: Mirror {
        Mirror(self, children: ["type": type, "data": data, "id": id, "retry": retry as Any])
    }
}
