#if AsyncHTTPClient
public import PledgeFutures
public import PledgeHTTPNetworking

extension AHCTransport {
    /// Sends a request and collects the whole response.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange.
    /// - Returns: A future of the server's response, whatever its status. It rejects with `HTTPRequest.Error`
    ///   if the request cannot be sent, and with an `HTTPError` that has the request and AsyncHTTPClient's
    ///   error if no whole answer arrived; its code is `bodyTooLarge` if the body has more bytes than
    ///   ``Configuration/maxBodySize``. Cancelling it ends the exchange: it closes the connection, or the
    ///   stream of HTTP/2.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        start(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and delivers the body of its response chunk by chunk.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange, its body
    ///   included.
    /// - Returns: A future of the response, which resolves when the headers have arrived. It rejects as
    ///   ``send(_:)`` does. A later failure fails the body with an `HTTPError`. At most 256 KiB and one read
    ///   of the connection are received before the reader asks for them. A body that is given up, and a
    ///   response that is released unread, end the exchange.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = InternalPromise<HTTPStreamedResponse>()
        start(request, for: .streamed(promise))
        return promise
    }

    private func start(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        do {
            let exchange = try TransportExchange(
                request, for: recipient, within: limits, on: scheduler)
            let client = try borrowClient()
            let call = try RequestAttempt(exchange, over: client.lease)
            let control = RequestLifetime(call, keeping: client)
            // Not before it has a connection.
            exchange.expectNothing()
            exchange.watch { control.end(with: $0) }
            call.start(ExchangeDelegate(call, control), control)
        } catch {
            recipient.fail(with: error.naming(request))
        }
    }
}
#endif
