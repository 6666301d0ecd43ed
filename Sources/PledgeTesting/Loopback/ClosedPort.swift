public import Pledge

/// A port of 127.0.0.1 at which connections are refused.
///
/// ```swift
/// let closed = try ClosedPort()
/// let loading = client.send(HTTPRequest(.get, closed.url))  // fails with cannotConnect
/// ```
///
/// As long as this object lives, no other program gets the port. The port of a stopped server may be reused
/// by another server at any time.
public final class ClosedPort {
    private let listener: LoopbackListener

    /// Takes a port that the system chooses.
    ///
    /// - Throws: ``LoopbackError`` if the system refuses a port.
    public init() throws { listener = try LoopbackListener(listens: false) }

    /// The port's number.
    public var port: UInt16 { listener.port }

    /// `http://127.0.0.1:PORT`.
    public var url: URL { URL(string: "http://127.0.0.1:\(port)")! }
}

extension ClosedPort: Sendable {}
