public import Pledge

/// An HTTP/1.1 server on a port of 127.0.0.1, which answers as a test wants it to.
///
/// ```swift
/// let server = try LoopbackServer { request in .text("you asked for \(request.target)") }
/// defer { server.stop() }
/// ```
///
/// It is for tests of a transport, or of what is there only with sockets: connections that are reused,
/// break or hang, bodies that come in pieces. Where the test is about the app, ``MockNetwork`` and
/// `MemoryTransport` need no port. To serve routes, see ``init(serving:)``.
///
/// One thread of its own serves any number of connections, so an answer may be held for as long
/// as a test likes. The server stops when it is released. Everything may be called from any thread;
/// what the futures of this type tell is told on the server's thread.
public final class LoopbackServer: Sendable {
    /// The port of 127.0.0.1 that the server listens on, chosen by the system.
    public let port: UInt16

    private let log = LoopbackLog()
    private let mailbox: LoopbackMailbox
    private let thread: LoopbackThread

    /// Starts a server whose answers may take their time.
    ///
    /// - Parameter handler: Called with each request, on the server's thread; the request is
    ///   answered when its future resolves. When the client hangs up before that, the future is
    ///   cancelled. A future that rejects is answered with status 500.
    /// - Throws: ``LoopbackError`` where the system refuses a port.
    public convenience init(
        answeringLater handler: @escaping @Sendable (LoopbackRequest) -> Future<LoopbackAnswer>
    ) throws {
        try self.init(at: .v4, answeringLater: handler)
    }

    init(
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
    ///   It must neither wait nor call ``stop()``: while it runs, no connection is served.
    /// - Throws: ``LoopbackError`` where the system refuses a port.
    public convenience init(
        answering handler: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) throws {
        try self.init(answeringLater: { Future(value: handler($0)) })
    }

    /// Starts a server that gives each answer once, in order, whatever is asked.
    ///
    /// A request after the last answer gets status 500, with a text that says so.
    ///
    /// - Parameter answers: The answers.
    /// - Throws: ``LoopbackError`` where the system refuses a port.
    public convenience init(answers: [LoopbackAnswer]) throws {
        let left = Locked(answers[...])
        try self.init(answering: { _ in
            left.withLock { $0.popFirst() } ?? .text("no answer is left", status: 500)
        })
    }

    deinit { mailbox.post(.stop) }

    /// The URL of the server's root: `http://127.0.0.1:PORT`.
    public var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// The requests that have arrived whole, in order of arrival.
    ///
    /// They are kept as long as the server.
    public var requests: [LoopbackRequest] { log.events.requests }

    /// How many connections were let in so far.
    public var acceptedConnections: Int { log.events.accepted }

    /// How many connections are open now.
    public var openConnections: Int { log.events.open }

    /// The requests, as soon as so many have arrived.
    ///
    /// - Parameter count: How many there are to be, those before the call included.
    /// - Returns: A future of all that have arrived by then. It rejects with a ``LoopbackError`` with the
    ///   code ``LoopbackError/Code/stopped`` where the server stops first.
    public func received(_ count: Int) -> Future<[LoopbackRequest]> {
        log.moment { $0.requests.count >= count }.map(\.requests)
    }

    /// Settles as soon as so many clients hung up in the middle of a request or of its answer.
    ///
    /// - Parameter count: How many there are to be, those before the call included.
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func hungUp(_ count: Int) -> Future<Void> {
        log.moment { $0.hangUps >= count }.map { _ in }
    }

    /// Settles as soon as the clients of all requests that have arrived have hung up.
    ///
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func allHungUp() -> Future<Void> {
        log.moment { $0.hangUps >= $0.requests.count }.map { _ in }
    }

    /// Settles as soon as so many connections, or fewer, are open.
    ///
    /// - Parameter count: How many may be open.
    /// - Returns: A future that rejects as ``received(_:)`` does.
    public func connectionsOpen(atMost count: Int) -> Future<Void> {
        log.moment { $0.open <= count }.map { _ in }
    }

    /// Closes the port and every connection, and returns when that is done.
    ///
    /// Harmless twice.
    ///
    /// Not to be called from the server's own thread, that is from the handler.
    public func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}
