#if AsyncHTTPClient
public import Futures
public import HTTPNetworking
import Services

extension AHCTransport {
    /// Sends a request and gathers the whole response.
    ///
    /// - Parameter request: The request. The sooner of its deadline and the calling `CallContext`'s
    ///   holds for the whole exchange.
    /// - Returns: A future of whatever the server answered, of any status. It rejects with
    ///   `HTTPRequest.Error` where the request cannot be sent, and with an `HTTPError` that keeps
    ///   the request and what AsyncHTTPClient said where no whole answer came; its code is
    ///   `bodyTooLarge` where the body has more bytes than ``Configuration/maxBodySize``. Cancelling it
    ///   ends the exchange: the connection is closed, or HTTP/2's stream is.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        CallContext.current.exchange(request) {
            start(request) { call, control, resolver in
                WholeResponseDelegate(call, control, resolver, limit: maxBodySize)
            }
        }
    }

    /// Sends a request, and gives the body of its response chunk by chunk.
    ///
    /// - Parameter request: The request. The sooner of its deadline and the calling `CallContext`'s
    ///   holds for the whole exchange, its body included.
    /// - Returns: A future of the response, which resolves when the headers have come. It rejects as
    ///   ``send(_:)`` does. What fails later fails the body with an `HTTPError`. At most
    ///   256 KiB and one piece of the connection's are read before they are asked for. A body that is given up, and a response
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
