public import Pledge

extension MockNetwork {
    /// The network one level lower: pass `network.send` as an `HTTPService`.
    ///
    /// ```swift
    /// let service = stack(.defaultHeaders(["X-App": "1"]), over: network.send)
    /// let networking = makeNetworking(over: service, base: server)
    /// ```
    ///
    /// The test sees the request after all middleware above, and its answers go through that middleware, with
    /// any status.
    ///
    /// - Parameter request: The request. A request that no transport would send rejects with
    ///   `HTTPRequest.Error`, and does not arrive.
    /// - Returns: A future that settles when the test answers the call, on the test's thread.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        do { try request.validate() } catch { return Future(error: error) }
        return CallContext.current.exchange(request) {
            let promise = InternalPromise<HTTPResponse>()
            enter(Endpoint(sending: request), request, from: .ofService(promise))
            return promise
        }
    }
}

extension MockNetwork: HTTPTransport {}

extension Endpoint {
    /// An endpoint that would send the same as a request, if its body is in memory.
    fileprivate init(sending request: HTTPRequest) {
        self.init(separating: request.url)
        method = request.method
        headers = request.effectiveHeaders
        if case .data(let data) = request.body.content {
            body = .data(data, contentType: request.body.contentType ?? "")
        }
    }
}
