public import Futures
public import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport on a URLSession of its own.
///
/// ```swift
/// let transport = SessionTransport()
/// let api = networking(over: transport.send, base: server)
/// ```
public final class SessionTransport {
    private let exchanges: SessionExchanges

    /// Makes a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: Its limits.
    ///   - scheduler: Whose time the limits are counted in.
    ///   - adjust: Changes what URLSession is configured with beyond that, as its proxies. What the
    ///     transport relies on is set after it: no cache, no cookies, no credentials, no time limits.
    public init(
        _ configuration: Configuration = Configuration(), on scheduler: some Scheduler = .live,
        adjusting adjust: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        exchanges = SessionExchanges(configuration, scheduler)
        exchanges.open(configuration.ofSession(adjust))
    }

    deinit { exchanges.close(cancelling: false) }

    /// Sends a request, and gives a future of the whole response, whatever its status.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = Promise<HTTPResponse>()
        exchanges.begin(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and gives a future of the response as soon as its headers have come.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = Promise<HTTPStreamedResponse>()
        exchanges.begin(request, for: .streamed(promise))
        return promise
    }

    /// Refuses new calls, and lets go of the session when those under way have ended.
    ///
    /// Harmless twice. A transport that is released closes itself, and lets the calls under way finish.
    ///
    /// - Parameter cancelling: Whether the calls under way are cancelled: they reject with
    ///   `CancellationError`.
    /// - Returns: A future that resolves when the session is gone.
    @discardableResult
    public func close(cancelling: Bool = false) -> Future<Void> {
        exchanges.close(cancelling: cancelling)
    }
}

extension SessionTransport: Sendable {}
