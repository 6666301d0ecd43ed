public import Pledge

/// A transport to check: its functions and its limits.
public struct CheckedTransport: Sendable {
    /// Sends a request and returns the whole response.
    public var send: HTTPService

    /// Sends a request and returns a response with a streamed body; nil if the transport can't stream.
    public var stream: HTTPStreamingService?

    /// The largest body that the transport accepts, in bytes.
    public var maxBodySize: Int

    /// The longest wait for an event that must happen.
    package var patience: Duration

    /// Creates a transport to be checked.
    ///
    /// - Parameters:
    ///   - send: Sends a request and returns the whole response.
    ///   - stream: Sends a request and returns a response with a streamed body. Without it, checks of streaming pass
    ///     without running.
    ///   - maxBodySize: The limit that `send` was configured with. Some checks send bodies of 8 MiB, so the limit must
    ///     be larger. Other checks exceed the limit to test it.
    ///   - patience: How long a check waits, in real time, for an event that must happen. A call that hangs fails after
    ///     this time. Keep the time long, because on a busy machine, an event that usually takes milliseconds may take
    ///     minutes.
    public init(
        send: @escaping HTTPService, stream: HTTPStreamingService? = nil, maxBodySize: Int,
        patience: Duration = .seconds(600)
    ) {
        self.send = send
        self.stream = stream
        self.maxBodySize = maxBodySize
        self.patience = patience
    }
}
