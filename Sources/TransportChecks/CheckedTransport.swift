public import Pledge

/// The functions and limits of a transport to check.
public struct CheckedTransport {
    /// Sends a request and returns the whole response.
    public var send: HTTPService

    /// Sends a request and returns a response with a streamed body; nil if the transport cannot.
    public var stream: HTTPStreamingService?

    /// The largest body, in bytes; the checks of this limit send a few bytes more.
    public var maxBodySize: Int

    /// How long a check waits for an event that must happen.
    public var patience: Duration

    /// Makes a transport to be checked.
    ///
    /// - Parameters:
    ///   - send: Sends a request and returns the whole response.
    ///   - stream: Sends a request and returns a response with a streamed body. Without it, checks of
    ///     streaming pass without a run.
    ///   - maxBodySize: The limit that `send` was configured with. Checks send bodies of up to 8 MiB within
    ///     the limit, so it must be larger.
    ///   - patience: How long a check waits for an event that must happen, in real time. It ends
    ///     what hangs; a busy machine needs minutes for what takes milliseconds elsewhere.
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

extension CheckedTransport: Sendable {}
