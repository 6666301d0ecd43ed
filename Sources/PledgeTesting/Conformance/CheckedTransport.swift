public import Pledge

/// What a transport consists of, to be checked.
public struct CheckedTransport {
    /// Sends a request and gives the whole response.
    public var send: HTTPService

    /// Sends a request and gives a response whose body is on its way, nil where it cannot.
    public var stream: HTTPStreamingService?

    /// How many bytes a body may have; the checks of the bound are made with a few more.
    public var maxBodySize: Int

    /// How long a check waits for what must happen.
    public var patience: Duration

    /// Makes a transport to be checked.
    ///
    /// - Parameters:
    ///   - send: Sends a request and gives the whole response.
    ///   - stream: Sends a request and gives a response whose body is on its way. Without it, checks of
    ///     streaming pass unseen.
    ///   - maxBodySize: The bound that `send` was configured with. Checks send bodies of up to 8 MiB
    ///     within the bound, so it must be more.
    ///   - patience: How long a check waits for what must happen, in real time.
    public init(
        send: @escaping HTTPService, stream: HTTPStreamingService? = nil, maxBodySize: Int,
        patience: Duration = .seconds(25)
    ) {
        self.send = send
        self.stream = stream
        self.maxBodySize = maxBodySize
        self.patience = patience
    }
}

extension CheckedTransport: Sendable {}
