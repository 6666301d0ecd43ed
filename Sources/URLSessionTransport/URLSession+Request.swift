public import Futures
public import HTTPNetworking
import Services

#if canImport(FoundationNetworking)
import Foundation
@_exported public import FoundationNetworking
#else
public import Foundation
#endif

extension URLSession {
    /// Sends an endpoint, and gives a future of the body that comes back.
    ///
    /// ```swift
    /// let networking: Networking = URLSession.shared.request
    /// ```
    ///
    /// It is `makeNetworking(over:)` on a ``SessionTransport/init(session:_:on:)`` of this session, beneath
    /// `.redirect()`: limits, redirects, errors and what is refused are the same as there. A body of more
    /// than 64 MiB, decoded, fails.
    ///
    /// The request is under way when the method returns. Cancelling the future cancels it, and the
    /// future then rejects with `CancellationError`. The future settles on the session's
    /// delegate queue.
    ///
    /// It rejects with
    /// - an `Endpoint.Error` where the endpoint cannot be sent; nothing is sent;
    /// - an `HTTPError` that keeps status, headers and body where the status lies
    ///   outside 200…299;
    /// - an `HTTPError` with a code and the session's own error as its cause
    ///   where the exchange failed;
    /// - `CancellationError` where the session cancelled the task.
    ///
    /// - Parameter endpoint: What to ask for.
    /// - Returns: A future of the body, which is empty where there is none.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        SessionTransport.networking(by: self)(endpoint)
    }
}
