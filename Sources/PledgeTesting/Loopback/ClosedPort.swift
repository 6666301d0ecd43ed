public import Pledge

/// A port of 127.0.0.1 that refuses connections.
///
/// ```swift
/// let closed = try ClosedPort()
/// let loading = client.futures.send(HTTPRequest(.get, closed.url))  // fails with cannotConnect
/// ```
///
/// As long as this object lives, no other program gets the port. By contrast, the port of a stopped server may go to
/// another server at any time.
public final class ClosedPort: Sendable {
    private let listener: LoopbackListener

    /// Reserves a port that the system chooses.
    ///
    /// - Throws: An error if the system refuses a port.
    public init() throws { listener = try LoopbackListener(listens: false) }

    /// The port number.
    public var port: UInt16 { listener.port }

    /// The URL `http://127.0.0.1:PORT`.
    public var url: URL { URL(string: "http://127.0.0.1:\(port)")! }
}
