public import Pledge

/// An HTTP/1.1 server on a port of 127.0.0.1, with answers by a test.
///
/// ```swift
/// let server = try LoopbackServer { request in .text("you asked for \(request.target)") }
/// defer { server.stop() }
/// ```
///
/// It is for tests of a transport, or of behaviour that needs sockets: connections that are reused, break or
/// hang, and bodies that arrive in pieces. For tests of an app, ``MockNetwork`` and `MemoryTransport` need no
/// port. To serve routes, see ``init(serving:)``.
///
/// One thread of its own serves any number of connections, so a test may delay an answer for any time. The
/// server stops when it is released. Everything may be called from any thread. The futures of this type
/// settle on the server's thread.
public final class LoopbackServer: Sendable {
    /// The port of 127.0.0.1 that the server listens on, chosen by the system.
    public let port: UInt16

    private let log = LoopbackLog()
    private let mailbox: LoopbackMailbox
    private let thread: LoopbackThread

    /// Starts a server with asynchronous answers.
    ///
    /// - Parameter handler: Called with each request, on the server's thread; the request is
    ///   answered when its future resolves. When the client hangs up before that, the future is
    ///   cancelled. A future that rejects is answered with status 500.
    /// - Throws: ``LoopbackError`` if the system refuses a port.
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
    /// - Parameter handler: Called with each request, on the server's thread.
    ///   It must not wait or call ``stop()``: while it runs, no connection is served.
    /// - Throws: ``LoopbackError`` if the system refuses a port.
    public convenience init(
        answering handler: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) throws {
        try self.init(answeringLater: { Future(value: handler($0)) })
    }

    /// Starts a server that sends each answer once, in order, for any requests.
    ///
    /// A request after the last answer gets status 500, with a text that explains it.
    ///
    /// - Parameter answers: The answers.
    /// - Throws: ``LoopbackError`` if the system refuses a port.
    public convenience init(answers: [LoopbackAnswer]) throws {
        let left = Locked(answers[...])
        try self.init(answering: { _ in
            left.withLock { $0.popFirst() } ?? .text("no answer is left", status: 500)
        })
    }

    deinit { mailbox.post(.stop) }

    /// The URL of the server's root: `http://127.0.0.1:PORT`.
    public var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// The requests that have arrived completely, in order of arrival.
    ///
    /// The server keeps them until it is released.
    public var requests: [LoopbackRequest] { log.events.requests }

    /// How many connections were accepted so far.
    public var acceptedConnections: Int { log.events.accepted }

    /// How many connections are open now.
    public var openConnections: Int { log.events.open }

    /// The requests, when a given number has arrived.
    ///
    /// - Parameter count: The number to wait for, including those before the call.
    /// - Returns: A future of all that have arrived by then. It rejects with a ``LoopbackError`` with the
    ///   code ``LoopbackError/Code/stopped`` if the server stops first.
    public func received(_ count: Int) -> Future<[LoopbackRequest]> {
        log.moment { $0.requests.count >= count }.map(\.requests)
    }

    /// Settles when a given number of clients have hung up within a request or its answer.
    ///
    /// - Parameter count: The number to wait for, including those before the call.
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func hungUp(_ count: Int) -> Future<Void> {
        log.moment { $0.hangUps >= count }.map { _ in }
    }

    /// Settles when the clients of all requests that have arrived have hung up.
    ///
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func allHungUp() -> Future<Void> {
        log.moment { $0.hangUps >= $0.requests.count }.map { _ in }
    }

    /// Settles when at most a given number of connections are open.
    ///
    /// - Parameter count: How many may be open.
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func connectionsOpen(atMost count: Int) -> Future<Void> {
        log.moment { $0.open <= count }.map { _ in }
    }

    /// Closes the port and every connection, and then returns.
    ///
    /// A second call does nothing.
    ///
    /// It must not be called from the server's own thread, that is from the handler.
    public func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}
