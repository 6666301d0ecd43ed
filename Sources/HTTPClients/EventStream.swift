public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices

extension HTTPClient {
    /// The server-sent events below a path, over as many connections as it takes.
    ///
    /// ```swift
    /// for try await event in client.events("/news") { print(event.data) }
    /// ```
    ///
    /// It works like `events` with an endpoint.
    ///
    /// - Parameters:
    ///   - path: The path below `base`.
    ///   - method: The method. A request that isn't safe, such as a POST, connects once, unless you pass rules.
    ///   - query: A query to append to the path's own.
    ///   - headers: The headers of each request.
    ///   - json: A value to send as JSON, encoded with ``Settings/json``.
    ///   - timeout: The time limit of each connection until its headers arrive, instead of ``Settings/deadline``.
    ///   - context: Further properties of the calls.
    ///   - lastEventID: The last event ID of an earlier run; empty for none.
    ///   - end: The data that ends the sequence; nil for none.
    ///   - reconnection: The rules for connecting again.
    ///   - idleTimeout: The longest time without a byte; nil for no limit.
    ///   - limit: The largest size of a line, and of the data of one event, in bytes.
    public func events(
        _ path: Endpoint.Path, method: HTTPMethod = .get, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], json: (any Encodable)? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), after lastEventID: String = "",
        until end: String? = nil,
        reconnecting reconnection: Reconnection? = nil, idleTimeout: Duration? = .seconds(60),
        limit: Int = 1 << 20
    ) -> EventStream {
        var endpoint = Endpoint(method, path, query, headers, timeout, context)
        let body = Result { try json.map { try HTTPRequest.Body.json($0, using: slots.json) } }
        if case .success(let body?) = body { endpoint.body = body }
        var events = events(
            endpoint, after: lastEventID, until: end, reconnecting: reconnection,
            idleTimeout: idleTimeout, limit: limit)
        if case .failure(let error) = body { events.open = { _, _ in Future(error: error) } }
        return events
    }

    /// The server-sent events below a path, for a request with a JSON object written in place.
    public func events(
        _ path: Endpoint.Path, method: HTTPMethod, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], json: JSONObject, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), after lastEventID: String = "",
        until end: String? = nil, reconnecting reconnection: Reconnection? = nil,
        idleTimeout: Duration? = .seconds(60), limit: Int = 1 << 20
    ) -> EventStream {
        let value: any Encodable = json
        return events(
            path, method: method, query: query, headers: headers, json: value, timeout: timeout,
            context: context, after: lastEventID, until: end, reconnecting: reconnection,
            idleTimeout: idleTimeout, limit: limit)
    }

    /// The server-sent events of an endpoint, over as many connections as it takes.
    ///
    /// The sequence follows the HTML Standard, 9.2. Each iterator opens its own connection when you ask for the first
    /// event. When the stream ends or fails, the iterator waits, and connects again with the last event ID in the
    /// header Last-Event-ID; see ``Reconnection``. A redirect to another origin loses this header, unless ``Settings/redirects``
    /// keeps it. Each connection is a call of `stream`, with the client's credentials, cookies, redirects, breaker and
    /// time limits. A sequence that reconnects uses neither ``Settings/retry`` nor ``Settings/hedge``. Events are read only as fast as you
    /// ask for them. Releasing the iterator closes the connection, and so does cancelling the task.
    ///
    /// For a later run, keep the `id` of the last event that you have processed, or the iterator's `lastEventID`.
    ///
    /// The sequence ends, or throws, as follows:
    ///
    /// | | Until one connection has opened | After that |
    /// |---|---|---|
    /// | The network fails, a time limit passes, a policy refuses the call | waits, and tries again | waits, and tries again |
    /// | Any other status than 200 | throws | ends after a 204; tries again if the status is temporary by ``Settings/classifier``; otherwise throws |
    /// | Any other Content-Type than `text/event-stream` | throws | throws |
    /// | The stream ends or fails | – | waits, and connects again |
    /// | An error that would only repeat, or an event over `limit` | throws | throws |
    ///
    /// If no further connection is allowed, the sequence ends with the stream, or throws the last error.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint. Its headers are completed with `Accept: text/event-stream`,
    ///     `Cache-Control: no-store` and `Accept-Encoding: identity`.
    ///   - lastEventID: The last event ID of an earlier run; empty for none.
    ///   - end: The data that ends the sequence, such as "[DONE]"; nil for none. The event isn't returned.
    ///   - reconnection: The rules for connecting again. With nil, they are ``Reconnection/always`` for a request with
    ///     a safe method, such as GET, and ``Reconnection/never`` for any other request.
    ///   - idleTimeout: The longest time without a byte, on ``Settings/scheduler``; a comment counts. The connection is then
    ///     closed, and the rules say whether the client connects again. It replaces the transport's own idle timeout
    ///     while the body is read. With nil, there is no limit, and a connection that has died silently is never
    ///     noticed.
    ///   - limit: The largest size of a line, and of the data of one event, in bytes. If there are more, the sequence
    ///     throws an `HTTPError` with the code `bodyTooLarge`. Less than 1 is a programming error and traps.
    /// - Returns: The events. Iterating throws the errors of `stream`. The status of a response that
    ///   isn't 200 is an `HTTPError` with the code `unacceptableStatus`, whatever ``Settings/acceptedStatuses`` says. Another
    ///   Content-Type is an `HTTPError` with the code `unacceptableContentType`. Both errors keep the response.
    public func events(
        _ endpoint: Endpoint, after lastEventID: String = "", until end: String? = nil,
        reconnecting reconnection: Reconnection? = nil, idleTimeout: Duration? = .seconds(60),
        limit: Int = 1 << 20
    ) -> EventStream {
        let rules = reconnection ?? (endpoint.method.isSafe ? .always : .never)
        return EventStream(
            origin: (try? request(for: endpoint).url).flatMap(HTTPOrigin.init),
            lastEventID: lastEventID, end: end, rules: rules, idleTimeout: idleTimeout,
            limit: limit, client: uncountedCopy
        ) { stream, id in
            var endpoint = endpoint
            stream.complete(&endpoint.headers, &endpoint.context, after: id)
            return stream.client.functions.streamEndpoint(endpoint)
        }
    }

    /// The server-sent events of a request, over as many connections as it takes.
    ///
    /// It works like `events` with an endpoint.
    public func events(
        _ request: HTTPRequest, after lastEventID: String = "", until end: String? = nil,
        reconnecting reconnection: Reconnection? = nil, idleTimeout: Duration? = .seconds(60),
        limit: Int = 1 << 20
    ) -> EventStream {
        let rules = reconnection ?? (request.method.isSafe ? .always : .never)
        return EventStream(
            origin: HTTPOrigin(request.url),
            lastEventID: lastEventID, end: end, rules: rules, idleTimeout: idleTimeout,
            limit: limit, client: uncountedCopy
        ) { stream, id in
            var request = request
            stream.complete(&request.headers, &request.context, after: id)
            return stream.client.functions.stream(request)
        }
    }

    /// The rules for connecting again to server-sent events.
    ///
    /// The first wait is the time that the server has asked for with a `retry` field, or else `delay`, plus up to a
    /// tenth. As long as no event comes, the longest wait then doubles from one connection to the next, up to
    /// `maxDelay`, and each wait is a random time from half of the longest to all of it, but never less than the
    /// first wait. After an event, or a connection that lasted for `maxDelay`, the waits start over. If a Retry-After
    /// header asks for a longer wait, that wait counts, plus up to a tenth.
    ///
    /// Whatever the server and `delay` ask for, a connection begins a second or more after the one before it.
    public struct Reconnection: Sendable {
        /// The first wait, unless the server has asked for another one.
        package let delay: Duration

        /// The longest wait between two connections, unless the server asks for a longer one.
        package let maxDelay: Duration

        /// How many times in a row the client connects again.
        ///
        /// An event, or a connection that lasted for ``maxDelay``, starts the count over.
        package let attempts: Int

        /// Creates rules.
        ///
        /// - Parameters:
        ///   - delay: The first wait. Less than zero is a programming error and traps.
        ///   - maxDelay: The longest wait between two connections. Less than zero is a programming error and traps.
        ///   - attempts: How many times in a row the client connects again. Less than zero is a programming error and
        ///     traps.
        public init(
            delay: Duration = .seconds(3), maxDelay: Duration = .seconds(30), attempts: Int = .max
        ) {
            precondition(
                delay >= .zero, "a reconnection needs a delay of zero or more, not \(delay)")
            precondition(
                maxDelay >= .zero,
                "a reconnection needs a maxDelay of zero or more, not \(maxDelay)")
            precondition(
                attempts >= 0, "a reconnection needs attempts of zero or more, not \(attempts)")
            self.delay = delay
            self.maxDelay = maxDelay
            self.attempts = attempts
        }

        /// Connects again until the sequence ends.
        public static let always = Reconnection()

        /// Connects only once.
        ///
        /// The call is then repeated and hedged like every other call of the client, until its headers arrive.
        public static let never = Reconnection(attempts: 0)
    }

    /// Server-sent events, over as many connections as it takes.
    ///
    /// Created by the client's `events`. You can iterate over it several times; each iterator has its own connections.
    public struct EventStream: AsyncSequence, Sendable {
        /// The origin of the request; nil if its URL has none.
        let origin: HTTPOrigin?
        let lastEventID: String
        let end: String?
        let rules: Reconnection
        let idleTimeout: Duration?
        let limit: Int
        let client: HTTPClient
        /// Opens a connection; the text is the last event ID.
        var open: @Sendable (EventStream, String) -> Future<HTTPStreamedResponse>

        /// An iterator over the events of its own connections.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let connections: Connections

            init(_ stream: EventStream) { connections = Connections(stream) }
        }

        /// The state of an iterator.
        fileprivate final class Connections {
            let stream: EventStream
            private var machine: ReconnectionMachine
            /// The last ID of each origin that a redirect led to; nil for the request's own origin.
            private var knownIDs: [HTTPOrigin?: String]
            /// The origin of the current connection, if a redirect led to another one.
            private var elsewhere: HTTPOrigin?
            /// The events of the current connection.
            private var events: ServerSentEvents.Iterator?
            private var begun = SchedulerInstant(offset: .zero)
            private var opened = SchedulerInstant(offset: .zero)
            private var hasOpened = false
            private var isOver = false

            init(_ stream: EventStream) {
                self.stream = stream
                machine = ReconnectionMachine(rules: stream.rules)
                knownIDs = [nil: stream.lastEventID]
            }
        }

        /// Creates an iterator; it connects when you ask for the first event.
        public func makeAsyncIterator() -> Iterator { Iterator(self) }
    }
}

extension HTTPClient.EventStream: DescriptionOnly {
    /// The client, without the request and the last event ID, which may hold secrets.
    public var description: String { "EventStream(\(client))" }
}

extension HTTPClient.EventStream.Iterator: DescriptionOnly {
    /// The sequence's description, without the last event ID.
    public var description: String { "Iterator(\(connections.stream))" }
}

extension HTTPClient.EventStream {
    fileprivate func complete(
        _ headers: inout HTTPHeaders, _ context: inout HTTPRequest.Context, after id: String
    ) {
        let defaults = [
            ("Accept", "text/event-stream"), ("Cache-Control", "no-store"),
            // A coding may hold events back, and its decoder has a limit for the whole body.
            ("Accept-Encoding", "identity"),
        ]
        for (name, value) in defaults where headers[name] == nil { headers.set(value, for: name) }
        if !id.isEmpty { headers.set(id, for: "Last-Event-ID") }
        context.readerLimitsIdleTime = true
        guard rules.attempts > 0 else { return }
        context.skipsRetry = true
        context.skipsHedge = true
    }

    /// The origin that gives the IDs of a response, if a redirect led away from the request's own one.
    fileprivate func originElsewhere(of response: HTTPStreamedResponse) -> HTTPOrigin? {
        // A URL that the app's own code has changed is not led away.
        guard let last = response.request, !last.context.redirectingOrigins.isEmpty,
            let found = HTTPOrigin(response.url ?? last.url), found != origin,
            last.context.redirectingOrigins.contains(where: { $0 != found })
        else { return nil }
        // An app that lets the ID leave its origin has one stream on all of them.
        let keepsID = client.redirects?.kept.contains { $0.lowercased() == "last-event-id" }
        return keepsID == true ? nil : found
    }
}

extension HTTPClient.EventStream.Iterator {
    /// The last event ID, for a later run.
    ///
    /// It may be newer than the last event's, because a server can send an ID without an event. It is the ID of the
    /// request's own origin: if a redirect leads to another one, which doesn't get the ID, that origin's are left out.
    public var lastEventID: String { connections.lastEventID }

    /// Returns the next event, or nil after the last one and after an error.
    ///
    /// - Throws: The error that ends the sequence; `CancellationError` if the task is cancelled.
    public mutating func next() async throws -> ServerSentEvent? { try await connections.next() }
}

extension HTTPClient.EventStream.Connections {
    var lastEventID: String {
        (elsewhere == nil ? events?.lastEventID : nil) ?? knownIDs[nil] ?? ""
    }

    func next() async throws -> ServerSentEvent? {
        while !isOver {
            var failure: (any Error)?
            do {
                if events == nil { try await connect() }
                if let event = try await events?.next() {
                    machine.noteEvent()
                    if event.data != stream.end { return event }
                    events?.readEnd(on: stream.client.slots.scheduler)
                    close()
                    return nil
                }
            } catch {
                failure = error
            }
            try await wait(after: failure)
        }
        return nil
    }

    private func connect() async throws {
        let scheduler = stream.client.slots.scheduler
        begun = scheduler.now
        let response = try await stream.open(stream, knownIDs[nil] ?? "").get()
        elsewhere = stream.originElsewhere(of: response)
        events = try await response.serverSentEvents(
            after: knownIDs[elsewhere] ?? "", limit: stream.limit, idleTimeout: stream.idleTimeout,
            on: scheduler
        ).value.makeAsyncIterator()
        opened = scheduler.now
        hasOpened = true
    }

    private func close() {
        if let events {
            knownIDs[elsewhere] = events.lastEventID
            machine.retry = events.reconnectionTime ?? machine.retry
        }
        events = nil
        isOver = true
    }

    /// Waits until the next connection may be made; if there is none, ends the sequence or throws the error.
    private func wait(after failure: (any Error)?) async throws {
        let client = stream.client
        let isOpen = events != nil
        if isOpen, opened.duration(to: client.scheduler.now) >= stream.rules.maxDelay {
            machine.noteEvent()
        }
        close()
        if let failure, failure is CancellationError { throw failure }
        var asked: Duration?
        if let failure {
            let refusal = failure as? HTTPError
            if refusal?.isStatus == true, !hasOpened { throw failure }
            if refusal?.isStatus == true, refusal?.status == 204 { return }
            let outcome = client.outcome(of: failure)
            switch (outcome.retry, outcome.fault) {
            case (.after(let delay), _): asked = delay
            case (.never, .policy): asked = (failure as? ServiceError)?.retryAfter
            // What is wrong with the end of a stream says nothing about the next one.
            case (.never, .service) where isOpen: break
            case (.never, _): throw failure
            }
        }
        let wait = machine.wait(
            asked: asked, after: begun.duration(to: client.scheduler.now),
            bits: client.random.next())
        guard let wait, CallContext.current.hasTime(for: wait) else {
            if let failure { throw failure }
            return
        }
        if wait > .zero { try await client.scheduler.clock.sleep(for: wait) }
        isOver = false
    }
}

extension HTTPClient {
    /// The outcome of a call that failed, or whose status was refused.
    func outcome(of error: any Error) -> Outcome {
        let refused = (error as? HTTPError).flatMap { $0.isStatus ? $0.response : nil }
        let end = refused.map { Result<any HTTPResponseHead, any Error>.success($0) }
        return slots.classifier?(end ?? .failure(error)) ?? Outcome(of: error)
    }
}

extension HTTPError {
    fileprivate var isStatus: Bool { code == .unacceptableStatus }
}

/// The waits between the connections of one iterator, as a state machine without a clock or a thread.
struct ReconnectionMachine: Sendable {
    /// The least time from the beginning of a connection to the next one's.
    ///
    /// Without it, a server that asks for no wait, and closes each connection after an event, would be asked as often as
    /// the network allows.
    static let leastInterval: Duration = .seconds(1)

    let rules: HTTPClient.Reconnection
    /// The time that the server has asked for.
    var retry: Duration?
    /// How many waits there were since the last event.
    private var waits = 0

    init(rules: HTTPClient.Reconnection) { self.rules = rules }

    mutating func noteEvent() { waits = 0 }

    /// Returns the wait before the next connection; nil if no further one may follow.
    ///
    /// - Parameters:
    ///   - asked: The least wait, as in Retry-After.
    ///   - elapsed: The time since the last connection began.
    ///   - bits: 64 random bits.
    mutating func wait(asked: Duration?, after elapsed: Duration, bits: UInt64) -> Duration? {
        guard waits < rules.attempts else { return nil }
        let first = retry ?? rules.delay
        // A server that asks for no wait at all is not called without a pause once it fails.
        let step = waits == 0 ? first : max(first, .milliseconds(100))
        let bound = Backoff.ceiling(step, max(first, rules.maxDelay), waits)
        let least = max(first, bound / 2, asked ?? .zero, Self.leastInterval - elapsed)
        waits += 1
        return least + .uniform(upTo: max(bound - least, least / 10), bits: bits)
    }
}
