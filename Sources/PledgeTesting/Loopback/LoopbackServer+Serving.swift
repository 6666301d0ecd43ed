public import Pledge

extension LoopbackServer {
    /// Starts a server that answers by a service, such as one with routes.
    ///
    /// ```swift
    /// let transport = MemoryTransport(routes: [.get("/products/:id", answer: .json(product))])
    /// let server = try LoopbackServer(serving: transport.send)
    /// ```
    ///
    /// With ``MockNetwork/send(_:)`` the test takes each request and answers it at the moment it
    /// chooses.
    ///
    /// - Parameter service: Called with each request, on the server's thread. Its response is sent with
    ///   the length of its body. If it rejects, the answer has the status 500 and the error as its text. When
    ///   the client hangs up before there is an answer, the call is cancelled.
    /// - Throws: ``LoopbackError`` if the system refuses a port.
    public convenience init(serving service: @escaping HTTPService) throws {
        try self.init(answeringLater: { received in
            guard let request = HTTPRequest(received) else {
                return Future(value: .text("no URL can be made of the target", status: 400))
            }
            return service(request).map(LoopbackAnswer.init)
        })
    }
}

extension HTTPRequest {
    /// The request that a client has sent; nil if it does not make a valid URL.
    fileprivate init?(_ request: LoopbackRequest) {
        let host = request.header("Host") ?? "127.0.0.1"
        let place =
            request.target.hasPrefix("/") ? "http://\(host)\(request.target)" : request.target
        guard let url = URL(string: place) else { return nil }
        self.init(
            HTTPMethod(rawValue: request.method), url, headers: request.headers.withoutConnection)
        if !request.body.isEmpty {
            let type = request.header("Content-Type")
            body = type.map { .data(request.body, contentType: $0) } ?? .data(request.body)
        }
    }
}

extension LoopbackAnswer {
    /// A response unchanged, with the length of its body.
    fileprivate init(_ response: HTTPResponse) {
        var headers = response.headers
        headers.remove("Content-Length")
        headers.remove("Transfer-Encoding")
        self = .whole(
            response.status, headers.map { (key: $0.name, value: $0.value) }, response.body)
    }
}
