#if AsyncHTTPClient
public import Futures
public import HTTPNetworking
import Services

extension AHCTransport {
    /// Sends a request and collects the whole response.
    ///
    /// - Parameter request: The request. The earlier of its deadline and that of the calling `CallContext`
    ///   applies to the whole exchange.
    /// - Returns: A future of the server's response, whatever its status. It rejects with `HTTPRequest.Error`
    ///   if the request cannot be sent, and with an `HTTPError` that has the request and AsyncHTTPClient's
    ///   error if no whole answer arrived; its code is `bodyTooLarge` if the body has more bytes than
    ///   ``Configuration/maxBodySize``. Cancelling it ends the exchange: it closes the connection, or the
    ///   stream of HTTP/2.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        CallContext.current.exchange(request) {
            start(request) { call, control, resolver in
                WholeResponseDelegate(call, control, resolver, limit: maxBodySize)
            }
        }
    }

    /// Sends a request, and delivers the body of its response chunk by chunk.
    ///
    /// - Parameter request: The request. The earlier of its deadline and that of the calling `CallContext`
    ///   applies to the whole exchange, its body included.
    /// - Returns: A future of the response, which resolves when the headers have arrived. It rejects as
    ///   ``send(_:)`` does. A later failure fails the body with an `HTTPError`. At most 256 KiB and one read
    ///   of the connection are received before the reader asks for them. A body that is given up, and a
    ///   response that is released unread, end the exchange.
    ///   released unread, end the exchange.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        CallContext.current.exchange(request) {
            start(request) { call, control, resolver in
                StreamedResponseDelegate(call, control, resolver)
            }
        }
    }

    private func start<Output: Sendable>(
        _ request: HTTPRequest,
        _ makeDelegate: (RequestAttempt, RequestLifetime, Resolver<Output>) -> some ResponseDelegate
    ) -> Future<Output> {
        let call: RequestAttempt
        do {
            call = try RequestAttempt(request.inCallContext(), over: self)
        } catch {
            return Future(error: error)
        }
        return Future.make { resolver in
            let control = RequestLifetime(call)
            resolver.onCancel { control.cancel() }
            call.limitTime(control)
            call.start(makeDelegate(call, control, resolver), control)
        }
    }
}
#endif
