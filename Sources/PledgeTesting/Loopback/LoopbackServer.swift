public import Pledge

/// An HTTP/1.1 server on a port of 127.0.0.1 that answers as a test says.
///
/// ```swift
/// let server = try LoopbackServer { request in .text("you asked for \(request.target)") }
/// defer { server.stop() }
/// ```
///
/// Use it to test a transport, or behaviour that needs sockets: connections that are reused, break or hang, and bodies
/// that arrive in pieces. To test an app, use ``MockNetwork`` or `MemoryTransport`, which need no port. To serve
/// routes, see ``init(serving:)``.
///
/// The server has one thread, which serves any number of connections, so a test may delay an answer for any time. The
/// server stops when it is released. You can call its methods from any thread. The futures that they return settle on
/// the server's thread.
public final class LoopbackServer: Sendable {
    /// The port of 127.0.0.1 that the server listens on, chosen by the system.
    public let port: UInt16

    private let log = LoopbackLog()
    private let mailbox: LoopbackMailbox
    private let thread: LoopbackThread

    /// Starts a server with asynchronous answers.
    ///
    /// - Parameter handler: Called with each request, on the server's thread. The server answers when the future
    ///   resolves. If the future rejects, the answer has status 500. If the client hangs up first, the future is
    ///   cancelled.
    /// - Throws: An error if the system refuses a port.
    public convenience init(
        answeringLater handler: @escaping @Sendable (LoopbackRequest) -> Future<LoopbackAnswer>
    ) throws {
        try self.init(at: .v4, answeringLater: handler)
    }

    package init(
        at address: LoopbackListener.Address,
        answeringLater handler: @escaping @Sendable (LoopbackRequest) -> Future<LoopbackAnswer>
    ) throws {
        let listener = try LoopbackListener(address)
        port = listener.port
        mailbox = try LoopbackMailbox()
        let context = LoopbackContext(mailbox: mailbox, log: log, handler: handler)
        thread = LoopbackThread {
            var loop = LoopbackLoop(listener: listener, context: context)
            loop.run()
        }
    }

    /// Starts a server that answers each request at once.
    ///
    /// - Parameter handler: Called with each request, on the server's thread. It must not wait or call ``stop()``.
    ///   While it runs, no connection is served.
    /// - Throws: An error if the system refuses a port.
    public convenience init(
        answering handler: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) throws {
        try self.init(answeringLater: { Future(value: handler($0)) })
    }

    /// Starts a server that sends each answer once, in order, whatever the requests are.
    ///
    /// A request after the last answer gets status 500, with a text that explains it.
    ///
    /// - Parameter answers: The answers.
    /// - Throws: An error if the system refuses a port.
    public convenience init(answers: [LoopbackAnswer]) throws {
        let left = Locked(answers[...])
        try self.init(answering: { _ in
            left.withLock { $0.popFirst() } ?? .text("no answer is left", status: 500)
        })
    }

    deinit { mailbox.post(.stop) }

    /// The URL of the server's root, `http://127.0.0.1:PORT`.
    public var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// The requests that have arrived completely, in order of arrival.
    ///
    /// The server keeps them until it is released.
    public var requests: [LoopbackRequest] { log.events.requests }

    /// The number of connections accepted so far.
    package var acceptedConnections: Int { log.events.accepted }

    /// The number of connections open now.
    package var openConnections: Int { log.events.open }

    /// Waits until a given number of requests have arrived.
    ///
    /// - Parameter count: The number to wait for, including requests that have already arrived.
    /// - Returns: A future of all requests that have arrived by then. If the server stops first, the future rejects
    ///   with an error that says so.
    public func received(_ count: Int) -> Future<[LoopbackRequest]> {
        log.moment { $0.requests.count >= count }.map(\.requests)
    }

    /// Waits until a given number of clients have hung up within a request or its answer.
    ///
    /// - Parameter count: The number to wait for, including clients that have already hung up.
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func hungUp(_ count: Int) -> Future<Void> {
        log.moment { $0.hangUps >= count }.map { _ in }
    }

    /// Waits until, for every request that has arrived, the client has hung up.
    ///
    /// - Returns: A future that rejects as ``received(_:)`` does.
    package func allHungUp() -> Future<Void> {
        log.moment { $0.hangUps >= $0.requests.count }.map { _ in }
    }

    /// Waits until at most a given number of connections are open.
    ///
    /// - Parameter count: The largest number of open connections.
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func connectionsOpen(atMost count: Int) -> Future<Void> {
        log.moment { $0.open <= count }.map { _ in }
    }

    /// Closes the port and every connection, and then returns.
    ///
    /// A second call does nothing. Don't call it on the server's own thread, that is, from the handler.
    public func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}

extension LoopbackServer {
    /// Starts a server that answers with a service, such as one with routes.
    ///
    /// ```swift
    /// let transport = MemoryTransport(routes: [.get("/products/:id", answer: .json(product))])
    /// let server = try LoopbackServer(serving: transport.send)
    /// ```
    ///
    /// If the service is ``MockNetwork/send(_:)``, the test takes each request and answers it at any time.
    ///
    /// - Parameter service: Called with each request, on the server's thread. The response is sent with the length of
    ///   its body. If the service rejects, the answer has status 500 and the error as its text. If the client hangs up
    ///   before there is an answer, the call is cancelled.
    /// - Throws: An error if the system refuses a port.
    public convenience init(serving service: @escaping HTTPService) throws {
        try self.init(answeringLater: { received in
            guard let request = HTTPRequest(received) else {
                return Future(value: .text("no URL can be made of the target", status: 400))
            }
            return service(request).map(LoopbackAnswer.init)
        })
    }
}

extension HTTPRequest {
    /// Nil if the request's target isn't a valid URL.
    fileprivate init?(_ request: LoopbackRequest) {
        let host = request.header("Host") ?? "127.0.0.1"
        let place =
            request.target.hasPrefix("/") ? "http://\(host)\(request.target)" : request.target
        guard let url = URL(string: place) else { return nil }
        self.init(
            HTTPMethod(rawValue: request.method), url, headers: request.headers.withoutConnection)
        if !request.body.isEmpty {
            let type = request.header("Content-Type")
            body = type.map { .data(request.body, contentType: $0) } ?? .data(request.body)
        }
    }
}

extension LoopbackAnswer {
    /// Replaces Content-Length and Transfer-Encoding by the body's length; keeps all other headers.
    fileprivate init(_ response: HTTPResponse) {
        var headers = response.headers
        headers.remove("Content-Length")
        headers.remove("Transfer-Encoding")
        self = .whole(
            response.status, headers.map { (key: $0.name, value: $0.value) }, response.body)
    }
}

/// A failure of a loopback server, or of a wait for one of its events.
package struct LoopbackError: Error {
    /// The kinds of failure.
    package enum Code: Sendable, Hashable {
        /// A system call failed, with this `errno`.
        case system(Int32)
        /// The client sent something that is not an HTTP/1.1 request.
        case notHTTP
        /// The server stopped before the awaited condition was met.
        case stopped
    }

    /// The kind of failure.
    package let code: Code

    private let text: String

    init(_ code: Code, _ description: String) {
        self.code = code
        text = description
    }
}

extension LoopbackError: CustomStringConvertible {
    /// What happened, in one line.
    package var description: String { text }
}

/// A server's events, and promises of further ones.
final class LoopbackLog: Sendable {
    struct Events: Sendable {
        var requests: [LoopbackRequest] = []
        var accepted = 0
        var open = 0
        var hangUps = 0
        var isStopped = false
    }

    private struct Waiter {
        var isMet: @Sendable (Events) -> Bool
        var promise: Promise<Events>
    }

    private let state = Locked((events: Events(), waiters: [Waiter]()))

    var events: Events { state.withLock { $0.events } }

    /// Settles once a condition holds; rejects if the server stops first.
    func moment(where isMet: @escaping @Sendable (Events) -> Bool) -> Future<Events> {
        let promise = Promise<Events>()
        let events = state.withLock { state -> Events? in
            if isMet(state.events) || state.events.isStopped { return state.events }
            state.waiters.append(Waiter(isMet: isMet, promise: promise))
            return nil
        }
        if let events { settle(promise, with: events, isMet: isMet(events)) }
        return promise
    }

    /// Records an event, and settles the waiters whose condition now holds.
    func noteEvent(_ change: @Sendable (inout Events) -> Void) {
        let (events, waiters) = state.withLock { state -> (Events, [Waiter]) in
            change(&state.events)
            let events = state.events
            let due = state.waiters.filter { events.isStopped || $0.isMet(events) }
            state.waiters.removeAll { events.isStopped || $0.isMet(events) }
            return (events, due)
        }
        for waiter in waiters {
            settle(waiter.promise, with: events, isMet: waiter.isMet(events))
        }
    }

    private func settle(_ promise: Promise<Events>, with events: Events, isMet: Bool) {
        guard !isMet else { return _ = promise.resolve(with: events) }
        let seen = "\(events.requests.count) requests and \(events.hangUps) hang-ups were seen"
        promise.reject(
            with: LoopbackError(.stopped, "the loopback server was stopped after \(seen)")
        )
    }
}
